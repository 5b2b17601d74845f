"""The twin against the worked examples of docs/reference/rules.md, and its own properties."""

import random
from itertools import product

import pytest

from oracles import twin
from support.twin_deals import DEALER, NONDEALER, cards, check_cards, check_result, choose, planted
from support.worked_examples import BOOK, ROWS, STANDARD, vectors

CONDITIONS = (
    "ace_runs",
    "rainbow",
    "pip_values",
    "ace_value",
    "defender_ace_value",
    "take_to_knock",
    "big_gin",
)


def row_of(given, **more):
    """`standard` with the meld rules a vector names."""
    return {**STANDARD, **{name: given[name] for name in CONDITIONS if name in given}, **more}


def as_set(meldings):
    return sorted(sorted(" ".join(meld) for meld in melding) for melding in meldings)


def joined(melding):
    return [" ".join(meld) for meld in melding]


# --- the vectors, kind by kind ----------


@pytest.mark.parametrize("vector", vectors("deadwood"))
def test_deadwood(vector):
    given, expect = vector["input"], vector["expect"]
    row, hand = row_of(given), given["hand"].split()
    assert twin.deadwood(hand, row) == expect["deadwood"]
    assert (
        twin.deadwood(
            hand, {**row, "ace_value": 1, "defender_ace_value": row["ace_value"]}, "defender"
        )
        == (expect["deadwood"])
    )
    best = as_set(twin.optimal_meldings(hand, row))
    assert len(best) == expect["optimal_families"]
    listed = sorted(sorted(family) for family in expect["families"])
    assert all(family in best for family in listed)
    assert len(listed) == min(len(best), 8)
    if "auto_melds" in expect:
        assert joined(twin.shown(hand, None, row)) == sorted(expect["auto_melds"])


@pytest.mark.parametrize("vector", vectors("knock_options"))
def test_knock_options(vector):
    given, expect = vector["input"], vector["expect"]
    row = row_of(given, shot=given["own_score"] is not None)
    banned = {"taken": given["taken"], "drawn": given["drawn"] or given["taken"], "none": None}[
        given["discard_ban"]
    ]
    endings = twin.legal_endings(
        given["hand"].split(),
        row,
        given["knock_limit"],
        taken=given["taken"],
        banned=banned,
        own_points=given["own_score"] or 0,
    )
    knocks = {ending.card: ending.count for ending in endings if ending.how in ("knock", "gin")}
    assert knocks == expect["knock"]
    assert all(
        (ending.how == "gin") == (ending.count == 0)
        for ending in endings
        if ending.how in ("knock", "gin")
    )
    assert sorted(ending.card for ending in endings if ending.how == "shot") == sorted(
        expect.get("shot", [])
    )
    assert any(ending.how == "big_gin" for ending in endings) == expect["big_gin"]


@pytest.mark.parametrize("vector", vectors("layoff"))
def test_layoff(vector):
    given, expect = vector["input"], vector["expect"]
    row, hand = row_of(given), given["hand"].split()
    shown = [meld.split() for meld in given["knocker_melds"]]
    way = twin.defender_count(shown, hand, row)
    assert way.count == expect["deadwood"]
    values = twin.card_values(row, "defender")
    used = [card for group in way.melds + way.laid_off for card in group]
    assert len(used) == len(set(used))
    assert sum(values[card] for card in hand if card not in used) == way.count
    if "deadwood_if_own_melds_are_fixed_first" in expect:
        assert way.count < expect["deadwood_if_own_melds_are_fixed_first"]


@pytest.mark.parametrize("vector", vectors("deal_points"))
def test_deal_points(vector):
    given, expect = vector["input"], vector["expect"]
    options = dict(given["options"])
    left, factor = options.pop("stock_left", 0), options.pop("multiplier", 1)
    row = {**STANDARD, **options}
    score = twin.deal_points(
        row, given["stop"], given["own_deadwood"], given["other_count"], left, factor
    )
    assert (score.stopper, score.other) == (expect["stopper"], expect["other"])


@pytest.mark.parametrize("vector", vectors("showdown"))
def test_showdown(vector):
    given, expect = vector["input"], vector["expect"]
    options = dict(given["options"])
    left, factor = options.pop("stock_left", 0), options.pop("multiplier", 1)
    end = twin.showdown(
        row_of(given, **options),
        given["how"],
        given["knocker"].split(),
        given.get("discarded"),
        given["defender"].split(),
        limit=given["knock_limit"],
        own_points=given["own_score"] or 0,
        stock_left=left,
        factor=factor,
    )
    assert (end.stopper_count, end.other_count) == (
        expect["knocker_deadwood"],
        expect["defender_deadwood"],
    )
    assert (end.stopper_points, end.other_points) == (expect["stopper"], expect["other"])
    assert joined(end.melds) == sorted(expect["knocker_melds"])


@pytest.mark.parametrize("vector", vectors("knock_limit"))
def test_knock_limit(vector):
    row, upcard = ROWS[vector["variant"]], vector["input"]["upcard"]
    expect = vector["expect"]
    assert (twin.knock_limit(row, upcard), twin.multiplier(row, upcard)) == (
        expect["limit"],
        expect["multiplier"],
    )


@pytest.mark.parametrize("vector", vectors("shot_digits"))
def test_shot_digits(vector):
    ranks = twin.shot_ranks(vector["input"]["score"])
    assert [twin.RANKS.index(rank) + 1 for rank in ranks] == vector["expect"]["cards"]


# --- exact counts ----------


def masks(row, length):
    """The melds of so many cards, as masks."""
    place = {card: 1 << number for number, card in enumerate(twin.PACK)}
    return [
        sum(place[card] for card in meld) for meld in twin.all_melds(row) if len(meld) == length
    ]


def fully_melded(row, lengths):
    """The hands made of melds of these lengths, as masks.

    Every longer run falls into runs of three, four and five.
    """
    hands = {0}
    for length in lengths:
        hands = {hand | meld for hand in hands for meld in masks(row, length) if not hand & meld}
    return hands


@pytest.mark.parametrize("vector", vectors("exact_counts"))
def test_exact_counts(vector):
    assert len(twin.all_melds(row_of(vector["input"]))) == vector["expect"]["melds"]


@pytest.mark.slow
@pytest.mark.parametrize("vector", vectors("exact_counts"))
def test_exact_counts_of_hands(vector):
    row, expect = row_of(vector["input"]), vector["expect"]
    assert len(fully_melded(row, (3, 3, 4)) | fully_melded(row, (5, 5))) == expect["gin_hands_10"]
    assert (
        len(fully_melded(row, (4, 4, 3)) | fully_melded(row, (3, 3, 5))) == expect["gin_hands_11"]
    )


# --- matches ----------

SIDES = {
    "player": 0,
    "joker": 1,
    0: 0,
    1: 1,
    None: None,
}  # the joker is the other side (rules.md 7)


def result(winner, points=0, how="knock", stake=1):
    """A deal that brought the winner so many points."""
    side = SIDES[winner]
    return twin.Result(
        how, winner=side, points=[points if side == seat else 0 for seat in (0, 1)], stake=stake
    )


def match_of(variant, results, **more):
    """A match of the variant with these results, as far as it goes.

    A remark in the variant's name is ignored.
    """
    row = {**ROWS[variant.split(",")[0].split(" with")[0]], **more}
    match = twin.Match(row, first_dealer=0 if row["players"] == 2 else None)
    for one in results:
        if not match.over:
            match.enter(one)
    return match


def eventful(given):
    return [result(event["winner"], event["points"], event["how"]) for event in given["events"]]


@pytest.mark.parametrize("vector", vectors("match_points"))
def test_match_points(vector):
    given, expect = vector["input"], vector["expect"]
    match = match_of(vector["variant"], eventful(given), points_target=given["target"])
    scores = expect["scores"]
    assert match.points == (
        [scores["player"], scores["joker"]] if isinstance(scores, dict) else scores
    )
    assert (match.over, match.winner, match.deals) == (
        True,
        SIDES[expect["winner"]],
        expect["deals"],
    )


@pytest.mark.parametrize("vector", vectors("pro_games"))
def test_pro_games(vector):
    assert twin.game_value(ROWS["pro"], vector["input"]["loser_score"]) == vector["expect"]


@pytest.mark.parametrize("vector", vectors("pro_round"))
def test_pro_round(vector):
    given, expect = vector["input"], vector["expect"]
    deals = [
        deal
        for winner, loser in given["games"]
        for deal in (result(1 - winner, loser), result(winner, 121))
    ]
    match = match_of("pro", deals, games_target=given["goal"])
    assert (match.goal.games, match.winner, match.goal.played) == (
        expect["games"],
        expect["winner"],
        expect["played"],
    )


def counts(given):
    return {
        name: given[name] for name in ("deal_count_gin", "deal_count_undercut") if name in given
    }


@pytest.mark.parametrize("vector", vectors("race"))
def test_race(vector):
    given, expect = vector["input"], vector["expect"]
    points_seat = given["points_player"]
    match = match_of(
        vector["variant"], eventful(given), race_points_seat=points_seat, **counts(given)
    )
    assert (match.points[points_seat], match.goal.tally[1 - points_seat]) == (
        expect["points"],
        expect["deals_won"],
    )
    assert (match.winner, match.deals) == (expect["winner"], expect["deals"])


@pytest.mark.parametrize("vector", vectors("twofold"))
def test_twofold(vector):
    given, expect = vector["input"], vector["expect"]
    match = match_of(vector["variant"], eventful(given), **counts(given))
    assert (match.points, match.goal.tally) == (expect["points"], expect["deals_won"])
    assert (match.winner, match.deals) == (expect["winner"], expect["deals"])


@pytest.mark.parametrize("vector", vectors("hollywood"))
def test_hollywood(vector):
    given, expect = dict(vector["input"]), vector["expect"]
    wins = [
        result(side, points, "void" if side is None else "knock")
        for side, points in given.pop("wins")
    ]
    match = match_of(vector["variant"], wins, **given)
    goal = match.goal
    assert (goal.columns, goal.boxes, goal.closed_by) == (
        expect["columns"],
        expect["boxes"],
        expect["closed_by"],
    )
    assert (goal.settlements(), sum(goal.settlements())) == (expect["settlement"], expect["total"])
    assert match.deals == expect["deals"]
    by_columns = int(expect["closed_by"].count(1) > expect["closed_by"].count(0))
    assert match.winner == (int(expect["total"] < 0) if expect["total"] else by_columns)


@pytest.mark.parametrize("vector", vectors("total_match"))
def test_total_match(vector):
    given, expect = vector["input"], vector["expect"]
    scores = given["deal_scores"]
    deals = [twin.Result("gin" if score < 0 else "limit", points=[score, 0]) for score in scores]
    match = match_of("solitary-gin", deals, total_goal=given["goal"])
    assert (match.over, match.points[0], match.winner == 0) == (
        True,
        expect["total"],
        expect["won"],
    )


# --- the die ----------


@pytest.mark.parametrize("vector", vectors("die"))
def test_die(vector):
    given, expect = vector["input"], vector["expect"]
    row = {**ROWS["dice"], **given["options"]}
    die, refused = twin.Die(row), None
    for when, word, seat, number in given["events"]:
        if "illegal" in expect and [when, word, seat, number] == given["events"][-1]:
            with pytest.raises(ValueError):
                die.offer(seat, number, when == "play")
            return
        if word == "offer":
            die.offer(seat, number, when == "play")
        elif word == "accept":
            die.accept(seat)
        else:
            refused = die.refuse(seat)
    assert "illegal" not in expect and (refused is not None) == (expect["ended_by"] == "refusal")
    winner, stake = refused or (given["deal_winner"], die.stake)
    how = "refused" if refused else "knock"
    assert winner == expect["winner"]
    assert (
        0 if winner is None else twin.deals_counted(row, result(winner, 0, how, stake))
    ) == expect["won_deals"]
    if "stake" in expect:
        assert (die.stake, die.owner) == (expect["stake"], expect["owner"])


@pytest.mark.parametrize("vector", vectors("die_round"))
def test_die_round(vector):
    given, expect = vector["input"], vector["expect"]
    deals = [
        result(winner, 0, "void" if winner is None else "knock", stake)
        for winner, stake in given["deals"]
    ]
    match = match_of("dice", deals, deals_target=given["goal"])
    assert (match.goal.tally, match.winner, match.deals) == (
        expect["won_deals"],
        expect["winner"],
        expect["deals"],
    )


@pytest.mark.parametrize("vector", vectors("dice_pro"))
def test_dice_pro(vector):
    given, expect = vector["input"], vector["expect"]
    loser = result(1, given["loser_score"])
    last = (
        result(0, 0, "refused", given["stake"])
        if given["refused"]
        else result(0, 121, "knock", given["stake"])
    )
    match = match_of("dice-pro", [loser, last], games_target=99)
    assert match.goal.games == [expect["games"], 0]


# --- one player ----------


def solo_deal(given, row):
    """rules.md 5.1: the hand, then the deck as far as it is told, then the other cards."""
    hand, deck = given["hand"].split(), given["deck_top_first"].split()
    told = [*hand, *deck]
    place = {
        "none": None,
        "before_deal": (told + ["X"]).index("X"),
        "after_deal": (deck + ["X"]).index("X"),
    }
    told = [card for card in told if card != "X"]
    return twin.SoloDeal(
        row, told + [card for card in twin.PACK if card not in told], place[row["joker"]]
    )


def do_alone(deal, text):
    """A scripted action.

    A stop is the ending that the ten cards permit, and nothing once the deal has ended itself.
    """
    word, *card = text.split()
    if text == "stop":
        if deal.result is None:
            deal.act(
                next(
                    (action for action in deal.options() if action[0] == "end"),
                    ("end", None, "knock"),
                )
            )
    elif text == "big gin":
        deal.act(("end", None, "big_gin"))
    elif deal.result is None or deal.result.kind not in (
        "redeal",
        "joker",
    ):  # they come before the script's first draw
        deal.act({"draw": ("stock",)}.get(word, (word, *card)))


@pytest.mark.parametrize("vector", vectors("solo_script"))
def test_solo_script(vector):
    given, expect = vector["input"], vector["expect"]
    deal = solo_deal(given, {**ROWS[vector["variant"].split(" (")[0]], **given["overrides"]})
    for text in given["actions"][:-1]:
        do_alone(deal, text)
    if "illegal" in expect:
        with pytest.raises(ValueError):
            do_alone(deal, given["actions"][-1])
        return
    do_alone(deal, given["actions"][-1])
    end = deal.result
    assert end.kind == expect["how"]
    if end.kind != "redeal":
        points = [expect["score"], 0] if "score" in expect else [expect["player"], expect["joker"]]
        assert (end.points, end.draws) == (points, [expect["draws"], 0])


# --- scripted deals ----------

SEATS = {"N": NONDEALER, "D": DEALER}


def scripted_deal(given, row):
    """The deal of a play_script vector: rules.md 2 deals singly, nondealer first."""
    pairs = zip(given["nondealer"].split(), given["dealer"].split(), strict=True)
    pack = [card for pair in pairs for card in pair]
    return twin.Deal(
        row, [*pack, given["upcard"], *given["stock_top_first"].split()], dealer=DEALER
    )


def do(deal, text):
    """One scripted action; `stop c` is whatever ending the discard c permits."""
    seat, word, *card = text.split()
    assert deal.to_move == SEATS[seat]
    if word == "stop":
        ends = [
            action
            for action in deal.options()
            if action[:2] == ("end", card[0]) and action[2] != "shot"
        ]
        deal.act(ends[0] if ends else ("end", card[0], "knock"))
    else:
        deal.act((word, *card))


@pytest.mark.parametrize("vector", vectors("play_script"))
def test_play_script(vector):
    given, expect = vector["input"], vector["expect"]
    deal = scripted_deal(given, {**STANDARD, **given["overrides"]})
    for text in given["actions"]:
        if text == expect.get("illegal") and text == given["actions"][-1]:
            with pytest.raises(ValueError):
                do(deal, text)
            return
        do(deal, text)
    result = deal.result
    assert "illegal" not in expect and result is not None
    assert (result.kind, result.stock_left) == (expect["how"], expect["stock"])
    if "stopper" in expect:
        assert result.stopper == SEATS[expect["stopper"]]
        assert (result.stopper_count, result.other_count) == (expect["own"], expect["other"])
        assert result.points == [expect["points"]["N"], expect["points"]["D"]]


# --- legal options ----------

SCRIPTS = {vector["id"]: vector for vector in BOOK["vectors"] if vector["kind"] == "play_script"}


def words(deal):
    return {action[0] for action in deal.options()}


def opening(first_turn, passes):
    deal = scripted_deal(SCRIPTS["T03"]["input"], {**STANDARD, "first_turn": first_turn})
    for _ in range(passes):
        deal.act(("pass",))
    return deal


# The others are set up one by one below: OP8 (discard_first, also alone) and OP9 to OP14 (the end
# of the stock).
OPENINGS = [f"OP{number}" for number in (1, 2, 3, 4, 5, 6, 7, 15, 16)]


@pytest.mark.parametrize("vector", [one for one in vectors("options") if one.id in OPENINGS])
def test_opening_options(vector):
    state = vector["input"]["state"]
    deal = opening(state["first_turn"], state["passes"])
    assert deal.to_move == {"nondealer": NONDEALER, "dealer": DEALER}[state["to_move"]]
    assert words(deal) == set(vector["expect"]["options"])


def near_the_end(script, stock_end, cards_left):
    """The scripted deal with every drawn card discarded, until the stock holds `cards_left`."""
    deal = scripted_deal(SCRIPTS[script]["input"], {**STANDARD, "stock_end": stock_end})
    deal.act(("pass",))
    deal.act(("pass",))
    while deal.to_move is not None and len(deal.stock) > cards_left:
        deal.act(("stock",))
        if deal.to_move is not None:
            deal.act(("throw", deal.hands[deal.to_move][-1]))
    return deal


def test_options_at_the_end_of_the_stock():
    deal = near_the_end(
        "T12", "after_discard", 3
    )  # OP9: the drawer of the fiftieth card may still end the deal
    deal.act(("stock",))
    assert len(deal.stock) == 2 and words(deal) == {"throw", "end"}
    deal.act(("throw", deal.hands[deal.to_move][-1]))
    assert deal.result.kind == "void"  # OP10
    deal = near_the_end("T12", "at_draw", 3)  # OP11
    deal.act(("stock",))
    assert (deal.result.kind, deal.options(), deal.to_move) == ("void", set(), None)


def test_options_of_the_fiftieth_card_rule():
    deal = near_the_end("T09", "opponent_may_take", 2)  # OP12
    assert deal.to_move == DEALER and deal.options() == {("take",), ("pass",)}
    deal.act(("take",))
    assert words(deal) == {"end"}
    deal = near_the_end("T12", "opponent_may_take", 2)  # OP13: the opponent cannot end the deal
    assert deal.to_move == DEALER and deal.options() == {("pass",)}


def test_options_after_a_taking_with_three_left():
    deal = near_the_end("T12", "after_discard", 3)  # OP14: a taking does not shrink the stock
    deal.act(("take",))
    deal.act(
        (
            "throw",
            next(card for card in deal.hands[deal.to_move] if ("throw", card) in deal.options()),
        )
    )
    assert len(deal.stock) == 3 and deal.options() == {("take",), ("stock",)}


def test_options_of_discard_first():
    row = {**STANDARD, "first_turn": "discard_first", "big_gin": True}  # OP8, with two players
    big = cards("3S 4S 5S 6S 8H 8D 8C 8S JD QD KD")
    others = [card for card in twin.PACK if card not in big]
    pack = (
        [card for pair in zip(big[:10], others[:10], strict=True) for card in pair]
        + [big[10]]
        + others[10:]
    )
    deal = twin.Deal(row, pack, dealer=DEALER)
    assert deal.to_move == NONDEALER and len(deal.stock) == 31 and deal.upcard is None
    assert {("throw", card) for card in big} <= deal.options()
    assert ("end", None, "big_gin") in deal.options() and ("end", "3S", "gin") in deal.options()
    deal.act(("end", None, "big_gin"))
    assert (deal.result.kind, deal.result.winner, deal.result.turns) == ("big_gin", NONDEALER, 1)
    alone = twin.SoloDeal(ROWS["gin-solitaire"], [*big, *others], joker_place=3)
    assert alone.options() == {("end", None, "big_gin"), *(("throw", card) for card in big)}
    alone.act(("throw", "3S"))
    assert alone.options() == {("end", None, "gin"), ("stock",)}
    alone = twin.SoloDeal(ROWS["gin-solitaire"], [*others, *big], joker_place=3)
    assert words(alone) == {"throw"}


# --- endings that random play seldom meets ----------


def test_all_kinds_of_vectors_are_here():
    here = {name.removeprefix("test_") for name in globals()}
    kinds = {vector["kind"] for vector in BOOK["vectors"]}
    assert kinds - here == {"options"} and {"opening_options", "options_of_discard_first"} <= here


def test_a_discard_that_permits_knock_and_shot():
    hands = (
        "AS 2S 3S 4S JH JD JC JS 5C 5D",
        "5S 6S QS QH KC 9D 9H 2C 7D 3H",
    )  # K21, with a defender
    for how, points in (("knock", 71 - 11 - 10), ("shot", 71 + 25)):
        deal = planted(*hands, "KH", points=(55, 38), shot=True)
        assert {("end", "KH", "knock"), ("end", "KH", "shot")} <= deal.options()
        deal.act(("end", "KH", how))
        result = deal.result
        assert (result.kind, result.stopper_count, result.points) == (how, 10, [points, 0])
        assert result.other_before == 71  # 5S and 6S are laid off after the knock only
        assert result.other_count == (60 if how == "knock" else 71)
    assert not {("end", "KH", "shot")} & planted(*hands, "KH", points=(38, 55), shot=True).options()


def test_a_cancelled_gin_keeps_its_kind():
    hands = ("4S 5S 6S 9H 9D 9C QS QH QD QC", "AD 2D 3D 4D 5D 6D 7S 8S 3S 2S")
    deal = planted(*hands, "KH", layoff_on_gin=True)
    deal.act(("end", "KH", "gin"))
    assert (deal.result.kind, deal.result.winner, deal.result.points) == ("gin", None, [0, 0])
    assert (deal.result.other_before, deal.result.other_count) == (20, 0)


def test_equal_counts_without_the_tie_rule():
    hands = ("4S 5S 6S 9H 9D 9C QS QH QD 7C", "2S 3S 7S 8S 9S TH TD TC 4H 3D")  # S03
    deal = planted(*hands, "KH", undercut_on_tie=False)
    deal.act(("end", "KH", "knock"))
    assert (deal.result.kind, deal.result.winner, deal.result.points) == ("even", None, [0, 0])


# --- properties ----------

OPTIONS = {
    "plain": {},
    "basic": ROWS["basic"],
    "50th": ROWS["standard-50th"],
    "straight": ROWS["straight"],
    "oklahoma": ROWS["oklahoma"],
    "shot": {"shot": True, "shot_deducts": True},
    "rush": {"rush_premium": True, "rush_on_gin": False},
    "rainbow": {"rainbow": True, "big_gin": True},
    "tedesco": ROWS["tedesco"],
    "corner": {
        "ace_runs": "corner",
        "ace_value": 15,
        "defender_ace_value": 15,
        "layoff_on_gin": True,
    },
    "high_or_low": {"ace_runs": "high_or_low", "pip_values": "five_ten", "undercut_on_tie": False},
    "free": {"first_turn": "free", "take_discard": False, "layoff": False},
    "dead": {
        "first_turn": "upcard_stock_or_pass_dead",
        "discard_ban": "none",
        "stock_end": "at_draw",
    },
    "discard_first": {"first_turn": "discard_first", "big_gin": True, "stock_reserve": 0},
    "limit 40": {"knock_limit": 40, "layoff_on_gin": True, "max_turns": 12},
    "everything": {
        "rainbow": True,
        "shot": True,
        "big_gin": True,
        "take_to_knock": "melded",
        "ace_runs": "corner",
        "stock_end": "opponent_may_take",
        "rush_premium": True,
        "spade_multiplier": 2,
        "knock_limit": 30,
    },
}


@pytest.mark.parametrize("name", OPTIONS)
def test_random_deals(name):
    rng = random.Random(name)
    row = {**STANDARD, **OPTIONS[name]}
    kinds = set()
    for number in range(25):
        deal = twin.Deal(
            row, rng.sample(twin.PACK, 52), dealer=number % 2, points=(rng.randrange(100), 38)
        )
        while deal.to_move is not None:
            check_cards(deal)
            with pytest.raises(ValueError):
                deal.act(("throw", "no card"))
            deal.act(choose(deal, rng))
        check_cards(deal)
        check_result(deal)
        kinds.add(deal.result.kind)
        with pytest.raises(ValueError):
            deal.act(("stock",))
    assert kinds <= {"knock", "gin", "big_gin", "shot", "undercut", "even", "void", "stalled"}


def test_more_melds_never_raise_the_deadwood():
    rng = random.Random(3)
    for _ in range(2000):
        hand = rng.sample(twin.PACK, 10)
        low, both, corner = (
            twin.deadwood(hand, {**STANDARD, "ace_runs": runs})
            for runs in ("low", "high_or_low", "corner")
        )
        rainbow = twin.deadwood(hand, {**STANDARD, "rainbow": True})
        assert low >= both >= corner and low >= rainbow
        assert low == twin.deadwood(sorted(hand), STANDARD)
        assert low == twin.deadwood(
            [card[0] + "DCHS"["SHDC".index(card[1])] for card in hand], STANDARD
        )


def test_the_two_ways_to_the_least_deadwood_agree():
    rng = random.Random(4)
    for _ in range(1500):
        suits = rng.choice(("SHDC", "SH", "SHD"))
        hand = rng.sample([card for card in twin.PACK if card[1] in suits], 10)
        row = {
            **STANDARD,
            "ace_runs": rng.choice(("low", "high_or_low", "corner")),
            "rainbow": rng.random() < 0.5,
        }
        values, least = twin.card_values(row), twin.deadwood(hand, row)
        for melding in twin.optimal_meldings(hand, row):
            melded = {card for meld in melding for card in meld}
            assert len(melded) == sum(map(len, melding))
            assert sum(values[card] for card in hand if card not in melded) == least
        assert twin.shown(hand, None, row) in twin.optimal_meldings(hand, row)


def test_lay_offs_never_do_harm_and_the_joint_choice_is_best():
    rng = random.Random(5)
    for _ in range(400):
        pack = rng.sample(twin.PACK, 52)
        row = {**STANDARD, "ace_runs": rng.choice(("low", "high_or_low", "corner"))}
        melds = rng.choice(twin.optimal_meldings(pack[:16], row))
        hand = pack[16:26]
        way = twin.defender_count(melds, hand, row)
        assert way.count <= twin.deadwood(hand, row, "defender")
        for meld, extra in zip(melds, way.laid_off, strict=True):
            assert not extra or frozenset([*meld, *extra]) in twin.all_melds(row)


def least_by_assigning(melds, hand, row):
    """The joint minimum of rules.md 3.7, card by card: each is kept or goes to a meld shown."""
    whole, least = twin.all_melds({**row, "rainbow": False}), None
    for places in product(range(len(melds) + 1), repeat=len(hand)):
        grown = [
            {*meld, *(c for c, p in zip(hand, places, strict=True) if p == n)}
            for n, meld in enumerate(melds, 1)
        ]
        if all(len(new) == len(old) or new in whole for new, old in zip(grown, melds, strict=True)):
            kept = [card for card, place in zip(hand, places, strict=True) if place == 0]
            count = twin.deadwood(kept, row, "defender")
            least = count if least is None else min(least, count)
    return least


def test_the_joint_choice_card_by_card():
    rng = random.Random(7)
    for _ in range(60):
        # Few suits and ranks, so that melds, chains and lay-offs are frequent.
        pack = rng.sample([card for card in twin.PACK if card[1] in "SH" or card[0] in "678"], 17)
        row = {
            **STANDARD,
            "ace_runs": rng.choice(("low", "high_or_low", "corner")),
            "defender_ace_value": 15,
        }
        melds = twin.optimal_meldings(pack[:11], row)[0][:3]
        assert twin.defender_count(melds, pack[11:], row).count == least_by_assigning(
            melds, pack[11:], row
        )


def test_eaai_showdown():
    rng = random.Random(6)
    knocker = cards("5S 6S 7S KH KD KC 2D 3D 4D 9H")
    # First fit in a chain: 8S, then 9S.
    own, other, laid = twin.eaai_showdown(knocker, cards("8S 9S 8H QC QD 2H 4C JC JH 6D"), rng)
    assert (own, laid, other) == (9, ["8S", "9S"], 8 + 20 + 2 + 4 + 20 + 6)
    # The hand of L03: the defender keeps his four 8s, so the joint choice (32) is out of reach.
    assert twin.eaai_showdown(knocker, cards("8S 8H 8D 8C 9S 2H 4C QD JC 6D"), rng) == (9, 41, [])
    own, other, laid = twin.eaai_showdown(
        cards("4S 5S 6S 9H 9D 9C QS QH QD QC"), cards("2S 3S 7S 8S 9S TH TD TC 4H 3D"), rng
    )
    assert (own, other, laid) == (0, 12, [])  # no lay-offs on a stopper without deadwood
    # 3x3 grid: rows and columns are equally likely, one takes the 7S and one does not.
    grid, hand = cards("4S 5S 6S 4H 5H 6H 4D 5D 6D KC"), cards("7S 9C QH KD 2C AH JS TD 8C 3C")
    laid_off = [len(twin.eaai_showdown(grid, hand, rng)[2]) for _ in range(400)]
    assert set(laid_off) == {0, 1} and 140 < sum(laid_off) < 260
