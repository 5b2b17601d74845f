"""What every rule metric means, in a sentence or two."""

from collections.abc import Mapping
from inspect import getdoc

from simgin.review.rule_metrics import RESTRICTED, Trait
from simgin.stats import metrics
from simgin.value import drama

_TWO_PLAYERS = {
    "turns_10": (
        "Turns that a tenth of the deals take at most; limits from those of the share (Woodruff)."
    ),
    "turns_50": "Turns that half of the deals take at most, likewise.",
    "turns_90": "Turns that nine deals in ten take at most, likewise.",
    "turns_sd": "Standard deviation of the turns of a deal.",
    "completion": "Share of deals that somebody wins: all but void, stalled and even ones.",
    "points": "Points of whoever scored, per decided deal.",
    "points_sd": "Standard deviation of the points of a decided deal.",
    "seat": "Share of decided deals won by the nondealer, who has the first turn, less one half.",
    "final": (
        "Final score of the winner less that of the loser, divided by the target. Matches to "
        "points only."
    ),
    "shut_out": (
        "Share of decided matches whose loser has nothing. Matches to points or to won deals only."
    ),
    "best_k": (
        "The knock limit k with which gold does best against all the others, in points, or in"
        " matches if those are not won by points; in brackets the smallest and the largest k "
        "that are not significantly worse. Chosen on the even batches, judged on the odd "
        "ones, with Holm. A dash where only gin ends a deal."
    ),
    "patience": (
        "Points per deal of gold that waits for gin against gold that knocks at once, M(0, "
        "10). A dash where only gin ends a deal."
    ),
    "early": (
        "Points per deal of `gold-early`, which knocks in its first five turns and then "
        "waits, against `gold`. A dash where only gin ends a deal."
    ),
    "break_even": (
        "The undercut bonus at which waiting and knocking at once are worth the same: the "
        "root of the least-squares line through M(0, 10) at bonuses of 10, 15, 20 and 25. A "
        "dash where only gin ends a deal."
    ),
    "elo_spread": (
        "Standard deviation (n - 1) of the ratings fitted to the matches between the field's "
        "players."
    ),
    "verdict": (
        "Matches, in mirrored pairs, that a 5 % test needs to separate `gold-early` from "
        "`gold` in four runs of five: 2 (2.8 sd / lead)², with the sd of a pair's share; "
        "limits are those of the lead. A dash if the lead is not significant."
    ),
    "marjj": (
        "Share of matches that `marjj` wins against `simple`, as a difference in Elo: 400 "
        "log10(s / (1 - s))."
    ),
    "chain": (
        "Steps of the longest chain of players of whom each wins 60 % of the matches against "
        "the next, by the lower limit of that share; the larger number in brackets counts by "
        "the upper limits."
    ),
    "decisiveness_threshold": (
        "Highest chance of a side that did not win: its 95 % quantile over matches."
    ),
    "snowball": "Correlation of a side's results in two consecutive deals of a match.",
    "decision_factor": (
        "Share of turns with more than one distinct action; equal deadwood and equal danger "
        "are one action."
    ),
    "actions": "Mean number of such actions in a turn.",
    "real_decision_factor": (
        "As turns with a choice, without discards that another beats in both deadwood and danger."
    ),
    "real_actions": "Mean number of actions in a turn, likewise.",
    "luck": (
        "1 - rho of the points of a deal of `gold-early` against `gold`, every pack played "
        "twice: the share of the variance of a result that belongs to the cards."
    ),
}
_TWO_PLAYERS |= {
    slot: f"Share of matches that `gold-early` that {words} (`{slot}`) wins against `gold-early`."
    for slot, words in RESTRICTED.items()
}
_ONE_PLAYER = {
    "win_gap": (
        "Share of deals that the best player wins, less that of the naive one, on the same packs."
    ),
    "score_gap": "Score per deal of the best player less that of the naive one, on the same packs.",
    "penalty": "Penalty per deal of the best player; a dash where penalties are not counted.",
    "penalty_gap": (
        "Penalty per deal of the naive player less that of the best one, on the same packs."
    ),
    "gin_draw": (
        "The draw on which the best player reaches gin: the mean over the deals that end so."
    ),
    "joker_share": (
        "Share of the variance of winning a deal that the joker's place decides, as in "
        "`simgin odds`."
    ),
}
OWN: Mapping[int, Mapping[str, str]] = {1: _ONE_PLAYER, 2: _TWO_PLAYERS}  # by number of players


def meaning(trait: Trait, players: int) -> str:
    """A rule metric in words: its own, or those of the metric or measure of drama of its name.

    players: 1 or 2, the kind of variant that is reviewed. KeyError if it has no words.
    """
    if trait.key in OWN[players]:
        return OWN[players][trait.key]
    if trait.key in drama.METRICS:
        return " ".join((getdoc(drama.METRICS[trait.key]) or "").split())
    return metrics.BY_NAME[trait.key].meaning
