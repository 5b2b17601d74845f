"""Which rows are not variants (rules.md 10.17), and dashes for what has no effect (rules.md 11)."""

UPCARD_OPENINGS = ("upcard_pass", "upcard_stock_or_pass", "upcard_stock_or_pass_dead")


def _of_the_cards(row: dict) -> list[tuple[bool, str]]:
    opening, joker, scoring = row["first_turn"], row["joker"], row["deal_scoring"]
    needs_the_pile = opening in UPCARD_OPENINGS or row["stock_end"] == "opponent_may_take"
    needs_an_upcard = row["knock_by_upcard"] or row["spade_multiplier"] > 1
    return [
        (needs_an_upcard and opening in ("discard_first", "stock"), "this row needs an upcard"),
        (
            row["take_to_knock"] == "melded" and not row["take_discard"],
            "take_to_knock needs take_discard",
        ),
        (
            needs_the_pile and not row["take_discard"],
            "this opening or stock end needs take_discard",
        ),
        (scoring in ("joker", "winloss") and joker == "none", "this scoring needs a joker"),
        (
            joker == "before_deal" and row["joker_in_hand"] is None,
            "what happens to a joker in the hand?",
        ),
        (
            joker == "before_deal" and opening == "discard_first",
            "eleven cards are dealt before the joker is added",
        ),
        (scoring == "winloss" and row["knock_limit"] > 0, "winloss has no knock"),
        (row["layoff_on_gin"] and not row["layoff"], "layoff_on_gin needs layoff"),
        (row["max_draws"] is not None and scoring != "penalty", "max_draws needs penalties"),
    ]


def _of_two_players(row: dict) -> list[tuple[bool, str]]:
    return [
        (row["joker"] != "none", "two players have no joker"),
        (
            row["first_turn"] == "stock" or row["stock_end"] == "none",
            "that is a one-player opening or stock end",
        ),
        (row["deal_scoring"] != "versus", "two players score against each other"),
        (row["max_draws"] is not None, "max_draws is for one player"),
    ]


def _of_one_player(row: dict) -> list[tuple[bool, str]]:
    left = 41 if row["first_turn"] == "discard_first" else 42
    endless = row["max_draws"] is None or row["max_draws"] > left
    return [
        (row["deal_scoring"] == "versus", "one player has nobody to score against"),
        (row["take_discard"], "one player takes no discards"),
        (row["first_turn"] in (*UPCARD_OPENINGS, "free"), "that is a two-player opening"),
        (row["stock_end"] != "none", "one player ends no stock"),
        (
            row["joker"] == "none" and endless,
            "without a joker max_draws must end the deal before the stock does",
        ),
        (
            row["rush_premium"] or row["layoff"] or row["shot"],
            "premium, lay-offs and shots are for two",
        ),
        (row["goal"] not in ("single", "points", "total"), "that goal is for two players"),
    ]


def _of_the_match(row: dict) -> list[tuple[bool, str]]:
    goal, penalties = row["goal"], row["deal_scoring"] == "penalty"
    racers = {"points": (0, 1), "games": (0, 1), "race": (row["race_points_seat"],)}.get(goal, ())
    return [
        (row["shot"] and goal == "columns", "which of several scores spells the shot?"),
        (goal == "total" and not penalties, "a total is a total of penalties"),
        (goal == "points" and penalties, "penalties are no points to collect"),
        (
            goal == "games" and row["game_table"][-1][0] < row["points_target"] - 1,
            "the game table ends too early",
        ),
        (
            any(row["start_points"][side] >= row["points_target"] for side in racers),
            "the match is won before it begins",
        ),
        (row["die"] == "deal" and goal != "deals", "a die for every deal needs goal = deals"),
        (row["die"] == "game" and goal != "games", "a die for every game needs goal = games"),
        (
            row["die"] == "deal" and not 3 <= row["deals_target"] <= 21,
            "a round of dice goes to 3..21 deals",
        ),
    ]


def dashes(row: dict) -> list[str]:
    """The parameters that other values of the row make effective, but that hold a dash."""
    two, scoring, goal = row["players"] == 2, row["deal_scoring"], row["goal"]
    scored = scoring in ("versus", "joker")
    knocks = scored and (row["knock_limit"] > 0 or row["knock_by_upcard"])
    effective = {
        "stop_before_draw": not two,
        "defender_ace_value": two,
        "first_dealer": two,
        "next_dealer": two,
        "void_dealer": two,
        "gin_bonus": scored,
        "big_gin_bonus": scored and row["big_gin"],
        "undercut_bonus": knocks,
        "undercut_on_tie": knocks,
        "count_joker": scoring == "joker",
        "penalty_gin": scoring == "penalty",
        "points_target": goal in ("points", "columns", "games", "race", "twofold"),
        "deals_in_match": goal == "total",
        "total_goal": goal == "total",
    }
    return [name for name, used in effective.items() if used and row[name] is None]


def refusals(row: dict) -> list[str]:
    """Why the row is no game; an empty list if it is one."""
    missing = [f"{name} needs a value" for name in dashes(row)]
    if missing:
        return missing
    players = _of_two_players(row) if row["players"] == 2 else _of_one_player(row)
    return [
        sentence
        for refused, sentence in _of_the_cards(row) + players + _of_the_match(row)
        if refused
    ]


def refuse(row: dict, players: int) -> None:
    """ValueError unless the row is a game for so many players."""
    sentences = (
        refusals(row) if row["players"] == players else [f"this is a game for {row['players']}"]
    )
    if sentences:
        raise ValueError("; ".join(sentences))
