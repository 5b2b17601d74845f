"""Terminal output and HTML reports of analyses. HTML reports also show the cards."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.analysis.analysis import Analysis, analyses_to_frame, is_mistake, select_measure
from simgin.analysis.position import Position, format_better_action
from simgin.core.codes import PHASE_BLIND
from simgin.core.deadwood import compute_deadwood_for_role
from simgin.core.rules_record import KNOCKER
from simgin.play.hand_analysis import choose_shown_melding, format_melded_hand
from simgin.play.matchup import make_short_names
from simgin.play.pile import TAKEN_MARK, UNKNOWN_CARD_MARK, format_pile_label
from simgin.play.table_text import describe_die
from simgin.plots import analysis as forest
from simgin.report import numbers
from simgin.report.card_rows import FACE_DOWN_CARD, CardRow
from simgin.report.report import LazySequence, Plot, Report
from simgin.report.report_table import Column, Table, describe_frame, make_table_from_rows
from simgin.rules.build import build_rules
from simgin.stats.estimate import Z95
from simgin.stats.table import build_output_frame
from simgin.text.messages import capitalize_first, join_words
from simgin.text.notation import format_card, format_hand

if TYPE_CHECKING:
    from rich.console import RenderableType

MEASURE_TITLES = {
    "match": "match %",
    "deals": "deals",
    "games": "games",
    "points": "points",
    "win": "won %",
    "gin": "gin %",
    "undercut": "undercut %",
}
INTERVAL_NOTE = "± marks simultaneous 95 % confidence intervals for all actions."
PENALTY_DISPLAY_FACTOR = -1  # factor by which points are multiplied to show a penalty
NET_MEASURE_NOTES = {
    "deals": "Deals: number of deals that you win, minus the number that your opponent wins.",
    "games": "Games: number of games that you win, minus the number that your opponent wins. A won "
    "game can count as several games.",
}
# Notes on the ranking of actions, for each value of `Position.is_in_match`
RANKING_NOTES = {
    True: "Actions are ranked by match %. Without a score, simgin ranks actions by {}.",
    False: "Actions are ranked by {}. If you enter the position with its score, simgin ranks "
    "actions by match %.",
}
# Note on the ranking of actions if the score matters, but match % cannot be computed from it
UNKNOWN_MATCH_NOTE = (
    "Actions are ranked by {}, because the probability of winning the match cannot be computed "
    "under these rules."
)
# Phrases that compare the outcomes of two actions, by measure
OUTCOME_PHRASES = {
    "points": "average {:.1f} net points (vs. {:.1f})",
    "win": "win {:.0f} % (vs. {:.0f} %)",
    "gin": "go gin in {:.0f} % (vs. {:.0f} %)",
    "won_undercut": "undercut in {:.0f} % (vs. {:.0f} %)",
    "undercut": "are undercut in {:.0f} % (vs. {:.0f} %)",
    "opponent": "your opponent wins {:.0f} % (vs. {:.0f} %)",
}
MAX_NAMED_ACTIONS = 3  # maximum number of actions named in a sentence
MAX_PLOTS = 6  # maximum number of plots per deal, for the costliest decisions
HAND_SIZE = 10
NEW_CARD_NOTE = "The thick frame marks the card just drawn or taken."
TAKEN_CARD_NOTE = "Cards with a dashed frame were taken from the pile."
FORGOTTEN_CARD_NOTE = "Face-down cards in the pile are unknown."
NO_SIGNIFICANT_COST_NOTE = "No decision has a significant cost."
COST_COLUMNS = (Column("action", "action"), Column("value", "cost"))
AnalysesByLabel = Mapping[str, Analysis]


def render_analyses(analyses: AnalysesByLabel, is_whole_deal: bool) -> Iterator[RenderableType]:
    """Yield the terminal output: one table for a whole deal, or one per position.

    Args:
        analyses: Analyses by label.
        is_whole_deal: True if the analyses cover a whole deal.
    """
    if is_whole_deal:
        yield from Report(
            _make_report_title(analyses),
            [*_format_summary_sentences(analyses)],
            tables=[build_deal_table(analyses)],
        ).to_renderables()
        yield ""
        return
    for title, analysis in analyses.items():
        sentences = [format_analysis_verdict(analysis), *analysis.position.describe()]
        note = format_table_note(analyses) if title == [*analyses][-1] else ""
        tables = [build_action_table(analysis, note)]
        yield from Report(title, sentences, tables=tables).to_renderables()
        yield ""


def build_analysis_report(analyses: AnalysesByLabel, is_whole_deal: bool, command: str) -> Report:
    """Build the report of analyses, with plots of at most `MAX_PLOTS` costly decisions."""
    return Report(
        question=_make_report_title(analyses),
        verdict=list(_format_summary_sentences(analyses)),
        tables=[build_deal_table(analyses)]
        if is_whole_deal
        else list(_build_action_tables(analyses)),
        plots=LazySequence(_make_plots(analyses)),
        facts=list(_list_settings(next(iter(analyses.values())))),
        command=command,
        files={"analysis.csv": analyses_to_frame(analyses).to_csv(index=False)},
    )


def _make_report_title(analyses: AnalysesByLabel) -> str:
    """Return the title of a report on one decision, a turn or a deal."""
    title, *further_titles = analyses
    if not further_titles:
        return capitalize_first(title)
    matchup = analyses[title].matchup
    names = dict.fromkeys(re.sub(r".*, | \([AB]\)$", "", title) for title in analyses)
    players = " v ".join(names) if len(names) == len(matchup.players) == 2 else matchup.title
    return f"Cost of each decision: {players} ({matchup.variant.spec})"


# Sentences


def _format_summary_sentences(analyses: AnalysesByLabel) -> Iterator[str]:
    """Yield the verdict on each plotted decision, labelled if there are several."""
    plotted_analyses = _select_plotted_analyses(analyses)
    for title, analysis in plotted_analyses.items():
        prefix = f"{capitalize_first(title)}: " if len(analyses) > 1 else ""
        yield f"{prefix}{format_analysis_verdict(analysis)}"
    if not plotted_analyses:
        yield NO_SIGNIFICANT_COST_NOTE


def _select_plotted_analyses(analyses: AnalysesByLabel) -> AnalysesByLabel:
    """Return the decisions to plot: all decisions if there are few, otherwise the costliest."""
    if len(analyses) <= MAX_PLOTS:
        return analyses
    costs = {
        title: analysis.estimate_cost(analysis.position.chosen_index)[:2]
        for title, analysis in analyses.items()
    }
    cost_by_title = {title: mean for title, (mean, low) in costs.items() if is_mistake(low)}
    plotted_titles = sorted(cost_by_title, key=lambda title: -cost_by_title[title])[:MAX_PLOTS]
    return {title: analyses[title] for title in analyses if title in plotted_titles}


def format_analysis_verdict(analysis: Analysis, is_final: bool = False) -> str:
    """Return a verdict with the best actions and the cost of the chosen action.

    Args:
        analysis: Analysis of a decision.
        is_final: True if the analysis has ended, even if it played fewer worlds than the maximum.
    """
    position, names = analysis.position, analysis.action_names
    worlds = f"{analysis.n_worlds:,} worlds"
    name, *other_names = (names[index] for index in analysis.best_indices)
    sentence = f"Best: {name} (95 % confidence after {worlds})."
    if other_names:
        named_actions = other_names[:MAX_NAMED_ACTIONS]
        if n_unnamed := len(other_names) - len(named_actions):
            unnamed_text = f"one of {n_unnamed} other actions"
            named_actions.append(unnamed_text if n_unnamed > 1 else "one other action")
        rivals = join_words(named_actions, "or")
        sentence = f"Best so far: {name}. After {worlds}, the best action could also be {rivals}."
        if is_final or analysis.n_worlds == analysis.max_worlds:
            sentence = (
                f"No action is clearly the best. After {worlds}, {name} is ahead, but the "
                f"best action could also be {rivals}."
            )
    if position.recorded_action is None:
        return sentence
    index = position.chosen_index
    if index == analysis.ranking[0]:
        return f"{sentence} The player chose {names[index]}."
    return (
        f"{sentence} The player chose {names[index]}, which cost "
        f"{format_cost(analysis, index)} {analysis.unit}."
    )


def describe_choice(analysis: Analysis) -> str:
    """Return the coach's comment on the chosen action, with its cost and a better action."""
    index, names = analysis.position.chosen_index, analysis.action_names
    chosen_action = capitalize_first(names[index])
    best_index, *other_indices = analysis.best_indices
    if not other_indices and index == best_index:
        return f"{chosen_action} is the best action."
    if not analysis.is_mistake:
        return f"No action is clearly better than {names[index]}."
    best_name = format_better_action(names[index], names[best_index])
    cost = f"{format_cost(analysis, index)} {analysis.unit}"
    return f"{chosen_action} costs {cost}. {'Better' if other_indices else 'Best'}: {best_name}."


def format_cost(analysis: Analysis, index: int) -> str:
    """Format the cost of an action with its 95 % confidence interval."""
    mean, _, high = analysis.estimate_cost(index)
    half_width = high - mean
    value, error = (numbers.format_number(number, half_width) for number in (mean, half_width))
    return f"{value} ± {error}"


def format_outcome_comparison(analysis: Analysis, action_index: int) -> str:
    """Return a sentence that compares the outcomes of the best action and another action."""
    position = analysis.position
    compared_indices = (analysis.ranking[0], action_index)
    names = [analysis.action_names[index] for index in compared_indices]
    factors = select_display_factors(analysis)
    measures = [name for name, factor in factors.items() if factor != PENALTY_DISPLAY_FACTOR]
    if not position.is_solo:
        measures += ["won_undercut", "opponent"]
    *phrases, last_phrase = [
        phrase.format(*(_compute_mean_outcome(analysis, name, index) for index in compared_indices))
        for name, phrase in OUTCOME_PHRASES.items()
        if name in measures
    ]
    serial_comma = "" if position.is_solo else ","
    text = f"{', '.join(phrases)}{serial_comma} and {last_phrase}" if phrases else last_phrase
    return (
        f"In the simulated deals after {names[0]}, compared with those after {names[1]}, you "
        f"{text}."
    )


def _compute_mean_outcome(analysis: Analysis, measure: str, index: int) -> float:
    """Return the mean net points after an action, or the frequency of an outcome in percent.

    Args:
        analysis: Analysis of the decision.
        measure: Name of the measure, which is a key of `OUTCOME_PHRASES`.
        index: Index of the action.
    """
    outcomes = analysis.outcomes[:, index]
    action_outcomes = outcomes[~np.isnan(analysis.values[:, index])]
    if measure == "opponent":
        return 100 * float(np.mean(action_outcomes[select_measure(analysis.position.variant)] < 0))
    factor = 1 if measure == "points" else 100
    return factor * float(np.mean(action_outcomes[measure]))


def format_table_note(analyses: AnalysesByLabel) -> str:
    """Return the note that explains the tables of actions."""
    first_analysis, *other_analyses = analyses.values()
    matchup = first_analysis.matchup
    names_by_spec = make_short_names([matchup])
    names = dict.fromkeys(names_by_spec.get(player.spec, player.spec) for player in matchup.players)
    players, verb = " and ".join(names), "play" if len(names) > 1 else "plays"
    sentences = [f"After the action, {players} {verb} to the end of the deal. {INTERVAL_NOTE}"]
    if any(analysis.position.recorded_action for analysis in analyses.values()):
        sentences.append("< marks the chosen action.")
    if not other_analyses:
        sentences += _format_offer_sentences(first_analysis)
    measure = select_measure(first_analysis.position.variant)
    if measure in NET_MEASURE_NOTES:
        sentences.append(NET_MEASURE_NOTES[measure])
    is_in_match = first_analysis.position.is_in_match
    if first_analysis.has_match_probability:
        sentences.append(
            "Match %: probability of winning the match if both players are equally strong."
        )
        sentences.append(RANKING_NOTES[is_in_match].format(MEASURE_TITLES[measure]))
    elif is_in_match:
        sentences.append(UNKNOWN_MATCH_NOTE.format(MEASURE_TITLES[measure]))
    return " ".join(sentences)


def _format_offer_sentences(analysis: Analysis) -> list[str]:
    """Return sentences about the opponent's die offer, or an empty list without an offer."""
    sampler = analysis.world_sampler
    if not sampler.has_offer:
        return []
    if not sampler.matching_offers:
        return [
            "The opponent rarely offers the die in such a position, so simgin draws no conclusion "
            "about the opponent's hand from the offer."
        ]
    offer_text = str(sampler.matching_offers[0]) if len(sampler.matching_offers) == 1 else "the die"
    percent = f"{100 * sampler.offer_probability:.0f}"
    hands_text = f"hands with which the opponent would offer {offer_text} ({percent} %)"
    return [f"Worlds include only {hands_text}."]


def _list_settings(analysis: Analysis) -> Iterator[tuple[str, str]]:
    """Yield the settings of the analysis, each with its label."""
    yield "Variant", analysis.matchup.variant.spec
    yield "Rollout players", analysis.matchup.title
    yield ("Worlds", f"At most {analysis.max_worlds:,} per position, seed {analysis.matchup.seed}")
    order_sentence = "All orders of the deck are equally likely."
    if analysis.matchup.b is not None:
        order_sentence = "Sampled according to the opponent's play so far."
    yield "Hidden cards", f"{order_sentence} All actions are tried in the same worlds."
    yield "Other files", "analysis.csv contains all values, and plots/ contains the plots."


# Tables


def _build_action_tables(analyses: AnalysesByLabel) -> Iterator[Table]:
    """Yield one table of actions per position, with a title if there are several positions."""
    for title, analysis in analyses.items():
        table = build_action_table(analysis, format_table_note(analyses))
        yield table if len(analyses) == 1 else replace(table, title=capitalize_first(title))


def build_action_table(analysis: Analysis, note: str = "") -> Table:
    """Return a table with one row per action, best action first."""
    factors = select_display_factors(analysis)
    titles = dict(MEASURE_TITLES)
    if factors.get("points") == PENALTY_DISPLAY_FACTOR:
        titles["points"] = "penalty"
    names = [name for name in titles if name in factors]
    rows = []
    for index, row in zip(analysis.ranking, analysis.rows(), strict=True):
        suffix = " <" if row["done"] else ""
        cost = format_cost(analysis, index) if row["cost"] else ""
        means = [_format_mean(row, name, factors[name]) for name in names]
        rows.append((f"{row['action']}{suffix}", cost, *means, f"{row['worlds']:,}"))
    headings = ("action", f"cost, {titles[analysis.measure]}", *(titles[name] for name in names))
    return make_table_from_rows("Cost of each action", (*headings, "worlds"), rows, note)


def _format_mean(row: Mapping[str, Any], name: str, factor: int) -> str:
    """Format the mean of a measure, rounded according to the standard error."""
    return numbers.format_number(row[name] * factor, Z95 * row[f"{name}_se"] * factor)


def select_display_factors(analysis: Analysis) -> dict[str, int]:
    """Return the measures to show, each with a display factor such as 100 for percentages."""
    variant = analysis.position.variant
    factors = {"win": 100, "gin": 100, "undercut": 100}
    scoring = variant.params["deal_scoring"]
    if scoring == "winloss":
        return {"win": 100}
    if scoring == "penalty":
        return {"points": PENALTY_DISPLAY_FACTOR, "gin": 100}
    if variant.is_solo and not variant.params["knock_limit"]:
        del factors["undercut"]
    if analysis.has_match_probability:
        factors["match"] = 1
    if variant.params["die"] == "deal":
        return {"deals": 1, **factors}
    if variant.params["die"] == "game":
        factors["games"] = 1
    return {"points": 1, **factors}


def build_deal_table(analyses: AnalysesByLabel) -> Table:
    """Return a table of the chosen action, the best action and the cost for each decision."""
    rows = [_build_deal_table_row(title, analysis) for title, analysis in analyses.items()]
    first_analysis = next(iter(analyses.values()))
    note = INTERVAL_NOTE
    if any(len(analysis.best_indices) > 1 for analysis in analyses.values()):
        note += " ? marks decisions in which another action could also be the best."
    headings = ("decision", "chosen", "best", "cost", "worlds")
    return make_table_from_rows(
        f"Cost of each decision in {first_analysis.unit}", headings, rows, note
    )


def _build_deal_table_row(title: str, analysis: Analysis) -> tuple[str, ...]:
    """Return the table row of one decision."""
    index = analysis.position.chosen_index
    chosen_action = analysis.action_names[index]
    best_name = format_better_action(chosen_action, analysis.action_names[analysis.ranking[0]])
    best_name += "?" * (len(analysis.best_indices) > 1)
    cost = "0" if index == analysis.ranking[0] else format_cost(analysis, index)
    return title, chosen_action, best_name, cost, f"{analysis.n_worlds:,}"


# Plots


def _make_plots(analyses: AnalysesByLabel) -> Iterator[Plot]:
    """Yield a plot for each selected decision, with the cards and the costs of the actions."""
    for number, (title, analysis) in enumerate(_select_plotted_analyses(analyses).items()):
        position = analysis.position
        prefix = f"{capitalize_first(title)}: " if len(analyses) > 1 else ""
        costs = analysis.frame()
        figure = forest(costs, seed=analysis.matchup.seed)
        cost_frame = build_output_frame("plots/costs", costs.rename(columns={"cost": "value"}))
        alt_text = describe_frame(cost_frame, COST_COLUMNS)
        plot_title = capitalize_first(f"{prefix}cards and cost of each action")
        cards, note = list(build_card_rows(position)), format_position_caption(position)
        yield Plot(f"costs-{number}", plot_title, alt_text, figure, cost_frame, cards, note)


def format_position_caption(position: Position) -> str:
    """Return the caption of a position: the score, the die, and the meaning of the card frames."""
    view = position.view
    *_, last_line = position.describe()
    sentences = [last_line]
    if position.variant.params["die"] != "off":
        sentences.insert(0, describe_die(view))
    if view.drawn >= 0 or view.taken >= 0:
        sentences.append(NEW_CARD_NOTE)
    if any(taken_text.endswith(TAKEN_MARK) for taken_text in position.pile_cards):
        sentences.append(TAKEN_CARD_NOTE)
    if any(taken_text.startswith(UNKNOWN_CARD_MARK) for taken_text in position.pile_cards):
        sentences.append(FORGOTTEN_CARD_NOTE)
    return " ".join(sentences)


def build_card_rows(position: Position) -> Iterator[CardRow]:
    """Yield the player's hand, the pile and the opponent's hand, or nothing before the deal."""
    view = position.view
    if view.phase == PHASE_BLIND:
        return
    rules = build_rules(position.variant)
    hand = int(view.hand)
    _, melds = choose_shown_melding(hand, rules)
    groups = [group.split() for group in format_melded_hand(melds, hand).split(" | ")]
    new_card = max(int(view.drawn), int(view.taken))
    label = f"Your hand, deadwood {int(compute_deadwood_for_role(hand, rules, KNOCKER))}"
    yield CardRow(label, groups, format_card(new_card) if new_card >= 0 else "")
    if pile := position.pile_cards:
        # Forgotten cards are shown face down.
        cards = [card.removesuffix(TAKEN_MARK) for card in pile]
        taken_indices = [index for index, card in enumerate(pile) if card != cards[index]]
        yield CardRow(format_pile_label(position.is_solo), [cards], removed_indices=taken_indices)
    if not position.is_solo:
        known_cards = format_hand(int(view.known)).split()
        hidden_cards = [FACE_DOWN_CARD] * (HAND_SIZE - len(known_cards))
        yield CardRow("Opponent's hand", [group for group in (known_cards, hidden_cards) if group])
