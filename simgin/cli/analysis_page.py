"""The page of an analysis: the position drawn as cards, what each action costs, the tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from simgin.analysis import words
from simgin.analysis.analysis import Analysis, frame
from simgin.analysis.position import Position
from simgin.analysis.written import FORGOTTEN, TAKEN
from simgin.cli.analysis_tables import (
    action_table,
    deal_table,
    how_to_read,
    how_to_read_deal,
    verdict,
)
from simgin.cli.session import finished_manifest
from simgin.core.answers import PHASE_BLIND
from simgin.core.deadwood import deadwood_of
from simgin.core.rules import STOPPER
from simgin.play.melds import cards_text, shown_melding
from simgin.plots import analysis as forest
from simgin.report import figures, page
from simgin.report.report import Picture, Report
from simgin.report.table import Column, Table
from simgin.rules.build import build_rules
from simgin.runs import directory, manifest
from simgin.text.notation import card_text, hand_text

if TYPE_CHECKING:
    from rich import table as rich_table

MOST_DRAWN = 6  # decisions of a whole deal: those that cost most
HAND = 10  # cards of the opponent
FRAME = "The card in the thick frame has just come to the hand."
GONE = "Dashed: taken from the pile."
UNKNOWN = "Face down in the pile: forgotten."
Found = Mapping[str, Analysis]


def save(
    place: Path, command: str, found: Found, is_whole_deal: bool, workers: int | None
) -> list[Path]:
    """Write the page, its pictures, the frame as CSV and the manifest; return their paths.

    Of more decisions than MOST_DRAWN only the costliest are drawn.
    """
    started = datetime.now(UTC)
    analyses = list(found.values())
    by_title = {analysis.matchup.title: analysis.matchup for analysis in analyses}
    matchups = list(by_title.values())
    identity = manifest.run_identity(matchups)
    units = [analyses[0].worlds] * len(matchups)
    contents = finished_manifest(identity, units, workers, started, command)
    drawn = _drawn(found)
    tables = {title: action_table(analysis) for title, analysis in found.items()}
    reading = how_to_read(found)
    if is_whole_deal:
        tables, reading = {"Every decision": deal_table(found)}, how_to_read_deal(found)
    report = Report(
        question=_title(found),
        verdict=list(_told(found, drawn)),
        tables=[_page_table(title, table) for title, table in tables.items()],
        pictures=list(_pictures(found, drawn)),
        facts=[("Reading", reading), *_facts(analyses)],
        command=command,
        files={"analysis.csv": frame(found).to_csv(index=False)},
    )
    return directory.save(place, contents, page.files(report))


def _drawn(found: Found) -> list[str]:
    """The decisions that are drawn: all if they are few, else the costliest in order of play."""
    if len(found) <= MOST_DRAWN:
        return list(found)
    costs = {}
    for title, analysis in found.items():
        done = analysis.position.done
        assert done is not None, "decisions of a deal were made"
        mean, low, _ = analysis.cost(analysis.position.actions.index(done))
        if low > 0:
            costs[title] = mean
    costly = sorted(costs, key=lambda title: -costs[title])[:MOST_DRAWN]
    return [title for title in found if title in costly]


def _title(found: Found) -> str:
    """What the page is about."""
    titles = list(found)
    if len(titles) == 1:
        return _capital(titles[0])
    matchup = found[titles[0]].matchup
    return f"{matchup.title}, {matchup.variant.text}: what each decision cost"


def _told(found: Found, drawn: Sequence[str]) -> Iterator[str]:
    """The sentences on the decisions that are drawn, behind their places if they are several."""
    if not drawn:
        yield "After these worlds, no decision is known to have cost anything."
    for title in drawn:
        place = f"{_capital(title)}: " if len(found) > 1 else ""
        yield f"{place}{verdict(found[title])}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _page_table(title: str, table: rich_table.Table) -> Table:
    """A table of the terminal as one of the page."""
    import pandas as pd

    cells = {str(column.header): [str(cell) for cell in column.cells] for column in table.columns}
    return Table(_capital(title), pd.DataFrame(cells), [Column(name, name) for name in cells])


def _facts(analyses: Sequence[Analysis]) -> Iterator[tuple[str, str]]:
    """How the figures were made."""
    first = analyses[0]
    yield "Variant", first.matchup.variant.text
    yield "Plays on", first.matchup.title
    yield "Worlds", f"at most {first.most:,} for each position, seed {first.matchup.seed}"
    drawn = "every order of the deck as likely"
    if first.matchup.b is not None:
        drawn = "drawn as likely as the opponent's play makes them"
    yield "Hidden cards", f"{drawn}; all actions meet the same worlds"
    yield "Beside this page", "analysis.csv has every figure, plots/ every picture."


# Pictures


def _pictures(found: Found, drawn: Sequence[str]) -> Iterator[Picture]:
    """The cards and the costs of each decision that is drawn."""
    for number, title in enumerate(drawn):
        analysis = found[title]
        position = analysis.position
        if position.view.phase != PHASE_BLIND:
            yield _picture_of_cards(position, number, title)
        frame = analysis.frame()
        yield Picture(
            f"costs-{number}",
            f"{title}: what each action costs",
            _costs_in_words(analysis),
            forest(frame, seed=analysis.matchup.seed),
        )


def _picture_of_cards(position: Position, number: int, title: str) -> Picture:
    """The cards as the player sees them."""
    told = ". ".join(words.lines(position))
    drawn = figures.draw_cards(_capital(title), _caption(position), list(_card_rows(position)))
    return Picture(f"cards-{number}", f"{title}: the cards", f"{told}.", drawn)


def _costs_in_words(analysis: Analysis) -> str:
    """What the picture of the costs shows."""
    position = analysis.position
    best, *others = analysis.order
    parts = []
    for place in others:
        mean, low, high = analysis.cost(place)
        action = position.text(position.actions[place])
        parts.append(f"{action} costs {mean:.3g} ({low:.3g} to {high:.3g})")
    listed = "; ".join(parts)
    name = position.text(position.actions[best])
    return f"In {analysis.unit}, against the best, {name}: {listed}."


def _caption(position: Position) -> str:
    """What the cards do not show."""
    view = position.view
    *_, last = words.lines(position)
    sentences = [f"{_capital(last)}."]
    if position.variant.row["die"] != "off":
        sentences.insert(0, f"The {words.die(view)}.")
    if view.drawn >= 0 or view.taken >= 0:
        sentences.append(FRAME)
    laid = words.pile(position)
    if any(word.endswith(TAKEN) for word in laid):
        sentences.append(GONE)
    if any(word.startswith(FORGOTTEN) for word in laid):
        sentences.append(UNKNOWN)
    return " ".join(sentences)


def _card_rows(position: Position) -> Iterator[figures.CardRow]:
    """The own hand by its melds, what is offered, the pile, and the opponent's hand."""
    view = position.view
    alone = position.variant.row["players"] == 1
    yield _own_hand(position)
    laid = words.pile(position)
    if laid:
        cards = [card.removesuffix(TAKEN) for card in laid]  # forgotten ones as if face down
        gone = [place for place, card in enumerate(laid) if card != cards[place]]
        label = "You threw" if alone else "Pile, from its first card on"
        yield figures.CardRow(label, [cards], gone=gone)
    if not alone:
        known = hand_text(int(view.known)).split()
        hidden = [figures.BACK] * (HAND - len(known))
        groups = [group for group in (known, hidden) if group]
        yield figures.CardRow("The opponent holds", groups)


def _own_hand(position: Position) -> figures.CardRow:
    """The own cards, melds first."""
    view = position.view
    rules = build_rules(position.variant)
    hand = int(view.hand)
    _, melds = shown_melding(hand, rules)
    groups = [group.split() for group in cards_text(melds, hand).split(" | ")]
    arrived = max(int(view.drawn), int(view.taken))
    marked = card_text(arrived) if arrived >= 0 else ""
    deadwood = int(deadwood_of(hand, rules, STOPPER))
    return figures.CardRow(f"You hold, deadwood {deadwood}", groups, marked)
