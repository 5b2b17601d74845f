"""The engine's sums over deals and matches, formed again from the twin's results."""

from collections import Counter

import numpy as np

from oracles import twin
from simgin.core import sums
from support import hands

SHOWDOWNS = ("knock", "undercut", "even")


def new_unit():
    """An empty unit: facts, turns of the deals, showdown counts, and sums of single results."""
    return Counter(), [], [], Counter()


def batch_row(units):
    """The batch row of units, by the definitions of `simgin.core.sums`."""
    row = np.zeros(sums.COLUMNS, np.int64)
    for facts, turns, counts, singles in units:
        vector = np.array([facts[name] for name in sums.FACTS], np.int64)
        row[sums.UNITS] += 1
        row[sums.SUM : sums.SQUARE] += vector
        row[sums.SQUARE : sums.CROSS] += vector**2
        row[sums.CROSS : sums.TURNS_HISTOGRAM] += vector * vector[list(sums.DENOMINATOR)]
        for n in turns:
            row[sums.TURNS_HISTOGRAM + min(n, sums.TURNS_BINS - 1)] += 1
        for n in counts:
            row[sums.COUNT_HISTOGRAM + min(n, sums.COUNT_BINS - 1)] += 1
        row[sums.PAIR_HISTOGRAM + quarters(facts)] += 1
        for name in ("DEAL_SQUARE", "MATCH_SQUARE", "DEALT"):
            row[getattr(sums, name)] += singles[name]
    return row


def quarters(facts):
    """A's share of a unit's matches, or deals, in quarters; a draw is half a win."""
    if facts["matches"]:
        return round(4 * facts["a_match_win"] / (2 * facts["matches"]))
    return round(
        4 * (facts["a_deal_win"] + (facts["deals"] - facts["decided"]) / 2) / facts["deals"]
    )


def named(row):
    """A row as a dict, so that a difference has a name."""
    blocks = {"sum": sums.SUM, "square": sums.SQUARE, "cross": sums.CROSS}
    found = {
        (block, name): int(row[start + i])
        for block, start in blocks.items()
        for i, name in enumerate(sums.FACTS)
    }
    return {**found, "units": int(row[0]), "histograms": row[sums.TURNS_HISTOGRAM :].tolist()}


def book_deal(unit, result, played, a):
    """Add a deal of the twin to its unit; a: seat of strategy A."""
    facts, turns, counts, singles = unit
    turns.append(result.turns)
    facts["deals"] += 1
    facts[result.kind] += 1
    facts["turns"] += result.turns
    if played.state.upcard_to >= 0:  # the replay has compared it
        facts["upcard_" + ("first", "second", "none")[played.state.upcard_to]] += 1
    if result.winner is not None:
        facts["decided"] += 1
        facts["points_scored"] += sum(result.points)
        facts["first_player_win"] += result.winner != played.state.dealer
    facts[f"points_{result.kind}"] += sum(result.points)
    if result.kind in SHOWDOWNS:
        counts.append(result.stopper_count)
        _book_showdown(facts, result, played)
    for side, seat in (("a", a), ("b", 1 - a)):
        facts[f"{side}_points"] += result.points[seat]
        facts[f"{side}_takes"] += result.takes[seat]
        facts[f"{side}_draws"] += result.takes[seat] + result.draws[seat]
        if result.winner == seat:
            facts[f"{side}_deal_win"] += 1
            facts[f"{side}_won_{result.kind}"] += 1
    margin = result.points[a] - result.points[1 - a]
    facts["a_margin"] += margin
    singles["DEAL_SQUARE"] += margin**2
    dealt = [0, 0]
    if played.state.hand.any():  # a blind offer may be refused before the cards are dealt
        dealt = [
            twin.deadwood(hands.names(hand), played.matchup.variant.row) for hand in played.hands
        ]
    singles["DEALT"] += dealt[played.state.dealer] - dealt[1 - played.state.dealer]


def _book_showdown(facts, result, played):
    facts["showdowns"] += 1
    facts["knock_count"] += result.stopper_count
    facts["defender_count"] += result.other_count
    facts["defender_before"] += result.other_before or 0  # the joker holds no cards
    facts["laid_off"] += int(played.state.laid_off)
    facts["laid_off_any"] += any(result.laid_off)
    facts["tie"] += result.stopper_count == result.other_count


def book_match(unit, match, a):
    """Add a finished match of the twin to its unit."""
    facts = unit[0]
    score = final_score(match)
    facts["matches"] += 1
    facts["a_match_margin"] += score[a] - score[1 - a]
    unit[3]["MATCH_SQUARE"] += (score[a] - score[1 - a]) ** 2
    facts["match_drawn"] += match.winner is None and not match.unfinished
    facts["unfinished"] += match.unfinished
    for side, seat in (("a", a), ("b", 1 - a)):
        facts[f"{side}_match_win"] += 1 if match.winner is None else 2 * (match.winner == seat)
    if (
        match.winner is not None and match.row["goal"] != "total"
    ):  # one side alone has no loser's score
        loser = score[1 - match.winner]
        facts["matches_decided"] += 1
        facts["winner_score"] += score[match.winner]
        facts["loser_score"] += loser
        facts["loser_zero"] += loser == 0
    if match.row["goal"] in ("points", "columns") and not match.unfinished:
        facts["settled"] += 1
        facts["a_settlement"] += (match.settlement or 0) * (1 if match.winner == a else -1)
    if match.row["goal"] == "total" and not match.unfinished:
        facts["totals"] += 1
        facts["goal_met"] += match.winner == 0


def final_score(match):
    """The final score of both sides: won games, won deals, or points of all columns together."""
    goal = match.goal
    if match.row["goal"] == "games":
        return goal.games
    if match.row["goal"] == "columns":
        return [sum(column[side] for column in goal.columns) for side in range(2)]
    return goal.tally if match.row["goal"] == "deals" else goal.points
