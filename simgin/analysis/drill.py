"""Drills that turn costly decisions of ordinary players into exercises.

drill = run_drill(DrillRequest.read("standard", positions=30))
drill.records()  # one row per option of each exercise
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from simgin.analysis import analysis_report
from simgin.analysis.analysis import (
    DEFAULT_WORLDS,
    Analysis,
    AnalysisBudget,
    analyse_position,
    analyse_without_elimination,
)
from simgin.analysis.decision_evaluator import (
    classify_decision,
    classify_mistake,
    iter_evaluator_actions,
)
from simgin.analysis.error_rates import DECISION_TITLES
from simgin.analysis.position import Position, PositionError
from simgin.core.position_rollouts import ACTION_END_DEAL
from simgin.play import kernel
from simgin.play.matchup import Matchup, make_short_names, parse_matchup
from simgin.play.parallel import ProgressCallback, make_progress_for_part, map_units
from simgin.play.traced_deal import trace_deal
from simgin.report import html_report
from simgin.report.card_rows import CardRow
from simgin.report.report import Report
from simgin.rules import variants
from simgin.runs.result import Result
from simgin.stats.estimate import estimate_mean
from simgin.stats.table import Frame, build_output_frame, to_json_row
from simgin.strategy.cast import find_strong_player, list_weaker_types
from simgin.text import shell
from simgin.text.files import atomic_write
from simgin.text.notation import format_card

MAX_POSITIONS = 200
DEALS_PER_POSITION = 12  # number of deals searched per requested exercise
# Number of worlds in the screening. Selected decisions are analysed again in new worlds.
SCREENING_WORLDS = 200
TURNS_PER_STAGE = 8  # number of turns per stage, counting both players
DEAL_STAGES = ("early", "middle", "late")  # The last stage is not limited to TURNS_PER_STAGE turns.
# Maximum proportion of correct options. Easier exercises teach little.
MAX_CORRECT_PROPORTION = 1 / 3
HTML_TEMPLATE, CARD_TEMPLATE, INCLUDED_DRILL_FILE = (
    Path(__file__).with_name(name)
    for name in ("drill.html.j2", "drill_parts.html.j2", "drill.json")
)
ANKI_DECK_NAME = "simgin drill"
# Strings that identify a file as the output of a drill
DRILL_FILE_MARKERS = {".html": b"<title>Drill: ", ".apkg": ANKI_DECK_NAME.encode()}


@dataclass(frozen=True)
class DrillRequest:
    """Request to create a drill.

    Attributes:
        matchups: Matchups whose deals are searched for mistakes.
        evaluator: Matchup of the evaluator against the same opponent.
        n_positions: Number of exercises.
    """

    matchups: Sequence[Matchup]
    evaluator: Matchup
    n_positions: int

    @classmethod
    def read(
        cls, variant: str, judge: str | None = None, positions: int = 30, seed: int = 1
    ) -> DrillRequest:
        """Parse the arguments of a request for a drill.

        By default, the evaluator is the strongest strategy.

        Raises:
            PositionError: If the number of positions is out of range, or the game is a solitaire
                game.
        """
        if not 1 <= positions <= MAX_POSITIONS:
            raise PositionError(
                f"{positions:,} is not a valid number of positions. Use 1 to {MAX_POSITIONS} "
                "positions."
            )
        parsed_variant = variants.find_variant(variant)
        if parsed_variant.is_solo:
            raise PositionError(
                f"drills do not support the solitaire game {parsed_variant.spec}. Use a two-player "
                "variant."
            )
        strategy = find_strong_player(parsed_variant)
        matchups = [
            parse_matchup(player.strategy, strategy, parsed_variant.spec, seed, "deal")
            for player in list_weaker_types(parsed_variant)
        ]
        evaluator = parse_matchup(judge or strategy, strategy, parsed_variant.spec, seed, "deal")
        return cls(matchups, evaluator, positions)

    @property
    def identity(self) -> list[Any]:
        """Settings that determine the drill: variant, evaluator, number of exercises and seed."""
        evaluator = self.evaluator
        return [evaluator.variant.spec, evaluator.a.spec, self.n_positions, evaluator.seed]


@dataclass(frozen=True)
class Exercise:
    """Exercise with a position, the actions to choose from and their costs.

    Attributes:
        matchup: Matchup of the player who made the mistake.
        deal_number: Number of the deal.
        analysis: Analysis of the decision.
    """

    matchup: Matchup
    deal_number: int
    analysis: Analysis

    @property
    def position(self) -> Position:
        """Position in which the reader chooses an action."""
        return self.analysis.position

    @property
    def decision_kind(self) -> str:
        """Kind of decision: die, upcard, draw, discard or knock."""
        return classify_decision(self.position, self.position.actions[self.analysis.ranking[0]])

    @property
    def title(self) -> str:
        """Title that names the type of decision and, for discards, the stage of the deal."""
        title = DECISION_TITLES[self.decision_kind]
        return (
            f"{DEAL_STAGES[_find_stage(self.position)]} {title}"
            if self.decision_kind == "discard"
            else title
        )

    @cached_property
    def options(self) -> list[int]:
        """Indices of the actions that are offered as answers, in ascending order.

        If several actions end the deal in the same way, only the best of them is offered.
        """
        index_by_option: dict[str, int] = {}
        for index in self.analysis.ranking:
            action = self.position.actions[index]
            action_text = self.position.format_action(action)
            index_by_option.setdefault(
                action_text.partition(" (")[0] if action.type == ACTION_END_DEAL else action_text,
                index,
            )
        return sorted(index_by_option.values())

    @property
    def correct_options(self) -> list[int]:
        """Indices of the options that are not significantly worse than the best, best first."""
        return [index for index in self.analysis.best_indices if index in self.options]

    @property
    def is_useful(self) -> bool:
        """True if the chosen action was a significant mistake and few options are correct."""
        is_mistake = self.position.chosen_index not in self.analysis.best_indices
        return is_mistake and len(self.correct_options) <= max(
            1, MAX_CORRECT_PROPORTION * len(self.options)
        )

    @property
    def player_name(self) -> str:
        """Short name of the player who made the mistake."""
        spec = self.matchup.a.spec
        return make_short_names([self.matchup]).get(spec, spec)

    @property
    def command(self) -> str:
        """Command that repeats the analysis of the position."""
        analyze_command = self.matchup.make_replay_command(self.deal_number, 0, 0).replace(
            "simgin show", "simgin analyze", 1
        )
        evaluator_option = shell.join_command(["--as", self.analysis.matchup.a.spec])
        return f"{analyze_command} --turn {self.position.turn} {evaluator_option}"


@dataclass(frozen=True, repr=False)
class Drill(Result):
    """Exercises of a drill, in the order of presentation."""

    request: DrillRequest
    exercises: Sequence[Exercise]

    @property
    def played_matchups(self) -> list[tuple[Matchup, int]]:
        """Matchups of the drill, each with the number of deals."""
        n_deals = DEALS_PER_POSITION * self.request.n_positions
        return [(matchup, n_deals) for matchup in (*self.request.matchups, self.request.evaluator)]

    def frames(self) -> dict[str, Frame]:
        """Return the exercises as a DataFrame with one row per option."""
        return {"drill": build_output_frame("drill", self.records())}

    def report(self, command: str) -> Report:
        """Return a report that states the number of exercises per type of decision."""
        title = f"Drill, {self.request.evaluator.variant.spec}"
        return Report(
            title,
            [format_exercise_summary(exercise.title for exercise in self.exercises)],
            command=command,
        )

    def records(self) -> list[dict[str, Any]]:
        """Return one row per option of each exercise, cheapest option first."""
        rows = []
        for number, exercise in enumerate(self.exercises, start=1):
            columns = {
                "position": number,
                "theme": exercise.decision_kind,
                "place": exercise.position.label,
            }
            columns |= {"player": exercise.matchup.a.spec, "analyze": exercise.command}
            for index, row in zip(exercise.analysis.ranking, exercise.analysis.rows(), strict=True):
                if index in exercise.options:
                    rows.append(to_json_row(columns | row))
        return rows


def run_drill(
    request: DrillRequest, workers: int | None = None, on_progress: ProgressCallback | None = None
) -> Drill:
    """Create exercises from the costliest decisions of each type, at most one per deal.

    Raises:
        PositionError: If no costly decision was found.
    """
    for matchup in (*request.matchups, request.evaluator):
        kernel.compile_matchup(matchup)
    n_units = DEALS_PER_POSITION * request.n_positions

    def screen_deal(unit: int, _n: int) -> list[ExerciseCandidate]:
        return list(_find_candidates(request, unit))

    candidates_by_deal = map_units(
        screen_deal, n_units, 1, workers, make_progress_for_part(on_progress, 0, 2)
    )
    candidates = sorted(chain(*candidates_by_deal), key=lambda candidate: candidate.min_cost)
    exercises = _select_exercises(
        request, candidates, workers, make_progress_for_part(on_progress, 1, 2)
    )
    if not exercises:
        raise PositionError(
            "no costly decision was found. Use another --seed or increase --positions."
        )
    permutation = np.random.default_rng(request.evaluator.seed).permutation(len(exercises))
    return Drill(request, [exercises[index] for index in permutation])


class ExerciseCandidate(NamedTuple):
    """Candidate for an exercise: a decision with a significant cost in the first analysis.

    Attributes:
        mistake_key: Kind of decision, mistake and stage of the deal.
        min_cost: Lower bound of the cost.
        matchup: Matchup of the player.
        deal_number: Number of the deal.
        position: Position in which the decision was made.
    """

    mistake_key: tuple[str, str, int]
    min_cost: float
    matchup: Matchup
    deal_number: int
    position: Position


def _find_candidates(request: DrillRequest, unit: int) -> Iterator[ExerciseCandidate]:
    """Yield the decisions of a deal in which the evaluator's action is significantly better."""
    matchup = request.matchups[unit % len(request.matchups)]
    evaluator = request.evaluator
    budget = AnalysisBudget(SCREENING_WORLDS, seed=evaluator.seed + 1, workers=1)
    for position, evaluator_action in iter_evaluator_actions(evaluator, trace_deal(matchup, unit)):
        if evaluator_action == position.chosen_action:
            continue
        reduced_position = replace(position, actions=[evaluator_action, position.chosen_action])
        values = analyse_without_elimination(
            reduced_position, evaluator.a.spec, evaluator.opponent, budget
        ).values
        lower_bound = estimate_mean(values[:, 0] - values[:, 1]).low
        if lower_bound > 0:
            kind = classify_decision(position, evaluator_action)
            key = kind, classify_mistake(position, kind, evaluator_action), _find_stage(position)
            yield ExerciseCandidate(key, lower_bound, matchup, unit, position)


def _find_stage(position: Position) -> int:
    """Return the index of a position's stage of the deal: early, middle or late."""
    return min(position.turn // TURNS_PER_STAGE, len(DEAL_STAGES) - 1)


def _select_exercises(
    request: DrillRequest,
    candidates: list[ExerciseCandidate],
    workers: int | None,
    on_progress: ProgressCallback | None,
) -> list[Exercise]:
    """Select useful exercises from candidates, balanced across types of mistakes.

    The costs are estimated in new worlds.

    Args:
        request: Request for the drill.
        candidates: Candidates in ascending order of cost.
        workers: Number of worker threads.
        on_progress: Function that receives the number of exercises found and the number requested.
    """
    candidates_by_key: dict[tuple[str, str, int], list[ExerciseCandidate]] = {}
    for candidate in candidates:
        candidates_by_key.setdefault(candidate.mistake_key, []).append(candidate)
    evaluator = request.evaluator
    budget = AnalysisBudget(DEFAULT_WORLDS, seed=evaluator.seed, workers=workers)
    exercises: dict[int, Exercise] = {}
    counts_by_prefix: Counter[tuple[object, ...]] = Counter()
    while candidates_by_key and len(exercises) < request.n_positions:
        mistake_key = min(
            candidates_by_key,
            key=lambda mistake_key: [
                counts_by_prefix[mistake_key[:prefix_length]] for prefix_length in (1, 2, 3)
            ],
        )
        candidate = candidates_by_key[mistake_key].pop()
        if not candidates_by_key[mistake_key]:
            del candidates_by_key[mistake_key]
        if candidate.deal_number in exercises:
            continue
        analysis = analyse_position(
            candidate.position, evaluator.a.spec, evaluator.opponent, budget
        )
        exercise = Exercise(candidate.matchup, candidate.deal_number, analysis)
        if exercise.is_useful:
            exercises[candidate.deal_number] = exercise
            counts_by_prefix.update(mistake_key[:prefix_length] for prefix_length in (1, 2, 3))
            if on_progress is not None:
                on_progress(len(exercises), request.n_positions)
    return list(exercises.values())


# Contents, HTML page and Anki flash cards of a drill


def build_drill_contents(drill: Drill) -> dict[str, Any]:
    """Return the JSON data of the exercises for the HTML page and the flash cards."""
    return {
        "identity": drill.request.identity,
        "unit": drill.exercises[0].analysis.unit,
        "deals": sorted({exercise.matchup.title for exercise in drill.exercises}),
        "exercises": [*map(_build_exercise_contents, drill.exercises)],
    }


def read_included_drill(request: DrillRequest) -> dict[str, Any] | None:
    """Return the contents of the included drill, or None if it does not match the request.

    The script `training/drill.py` writes the included drill.
    """
    contents: dict[str, Any] = json.loads(INCLUDED_DRILL_FILE.read_text("utf-8"))
    if contents["identity"] != request.identity:
        return None
    for exercise in contents["exercises"]:
        exercise["rows"] = [CardRow(*row) for row in exercise["rows"]]
    return contents


def format_exercise_summary(titles: Iterable[str]) -> str:
    """Return a sentence that states the number of exercises per type of decision."""
    counts = Counter(titles)
    counts_text = ", ".join(f"{title} ({count})" for title, count in counts.most_common())
    return f"{counts.total()} positions: {counts_text}."


def render_drill_page(contents: dict[str, Any], command: str) -> str:
    """Render the HTML page of a drill."""
    return html_report.load_template(HTML_TEMPLATE).render(contents, command=command)


def write_anki_deck(contents: dict[str, Any], path: Path) -> None:
    """Write an Anki package with a note for each exercise.

    If Anki already contains a note for the same position, the new note replaces it.

    Raises:
        ImportError: If genanki is not installed.
    """
    import genanki

    variant = contents["identity"][0]
    card_templates: Any = html_report.load_template(CARD_TEMPLATE).module
    style = html_report.load_template(html_report.PAGE_STYLE_TEMPLATE).render()
    model = genanki.Model(
        crc32(ANKI_DECK_NAME.encode()),
        ANKI_DECK_NAME,
        fields=[{"name": "Position"}, {"name": "Prices"}],
        templates=[{"name": "Drill", "qfmt": "{{Position}}", "afmt": "{{FrontSide}}{{Prices}}"}],
        css=f"{style}{card_templates.style()}body {{ padding: 1rem; }}",
    )
    deck = genanki.Deck(crc32(f"simgin {variant}".encode()), f"simgin: {variant}")
    for exercise in contents["exercises"]:
        note_fields = [
            str(card_templates.front(exercise)),
            str(card_templates.told(exercise, contents["unit"])),
        ]
        note_id = genanki.guid_for(exercise["command"])
        deck.add_note(genanki.Note(model, note_fields, guid=note_id, tags=[exercise["theme"]]))
    with atomic_write(path) as output:
        genanki.Package(deck).write_to_file(output)


def _build_exercise_contents(exercise: Exercise) -> dict[str, Any]:
    """Return the contents of an exercise: cards, options and their costs."""
    position, analysis = exercise.position, exercise.analysis
    evaluator = analysis.matchup.a.spec
    turn = f"Turn {position.turn}. " if position.turn else ""
    options = exercise.options
    return {
        "id": f"{crc32(exercise.command.encode()):08x}",
        "theme": exercise.decision_kind,
        "title": exercise.title,
        "situation": f"{turn}{analysis_report.format_position_caption(position)}",
        "rows": [*analysis_report.build_card_rows(position)],
        "question": _format_question(exercise),
        "options": [*_build_option_contents(exercise)],
        "ranking": [options.index(option) for option in analysis.ranking if option in options],
        "lesson": " ".join(_format_lesson_sentences(exercise)),
        "why": analysis_report.format_outcome_comparison(analysis, position.chosen_index),
        "worlds": f"{analysis.n_worlds:,}",
        "judge": make_short_names([analysis.matchup]).get(evaluator, evaluator),
        "command": exercise.command,
    }


def _build_option_contents(exercise: Exercise) -> Iterator[dict[str, Any]]:
    """Yield the contents of each option in an exercise: action, cost and outcomes."""
    position, analysis = exercise.position, exercise.analysis
    costs = {index: analysis.estimate_cost(index) for index in exercise.options}
    max_cost = max(high for *_, high in costs.values()) or 1.0
    best_index, second_best, *_ = (index for index in analysis.ranking if index in costs)
    for index, (mean, low, high) in costs.items():
        yield {
            "text": position.format_action(position.actions[index]),
            "cost": round(mean, 3),
            "right": index in exercise.correct_options,
            "price": analysis_report.format_cost(analysis, index) if high else "0",
            "ends": [round(100 * max(0.0, bound) / max_cost, 1) for bound in (low, mean, high)],
            "why": analysis_report.format_outcome_comparison(
                analysis, second_best if index == best_index else index
            ),
        }


def _format_question(exercise: Exercise) -> str:
    """Return the question that an exercise asks."""
    position = exercise.position
    if position.is_about_die:
        return "What do you do with the die?"
    if position.view.taken_offer >= 0:
        return f"Do you take the {format_card(int(position.view.taken_offer))}?"
    can_end = any(action.type == ACTION_END_DEAL for action in position.actions)
    return f"Which card do you discard{', or do you end the deal' if can_end else ''}?"


def _format_lesson_sentences(exercise: Exercise) -> Iterator[str]:
    """Yield sentences about the best options and the player's choice."""
    analysis, position = exercise.analysis, exercise.position
    best_name, *equivalents = [
        position.format_action(position.actions[index]) for index in exercise.correct_options
    ]
    yield f"Best: {best_name}."
    if equivalents:
        yield f"Too close to call: {', '.join(equivalents)}."
    cost = analysis_report.format_cost(analysis, position.chosen_index)
    chosen_action = position.format_action(position.chosen_action)
    yield f"{exercise.player_name} chose {chosen_action}, which cost {cost} {analysis.unit}."
