"""Drills: exercises from decisions that cost ordinary players much, with the costs of all actions.

drill = run_drill(DrillRequest.read("standard", positions=30))
drill.records()  # one row per option of each exercise
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from simgin.analysis import analysis_report
from simgin.analysis.analysis import WORLDS, Analysis, Effort, analyse, played_on
from simgin.analysis.judge import kind_of, mistake_of, usual_actions
from simgin.analysis.position import Position, PositionError
from simgin.analysis.rates import KINDS
from simgin.core.position import END
from simgin.play import kernel
from simgin.play.matchup import Matchup, own_names, parse_matchup
from simgin.play.parallel import Progress, over_units, share
from simgin.play.watch import watch_deal
from simgin.report import page
from simgin.report.cards import with_faces
from simgin.report.report import Report
from simgin.rules import variants
from simgin.runs.manifest import run_identity
from simgin.stats.estimate import mean_of
from simgin.stats.table import Frame, for_json, frame_of
from simgin.strategy.cast import strong_player, weaker_types
from simgin.text import shell
from simgin.text.files import replacing
from simgin.text.notation import card_text

MOST = 200
DEALS = 12  # deals searched per position
FIRST_WORLDS = 200  # for the screening; the selected decisions are analysed in new worlds
STAGE, LAST_STAGE = 8, 2  # turns of both players per stage of a deal, and the last stage
MOST_RIGHT = 1 / 3  # an exercise with a higher proportion of correct options teaches little
PAGE, PARTS = (Path(__file__).with_name(name) for name in ("drill.html.j2", "drill_parts.html.j2"))
DECK = "simgin drill"
MARKS = {".html": b"<title>Drill: ", ".apkg": DECK.encode()}  # identify files of this module


@dataclass(frozen=True)
class DrillRequest:
    """Request for a drill.

    Attributes:
        players: Matchups whose deals are searched for mistakes.
        evaluator: Matchup of the evaluator against the same opponent.
        n_positions: Number of exercises.
    """

    players: Sequence[Matchup]
    judge: Matchup
    positions: int

    @classmethod
    def read(
        cls, variant: str, judge: str | None = None, positions: int = 30, seed: int = 1
    ) -> DrillRequest:
        """Parse a request. The evaluator is the strongest strategy by default.

        Raises:
            PositionError: If there are too few or too many positions, or the game is solitaire.
        """
        if not 1 <= positions <= MOST:
            raise PositionError(f"a drill has 1 to {MOST} positions, not {positions:,}.")
        game = variants.find(variant)
        if game.row["players"] == 1:
            raise PositionError(f"{game.text} is for one player, and a drill takes deals of two.")
        best = strong_player(game)
        players = [
            parse_matchup(player.strategy, best, game.text, seed, "deal")
            for player in weaker_types(game)
        ]
        plays_on = parse_matchup(judge or best, best, game.text, seed, "deal")
        return cls(players, plays_on, positions)


@dataclass(frozen=True)
class Exercise:
    """Position in which the reader chooses an action, with the costs of the actions.

    Attributes:
        matchup: Matchup of the player who made the mistake.
        unit: Number of the deal.
        analysis: Analysis of the decision.
    """

    matchup: Matchup
    unit: int
    analysis: Analysis

    @property
    def position(self) -> Position:
        """Position of the player."""
        return self.analysis.position

    @property
    def theme(self) -> str:
        """Kind of decision, a key of `decision_evaluator.MISTAKES`."""
        return kind_of(self.position, self.position.actions[self.analysis.order[0]])

    @cached_property
    def answers(self) -> list[int]:
        """Indices of the actions to choose from; of each way to end the deal only the best."""
        kept: dict[str, int] = {}
        for place in self.analysis.order:
            action = self.position.actions[place]
            text = self.position.text(action)
            kept.setdefault(text.partition(",")[0] if action.kind == END else text, place)
        return sorted(kept.values())

    @property
    def right(self) -> list[int]:
        """Indices of the options that may be the best, best first."""
        return [place for place in self.analysis.best if place in self.answers]

    @property
    def is_useful(self) -> bool:
        """True if the chosen action was significantly wrong and few options are correct."""
        was_wrong = self.position.was_done_at not in self.analysis.best
        return was_wrong and len(self.right) <= max(1, MOST_RIGHT * len(self.answers))

    @property
    def player(self) -> str:
        """Short name of the player who made the mistake."""
        text = self.matchup.a.text
        return own_names([self.matchup]).get(text, text)

    @property
    def command(self) -> str:
        """Command that repeats the analysis of the decision."""
        analyze = self.matchup.replay(self.unit, 0, 0).replace("simgin show", "simgin analyze", 1)
        judge = self.analysis.matchup.a.text
        return f"{analyze} --turn {self.position.turn} {shell.join(['--as', judge])}"


@dataclass(frozen=True)
class Drill:
    """Exercises of a drill, in order."""

    request: DrillRequest
    exercises: Sequence[Exercise]

    @property
    def identity(self) -> dict[str, Any]:
        """See `simgin.report.report.Result`."""
        return run_identity([*self.request.players, self.request.judge])

    @property
    def units(self) -> list[int]:
        """See `simgin.report.report.Result`."""
        return [DEALS * self.request.positions] * (len(self.request.players) + 1)

    def frames(self) -> dict[str, Frame]:
        """Return the rows as a DataFrame."""
        return {"drill": frame_of(self.records())}

    def report(self, command: str) -> Report:
        """Return a report with the number of exercises by kind of decision."""
        had = Counter(one.theme for one in self.exercises)
        listed = ", ".join(f"{name} {had[key]}" for key, name in KINDS.items() if had[key])
        title = f"Drill, {self.request.judge.variant.text}"
        return Report(title, [f"{len(self.exercises)} positions: {listed}."], command=command)

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each option, best option of its exercise first.

        Columns:

        * `position`: number of the exercise, from 1; `theme`; `place`: label of the decision.
        * `player`: strategy that made the mistake; `analyze`: command that repeats the analysis.
        * The columns of `Analysis.frame`; `best` is True if the option is correct.
        """
        found = []
        for number, one in enumerate(self.exercises, start=1):
            told = {"position": number, "theme": one.theme, "place": one.position.place}
            told |= {"player": one.matchup.a.text, "analyze": one.command}
            for place, row in zip(one.analysis.order, one.analysis.rows(), strict=True):
                if place in one.answers:
                    found.append(for_json(told | row))
        return found


def run_drill(
    request: DrillRequest, workers: int | None = None, on_progress: Progress | None = None
) -> Drill:
    """Find the costliest decisions of each kind as exercises, at most one per deal.

    Raises:
        PositionError: If no costly decision was found.
    """
    for matchup in (*request.players, request.judge):
        kernel.prepare(matchup)
    units = DEALS * request.positions

    def sift(unit: int, _n: int) -> list[Candidate]:
        return list(_seeming(request, unit))

    sifted = over_units(sift, units, 1, workers, share(on_progress, 0, 2))
    seeming = sorted((one for unit in sifted for one in unit), key=lambda one: one.low)
    found = _priced(request, seeming, workers, share(on_progress, 1, 2))
    if not found:
        raise PositionError("no costly decision was found; try another seed, or more positions.")
    order = np.random.default_rng(request.judge.seed).permutation(len(found))
    return Drill(request, [found[place] for place in order])


class Candidate(NamedTuple):
    """Decision with a significant cost in the screening.

    Attributes:
        kind: Kind of decision, mistake and stage of the deal.
        low: Lower bound of the cost.
        matchup: Matchup of the player.
        unit: Number of the deal.
        position: The decision.
    """

    kind: tuple[str, str, int]
    low: float
    matchup: Matchup
    unit: int
    position: Position


def _seeming(request: DrillRequest, unit: int) -> Iterator[Candidate]:
    """Yield decisions of a deal in which the evaluator's action is significantly better."""
    matchup = request.players[unit % len(request.players)]
    judge = request.judge
    rough = Effort(FIRST_WORLDS, seed=judge.seed + 1, workers=1)
    for position, usual in usual_actions(judge, watch_deal(matchup, unit)):
        if usual == position.was_done:
            continue
        both = replace(position, actions=[usual, position.was_done])
        worth = played_on(both, judge.a.text, judge.opponent, rough).worth
        low = mean_of(worth[:, 0] - worth[:, 1]).low
        if low > 0:
            theme = kind_of(position, usual)
            stage = min(position.turn // STAGE, LAST_STAGE)
            kind = (theme, mistake_of(position, theme, usual), stage)
            yield Candidate(kind, low, matchup, unit, position)


def _priced(
    request: DrillRequest, seeming: list[Candidate], workers: int | None, progress: Progress | None
) -> list[Exercise]:
    """Return useful exercises from the candidates, balanced over kinds of mistakes.

    The costs are estimated in new worlds.

    Args:
        request: The drill.
        seeming: Candidates, costliest last.
        workers: Number of worker threads.
        progress: Called with the number of exercises and its total.
    """
    left: dict[tuple[str, str, int], list[Candidate]] = {}
    for one in seeming:
        left.setdefault(one.kind, []).append(one)
    judge = request.judge
    effort = Effort(WORLDS, seed=judge.seed, workers=workers)
    found: dict[int, Exercise] = {}
    had: Counter[tuple[object, ...]] = Counter()
    while left and len(found) < request.positions:
        kind = min(left, key=lambda kind: [had[kind[:n]] for n in (1, 2, 3)])
        one = left[kind].pop()
        if not left[kind]:
            del left[kind]
        if one.unit in found:
            continue
        analysis = analyse(one.position, judge.a.text, judge.opponent, effort)
        exercise = Exercise(one.matchup, one.unit, analysis)
        if exercise.is_useful:
            found[one.unit] = exercise
            had.update(kind[:n] for n in (1, 2, 3))
            if progress is not None:
                progress(len(found), request.positions)
    return list(found.values())


# HTML page, and flash cards for Anki


def html(drill: Drill, command: str) -> str:
    """Render the HTML page. Equal drills have equal pages."""
    return page.template(PAGE).render(
        exercises=[*map(_shown, drill.exercises)],
        unit=drill.exercises[0].analysis.unit,
        variant=drill.request.judge.variant.text,
        deals=sorted({one.matchup.title for one in drill.exercises}),
        command=command,
    )


def write_anki(drill: Drill, file: Path) -> None:
    """Write an Anki package with a note for each exercise.

    If a note of the same position has been imported before, the new one replaces it.

    Raises:
        ImportError: If genanki is not installed.
    """
    import genanki

    variant = drill.request.judge.variant.text
    parts: Any = page.template(PARTS).module
    model = genanki.Model(
        crc32(DECK.encode()),
        DECK,
        fields=[{"name": "Position"}, {"name": "Prices"}],
        templates=[{"name": "Drill", "qfmt": "{{Position}}", "afmt": "{{FrontSide}}{{Prices}}"}],
        css=f"{page.template(page.STYLE).render()}{parts.style()}body {{ padding: 1rem; }}",
    )
    deck = genanki.Deck(crc32(f"simgin {variant}".encode()), f"simgin: {variant}")
    for one in drill.exercises:
        shown = _shown(one)
        fields = [str(parts.front(shown)), str(parts.told(shown))]
        guid = genanki.guid_for(one.command)
        deck.add_note(genanki.Note(model, fields, guid=guid, tags=[one.theme]))
    with replacing(file) as opened:
        genanki.Package(deck).write_to_file(opened)


def _shown(one: Exercise) -> dict[str, Any]:
    """Return the variables of an exercise for the templates."""
    position, analysis = one.position, one.analysis
    judge = analysis.matchup.a.text
    costs = {place: analysis.cost(place) for place in one.answers}
    whole = max(high for *_, high in costs.values()) or 1.0
    options = {
        place: {
            "option": number,
            "text": with_faces(position.text(position.actions[place])),
            "cost": round(mean, 3),
            "right": place in one.right,
            "price": analysis_report.cost_text(analysis, place) if high else "0",
            "ends": [round(100 * max(0.0, end) / whole, 1) for end in (low, mean, high)],
        }
        for number, (place, (mean, low, high)) in enumerate(costs.items())
    }
    turn = f"Turn {position.turn}: " if position.turn else ""
    return {
        "theme": KINDS[one.theme].capitalize(),
        "situation": f"{turn}{analysis_report.caption(position)}",
        "rows": list(analysis_report.card_rows(position)),
        "question": with_faces(_question(one)),
        "options": [*options.values()],
        "prices": [options[place] for place in analysis.order if place in options],
        "lesson": with_faces(" ".join(_lesson(one))),
        "unit": analysis.unit,
        "worlds": f"{analysis.worlds:,}",
        "judge": own_names([analysis.matchup]).get(judge, judge),
        "command": one.command,
    }


def _question(one: Exercise) -> str:
    """Return the question of an exercise."""
    position = one.position
    if position.is_about_die:
        return "What do you do about the die?"
    if position.view.taken_offer >= 0:
        return f"Do you take the {card_text(int(position.view.taken_offer))}?"
    ends = any(action.kind == END for action in position.actions)
    return f"What do you discard{', or do you end the deal' if ends else ''}?"


def _lesson(one: Exercise) -> Iterator[str]:
    """Yield sentences with the best option, those too close to call, and the player's choice."""
    analysis, position = one.analysis, one.position
    best, *close = [position.text(position.actions[place]) for place in one.right]
    also = f"; too close to call: {', '.join(close)}" if close else ""
    yield f"Best: {best}{also}."
    price = analysis_report.cost_text(analysis, position.was_done_at)
    yield f"{one.player} chose {position.text(position.was_done)}: {price} {analysis.unit} worse."
