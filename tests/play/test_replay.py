"""Tests that `simgin show` prints every turn and decision, and agrees with the kernel."""

import re

import numpy as np
import pytest

from oracles import reference
from simgin.core import batch_columns
from simgin.play import kernel, replay, replay_json
from simgin.play.game_table import GameTable
from simgin.play.matchup import parse_matchup
from simgin.play.played_game import make_matchup_with_person
from simgin.play.table_text import list_choices
from simgin.rules import variants
from simgin.text import notation
from support.command_line import run_simgin

TWO_PLAYER_VARIANTS = (
    *("standard", "basic", "tedesco", "rainbow+rush", "standard-50th+knock_limit=0"),
    "standard+take_discard=no+first_turn=free+stock_end=at_draw+knock_limit=0",
    "standard+first_turn=discard_first+big_gin=yes",
)
SOLO_VARIANTS = [name for name in variants.variant_names() if variants.find_variant(name).is_solo]
UNUSUAL_VARIANTS = [
    "solitaire-gin-knock+joker_in_hand=lose",
    "gin-solitaire+knock_limit=60+count_joker=yes",
    "solitaire-gin-knock+max_turns=3",
]
ENDING_PATTERN = r"  (can (knock|go gin|declare|shoot)|knocks|goes gin|declares|shoots)"
TWO_PLAYERS, SOLO_PLAYER = ("gold", "simple"), ("gold+knock=at:k=4", None)
RANDOM_OFFER_PLAYERS = ("gold+stake=random", "simple+stake=random")


def make_replay_from_names(players, variant, unit, half=0, deal=None):
    return replay.make_replay(replay.trace_numbered_deal(*players, variant, 1, unit, half, deal))


@pytest.mark.parametrize("variant", [*TWO_PLAYER_VARIANTS, *SOLO_VARIANTS, *UNUSUAL_VARIANTS])
def test_replays_agree_with_the_sums_of_the_kernel(variant):
    """Compare the totals of replayed deals with the sums that the compiled kernel records."""
    is_solo = variants.find_variant(variant).is_solo
    players, units, halves = (SOLO_PLAYER, 40, (0,)) if is_solo else (TWO_PLAYERS, 3, (0, 1))
    sums = kernel.play_batches(parse_matchup(*players, variant, 1, "deal"), 0, units).sum(axis=0)
    facts = {
        name: int(sums[batch_columns.SUMS_START + i])
        for name, i in batch_columns.STATISTIC_INDEX.items()
    }
    addresses = [(unit, half) for unit in range(units) for half in halves]
    results = [
        replay_json.replay_to_json(make_replay_from_names(players, variant, *address))[-1]
        for address in addresses
    ]
    assert facts["turns"] == sum(result["turns"] for result in results)
    for kind in batch_columns.DEAL_RESULTS:
        assert facts[kind] == sum(result["kind"] == kind for result in results)
    scores = [result["score"][half] for (_, half), result in zip(addresses, results, strict=True)]
    opponent_scores = [
        result["score"][1 - half] for (_, half), result in zip(addresses, results, strict=True)
    ]
    assert facts["a_margin"] == sum(scores) - sum(opponent_scores)
    if not is_solo:
        knocks = [result for result in results if result["kind"] in ("knock", "undercut", "even")]
        assert facts["defender_count"] == sum(result["defender_count"] for result in knocks)
        assert facts["laid_off"] == sum(len(result["laid_off"].split()) for result in knocks)


def find_cards_in_lines(lines, *prefixes):
    """Return the card of each line that starts with one of the prefixes."""
    return [line.split()[1].rstrip(",") for line in lines if line.startswith(prefixes)]


@pytest.mark.parametrize("variant", [*TWO_PLAYER_VARIANTS, *SOLO_VARIANTS, *UNUSUAL_VARIANTS])
def test_replay_text_has_every_turn_and_decision(variant):
    is_solo = variants.find_variant(variant).is_solo
    for unit in range(8 if is_solo else 2):
        shown_replay = (
            make_replay_from_names(SOLO_PLAYER, variant, unit)
            if is_solo
            else make_replay_from_names(TWO_PLAYERS, variant, 3, unit)
        )
        lines = list(shown_replay.iter_lines())
        assert all(len(line) <= 80 for line in lines)
        text = "\n".join(lines)
        turns = [int(digits) for digits in re.findall(r"^Turn (\d+)\b", text, re.M)]
        dealers = re.findall(r"\(seat (\d)\),\sdealer", text)
        assert is_solo or dealers == [str(shown_replay.state.dealer)]
        has_undecided_turn = (
            not is_solo and shown_replay.traced.ending == "void" and shown_replay.state.drawn >= 0
        )
        assert turns == list(range(1, shown_replay.state.turns + has_undecided_turn + 1))
        history = shown_replay.traced.turns
        stocks = [int(digits) for digits in re.findall(r"(\d+)\scards\sin\sthe\sstock", text)]
        stock_sizes = [31 - sum(turn[1] == 0 for turn in history[:i]) for i in range(len(stocks))]
        assert is_solo or (stocks == stock_sizes and len(stock_sizes) >= len(history) - 1)
        discards = find_cards_in_lines(lines, "  discards")
        discarded = [notation.format_card(card) for *_, card in history if card >= 0]
        assert discarded[: len(discards)] == discards and len(discarded) - len(discards) <= 1
        drawn = [notation.format_card(card) for _, source, card, _ in history if source < 2]
        assert find_cards_in_lines(lines, "  draws", "  takes")[: len(drawn)] == drawn
        knock_decisions = [
            decision for decision in shown_replay.traced.decisions if decision.slot == "knock"
        ]
        assert len([line for line in lines if re.match(ENDING_PATTERN, line)]) == len(
            knock_decisions
        )
        if is_solo:  # the position of the joker is shown at the end
            end = r"^(Knock|Gin|Big gin|Undercut|Even|Joker|Limit|Stalled)\b(?!.*deck of)"
            assert shown_replay.summary.startswith(lines[1])
            result_line = max(i for i, line in enumerate(lines) if re.match(end, line))
            assert not any("joker" in line for line in lines[6:result_line])
            joker_line = re.search(
                "(is|are) above the joker|Joker: ", "\n".join(lines[result_line:])
            )
            assert joker_line or variant == "solitary-gin"


@pytest.mark.parametrize(
    ("players", "variant", "target"),
    [(TWO_PLAYERS, "standard", 100), (SOLO_PLAYER, "gin-solitaire", 100)],
)
def test_deals_of_a_match_are_shown_with_its_score(players, variant, target):
    score = np.zeros(2, int)
    deal_index = 0
    while max(score) < target:
        first, *_, last = replay_json.replay_to_json(
            make_replay_from_names(players, variant, 2, 0, deal_index)
        )
        assert (first["points"], first["deal"], first["in_match"]) == (
            score.tolist(),
            deal_index,
            True,
        )
        score += last["score"]
        assert last["match"]["points"] == score.tolist()
        deal_index += 1
    assert last["match"]["over"] and last["match"]["winner"] == int(score.argmax())
    arguments = [*[player for player in players if player], "-v", variant, "--unit", 2, "--deal"]
    winner = (players[0], players[1] or "joker")[score.argmax()]
    assert f"{winner} wins the match" in run_simgin("show", *arguments, deal_index - 1).stdout
    result_after_end = run_simgin("show", *arguments, deal_index, exit_code=2)
    assert (
        f"the match ended with deal {deal_index - 1}, so it has no deal {deal_index}."
        in result_after_end.stderr
    )


def test_show_command_can_be_repeated():
    result = run_simgin("show", "gold", "simple", "--seed", 5, "--unit", 3, "--half", 1)
    lines = result.stdout.splitlines()
    assert lines[0] == "standard: seed 5, unit 3, half 1"
    assert lines[-1] == "Command: simgin show gold simple -v standard --seed 5 --unit 3 --half 1"
    assert run_simgin("show", *lines[-1].split()[3:]).stdout == result.stdout
    assert re.search(r"^Knock limit 10, upcard [A2-9TJQK][SHDC]$", result.stdout, re.M)
    solo_lines = run_simgin("show", "gold", "-v", "solitaire-gin", "--unit", 3).stdout.splitlines()
    assert solo_lines[:4] == [
        "solitaire-gin: seed 1, unit 3",
        "Joker. Points: gold 0, joker 1",
        "",
        "Gin only, deck of 43 cards including the joker",
    ]
    assert solo_lines[-1] == "Command: simgin show gold -v solitaire-gin --seed 1 --unit 3"
    self_play = run_simgin("show", "simple", "simple").stdout
    assert "simple (A) (seat 0)" in self_play and "simple (B) (seat 1)" in self_play


INVALID_POLICIES_CODE = """
from simgin.strategy import Strategy, discard, offer
from simgin.toolkit import best_discard

@discard
def bad(view, rules, params):
    return -1 if view.turns > 3 else best_discard(view.hand, view.legal, rules)

@offer
def bad_offer(view, rules, params):
    return 1

STRATEGY = Strategy("bad", discard=bad, offer=bad_offer)
"""


@pytest.mark.parametrize(
    ("arguments", "message", "last_line"),
    [
        (["simple"], "discard policy 'bad' discarded -1", "returns no legal action"),
        (["-v", "solitaire-gin", "--unit", 3], "'bad' discarded -1", "returns no legal action"),
        (
            ["simple", "-v", "dice", "--unit", 1],
            "'bad-offer' returned 1, but only 0 or 2 or 3 or 4 or 5 or 6 is legal",
            "can offer more than 1, but returns no legal action",
        ),
    ],
)
def test_replay_stops_at_an_illegal_action(arguments, message, last_line, tmp_path):
    path = tmp_path / "bad.py"
    path.write_text(INVALID_POLICIES_CODE)
    result = run_simgin("show", path, *arguments, exit_code=2)
    lines_before, lines_after = result.stdout.split("The deal stops here")
    assert lines_before.rstrip().endswith(last_line)
    assert message in " ".join(lines_after.split()) and message in result.stderr
    assert result.stderr.startswith(f"simgin: error: {path}: the ")
    assert ("half" in result.stderr) == ("solitaire-gin" not in arguments)
    if arguments == ["simple"]:
        first_half = run_simgin("show", path, "simple", "--half", 1, exit_code=2)
        assert first_half.stdout == ""
        assert "the match stopped before this deal" in first_half.stderr


def format_die_decision(row):
    """Return a decision about the die in the wording of the replay."""
    if row["slot"] == "offer":
        return f"offers {row['answer']}" if row["answer"] else f"leaves the die at {row['stake']}"
    if row["answer"]:
        return f"accepts {row['stake_offered']} and owns the die"
    return f"refuses {row['stake_offered']}"


@pytest.mark.parametrize(
    "variant", ["dice", "dice-pro", "dice+first_turn=discard_first+die_centre_in_play=yes"]
)
def test_replay_shows_every_offer_and_its_answer(variant):
    case_kinds = set()
    for unit in range(30):
        shown_replay = make_replay_from_names(RANDOM_OFFER_PLAYERS, variant, unit, unit % 2)
        lines, (first, *decisions, last) = (
            list(shown_replay.iter_lines()),
            replay_json.replay_to_json(shown_replay),
        )
        assert all(len(line) <= 80 for line in lines)
        pattern = r"\) (offers|leaves the die|accepts|refuses) "
        die_lines = [line.split(") ", 1)[1] for line in lines if re.search(pattern, line)]
        die_rows = [row for row in decisions if row["slot"] in ("offer", "answer")]
        assert die_lines == [format_die_decision(row) for row in die_rows]
        answers = [row for row in die_rows if row["slot"] == "answer"]
        accepted = [row["stake_offered"] for row in answers if row["answer"]]
        assert last["stake"] == max([1, *accepted])
        is_refused = last["kind"] == "refused"
        is_blind = is_refused and not first["hands"] and len(die_rows) == len(decisions)
        if is_blind:
            assert not re.search("dealt|holds|Knock limit", "\n".join(lines))
        if variant == "dice":
            assert "Before the players see their cards, the die shows 1" in lines[4:6]
        if is_refused:
            assert last["paid_for_refusal"] == last["stake"] and last["score"] == [0, 0]
            assert "Refused" in lines
        case_kinds.add((is_refused, is_blind))
    assert case_kinds == {(False, False), (True, False), (True, True)}


@pytest.mark.parametrize(
    ("variant", "score_pattern"),
    [
        ("hollywood", r"columns \d+, \d+, \d+"),
        ("pro", r"\d of 7 games, score \d+"),
        ("twofold", r"score \d+ of 121, \d of 7 won deals"),
        ("race", r"score \d+ of 121|\d of 7 won deals"),
        ("dice", r"\d of 7 won deals"),
        ("standard", r"score \d+"),
    ],
)
def test_match_score_is_shown_before_and_after_a_deal(variant, score_pattern):
    first_replay, second_replay = (
        make_replay_from_names(TWO_PLAYERS, variant, 0, 0, deal) for deal in (2, 3)
    )
    line = " ".join("\n".join(first_replay.iter_lines()).split("Match: ")[1].split())
    score_by_name = dict(part.split(", ", 1) for part in line.split("; "))
    for name in first_replay.names:
        assert re.fullmatch(score_pattern, score_by_name[name])
        assert any(
            score_line.startswith(name) and score_line.endswith(score_by_name[name])
            for score_line in second_replay.iter_lines()
        )


def make_replay_of_person(opponent, variant, seed, keys="akgbh", is_match=True):
    """Return the replay of the last deal of a game in which a person prefers certain keys."""
    matchup = make_matchup_with_person(
        opponent, variants.find_variant(variant), seed, "match" if is_match else "deal"
    )
    table = GameTable(matchup, (0,))
    while True:
        while not table.is_deal_over:
            choices = list_choices(table.decision, table.rules)
            key = next((key for key in keys if key in choices), min(choices))
            for action in choices[key][0]:
                table.act(action)
        deal = table.get_traced_deal()
        table.close_deal()
        if table.is_over:
            return replay.make_replay(deal)


@pytest.mark.parametrize(("opponent", "variant"), [("simple", "standard"), ("", "gin-solitaire")])
def test_replay_addresses_a_person_in_the_second_person(opponent, variant):
    text = ""
    for seed in range(8):
        lines = list(make_replay_of_person(opponent, variant, seed).iter_lines())
        text += "\n".join(lines[len(lines) - lines[::-1].index("") :]) + "\n"
    assert not re.search(r"you \w+s |\(seat|Match:|^joker wins", text, re.I | re.M)
    assert re.search("^  you (show|have|hold) ", text, re.M)
    assert re.search(f"^you: .*; {opponent or 'joker'}: ", text, re.M)
    assert re.search(f"^({opponent or 'The joker'} wins|you win) the match$", text, re.M)


def test_declined_offer_is_described_in_sentences_for_a_person():
    def list_refusals(opponent, variant, keys):
        for seed in range(20):
            shown_replay = make_replay_of_person(opponent, variant, seed, keys, False)
            if shown_replay.traced.ending == "refused":
                lines = list(shown_replay.iter_lines())
                yield lines[len(lines) - lines[::-1].index("") :]

    offer = next(list_refusals("simple", "dice", "4"))
    assert offer == ["simple declined your offer. You win 1 deal."]
    refusal = next(list_refusals("gold+stake=random", "dice+die_refusal_pays=new", "rnkg"))
    pattern = r"You declined (gold\S+)'s offer\.\s+\1 wins [2-6] deals\."
    assert re.fullmatch(pattern, " ".join(refusal))


@pytest.mark.parametrize(
    ("variant", "score"),
    [
        ("dice", "8 won deals (7 needed)"),
        ("dice-pro", "8 games (7 needed), score 121"),
        ("twofold", "score 121 of 121, 8 won deals (7 needed)"),
        ("dice+deals_target=8", "8 of 8 won deals"),
    ],
)
def test_exceeded_target_is_shown_in_parentheses(variant, score):
    state = make_replay_from_names(TWO_PLAYERS, variant, 0, 0, 0).state
    state.points[0], state.deals_won[0], state.games[0] = 121, 8, 8
    assert replay.format_score(state, variants.find_variant(variant).params, 0) == score


def list_expected_point_terms(params, result, upcard):
    """Return the terms of the winner's points (rules.md 6), and their factor."""
    ending, own, other = result["kind"], result["stopper_count"], result["defender_count"]
    factor = params["spade_multiplier"] if (upcard or "-").endswith("S") else 1
    if result["winner"] is None or own is None:
        return [], factor
    if ending == "undercut":
        return [own - other, params["undercut_bonus"]], factor
    deduction = own if ending == "knock" or (ending == "shot" and params["shot_deducts"]) else 0
    bonuses = {"gin": "gin_bonus", "shot": "gin_bonus", "big_gin": "big_gin_bonus"}
    bonus = params[bonuses[ending]] if ending in bonuses else 0
    has_premium = params["rush_premium"] and (ending == "knock" or params["rush_on_gin"])
    return [other - deduction, bonus, result["stock"] if has_premium else 0], factor


POINT_VARIANTS = [
    *(name for name in variants.variant_names() if not variants.find_variant(name).is_solo),
    "rush+rush_on_gin=no+big_gin=yes+spade_multiplier=2",
    "shot+shot_deducts=yes+gin_bonus=0+rush_premium=yes+start_points=99/87",
    "standard+layoff_on_gin=yes+undercut_on_tie=knocker+undercut_bonus=0",
]


@pytest.mark.parametrize("variant", POINT_VARIANTS)
def test_shown_terms_add_up_to_the_points(variant):
    params, n_terms = variants.find_variant(variant).params, set()
    for unit in range(10):
        players = ("gold+knock=never", "simple") if unit % 2 else TWO_PLAYERS
        shown_replay = make_replay_from_names(players, variant, unit, 0, 0)
        first, *_, result = replay_json.replay_to_json(shown_replay)
        expected, factor = list_expected_point_terms(params, result, first["upcard"])
        assert sum(expected) * factor == sum(result["score"])
        base, *others = expected or [0]
        terms = [base, *(term for term in others if term)]
        n_terms.add(len(terms))
        text = shown_replay.format_points().partition("(")[2]
        shown_numbers = [int(number.replace(" ", "")) for number in re.findall(r"-? ?\d+", text)]
        is_shown = expected and (len(terms) > 1 or factor > 1)
        assert shown_numbers == (terms if is_shown else [])
        assert ("doubled" in text) == (factor > 1 and bool(expected))
    assert {1, 2} & n_terms


def test_points_of_a_rush_deal_include_the_premium():
    replays = [make_replay_from_names(TWO_PLAYERS, "rush", unit) for unit in range(10)]
    deal = next(one for one in replays if one.traced.ending == "knock")
    lead = int(deal.state.defender_deadwood - deal.state.knocker_deadwood)
    premium = f"({lead} + {deal.state.stock} for the cards left in the stock)"
    assert " ".join("\n".join(deal.iter_lines()).split()).count(premium) == 2


@pytest.mark.parametrize(
    ("variant", "terms"),
    [
        ("tournament", "70 for the lead + 100 for the game + 75 for won deals"),
        ("tournament+shutout=double_all", "70 for the lead + 100 for the game + 75 for won deals"),
        ("standard+box_bonus=10", "70 for the lead + 30 for won deals"),
    ],
)
@pytest.mark.parametrize("is_shut_out", [False, True])
def test_settlement_of_a_match_is_shown_with_its_terms(variant, terms, is_shut_out):
    shown_replay = make_replay_of_person("simple", variant, 0)
    state, winner = shown_replay.state, int(shown_replay.state.winner)
    state.score[winner], state.score[1 - winner] = 0, 0
    state.points[winner], state.points[1 - winner] = 110, 40
    state.deals_won[winner], state.deals_won[1 - winner] = (2, 0) if is_shut_out else (4, 2)
    lines = " ".join(shown_replay.iter_match_lines())
    params = shown_replay.params
    bonus = {"double_points": 110, "double_all": 245}.get(params["shutout"], 0) * is_shut_out
    suffix = f" + {bonus} for the shut-out" if bonus else ""
    total = sum(map(int, re.findall(r"\d+", terms))) + bonus
    subject = "you receive" if winner == 0 else "simple receives"
    assert f"Settlement: {subject} {total} points ({terms}{suffix})" in " ".join(lines.split())


def test_match_of_a_single_deal_has_no_score():
    lines = list(
        make_replay_from_names(("solo-greedy", None), "solitaire-gin", 0, deal=0).iter_lines()
    )
    assert lines[-2:] == ["Points: solo-greedy 0, joker 1", "The joker wins the match"]
    assert "solo-greedy" in lines and "score" not in " ".join(lines)


def test_match_without_bonuses_has_no_settlement():
    assert "Settlement" not in "\n".join(
        make_replay_of_person("simple", "standard", 1).iter_lines()
    )


def test_replay_shows_the_chosen_melding():
    melding_lines = []
    for unit in range(20):
        shown_replay = make_replay_from_names(
            ("gold+show=random", "simple"), "standard+melding=choice", unit, unit % 2
        )
        melding_lines += [line for line in shown_replay.iter_lines() if "shows melding" in line]
    assert melding_lines and all(
        re.match(r"  shows melding \d+ of 0\.\.\d+: ", line) for line in melding_lines
    )


def test_replay_reports_the_final_hand_and_the_joker():
    """Expect a final hand of ten cards, or of eleven after big gin."""
    params, case_kinds = variants.find_variant("gin-solitaire").params, set()
    for unit in range(60):
        shown_replay = make_replay_from_names(("solo-greedy", None), "gin-solitaire", unit)
        dealt, *_, result = replay_json.replay_to_json(shown_replay)
        joker_index = shown_replay.state.joker - 11
        assert result["above_joker"] == joker_index - shown_replay.state.draws[0] >= 0
        assert (result["kind"] == "joker") <= (result["above_joker"] == 0) and dealt["deck"] == 42
        if result["kind"] == "joker":
            assert f"Joker: card {joker_index + 1} of the 42 in the deck" in list(
                shown_replay.iter_lines()
            )
        held = result["held"].split()
        assert result["held_count"] == reference.compute_deadwood(held, params)
        case_kinds.add((result["kind"], len(held)))
    assert case_kinds == {("gin", 10), ("big_gin", 11), ("joker", 10)}
