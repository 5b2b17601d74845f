"""The page of a drill, one HTML file; and its positions as flash cards for Anki."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

from simgin.analysis import analysis_report
from simgin.analysis.analysis import UNITS
from simgin.analysis.drill import Drill, Exercise
from simgin.analysis.position import Position
from simgin.core.answers import PHASE_BLIND
from simgin.core.position import END
from simgin.play.matchup import own_names
from simgin.report import page
from simgin.report.figures.card_faces import BACK, RED_SUITS, SYMBOLS, CardRow
from simgin.text.files import replacing
from simgin.text.notation import RANKS, SUITS, card_text

if TYPE_CHECKING:
    from markupsafe import Markup

PAGE, PARTS = (Path(__file__).with_name(name) for name in ("drill.html.j2", "drill_parts.html.j2"))
THEMES = {
    "upcard": "The first upcard",
    "draw": "Take or draw",
    "discard": "What to discard",
    "knock": "Knock or play on",
    "die": "The die",
}
CARD = re.compile(rf"\b[{RANKS}][{SUITS}]\b")
PLAIN = "\N{VARIATION SELECTOR-15}"  # a suit is a letter, not a small picture


def html(drill: Drill, command: str) -> str:
    """The page. Equal drills give equal text."""
    return page.template(PAGE).render(
        exercises=[*map(_shown, drill.exercises)],
        unit=UNITS[drill.exercises[0].analysis.by],
        variant=drill.request.judge.variant.text,
        deals=sorted({one.matchup.title for one in drill.exercises}),
        command=command,
    )


def write_anki(drill: Drill, file: Path) -> None:
    """Write a note for each position, which takes the place of the same one imported before.

    Raises ImportError without genanki.
    """
    import genanki

    variant = drill.request.judge.variant.text
    parts: Any = page.template(PARTS).module
    model = genanki.Model(
        crc32(b"simgin drill"),
        "simgin drill",
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
    """What the templates say of a position: nothing that its player does not know."""
    position, analysis = one.position, one.analysis
    judge = analysis.matchup.a.text
    costs = {place: analysis.cost(place) for place in one.answers}
    whole = max(high for *_, high in costs.values()) or 1.0
    options = {
        place: {
            "option": number,
            "text": _faces(position.text(position.actions[place])),
            "cost": round(mean, 3),
            "right": place in one.right,
            "price": analysis_report.cost_text(analysis, place) if high else "0",
            "ends": [round(100 * max(0.0, end) / whole, 1) for end in (low, mean, high)],
        }
        for number, (place, (mean, low, high)) in enumerate(costs.items())
    }
    turn = f"Turn {position.turn}: " if position.turn else ""
    return {
        "theme": THEMES[one.theme],
        "situation": f"{turn}{analysis_report.caption(position)}",
        "rows": list(_rows(position)),
        "question": _faces(_question(one)),
        "options": [*options.values()],
        "prices": [options[place] for place in analysis.order if place in options],
        "lesson": _faces(" ".join(_lesson(one))),
        "unit": analysis.unit,
        "worlds": f"{analysis.worlds:,}",
        "judge": own_names([analysis.matchup]).get(judge, judge),
        "command": one.command,
    }


def _question(one: Exercise) -> str:
    """What is to be decided."""
    position = one.position
    if position.is_about_die:
        return "What do you do about the die?"
    if position.view.taken_offer >= 0:
        return f"Do you take the {card_text(int(position.view.taken_offer))}?"
    ends = any(action.kind == END for action in position.actions)
    return f"What do you discard{', or do you end the deal' if ends else ''}?"


def _lesson(one: Exercise) -> Iterator[str]:
    """The best answer, those too close to call, and what was done."""
    analysis, position = one.analysis, one.position
    best, *close = [position.text(position.actions[place]) for place in one.right]
    also = f"; too close to call: {', '.join(close)}" if close else ""
    yield f"Best: {best}{also}."
    price = analysis_report.cost_text(analysis, position.was_done_at)
    yield f"{one.player} chose {position.text(position.was_done)}: {price} {analysis.unit} worse."


# Cards


def _rows(position: Position) -> Iterator[tuple[str, list[list[tuple[Markup, str]]]]]:
    """The rows of cards: the label, and groups of faces with what is drawn about each."""
    if position.view.phase == PHASE_BLIND:
        return
    for row in analysis_report.card_rows(position):
        place = count()
        yield row.label, [[_drawn(row, card, next(place)) for card in each] for each in row.groups]


def _drawn(row: CardRow, card: str, place: int) -> tuple[Markup, str]:
    """The face of a card, and its classes."""
    tones = {"marked": card == row.marked, "gone": place in row.gone, "back": card == BACK}
    return _face(card), " ".join(tone for tone, is_so in tones.items() if is_so)


def _faces(text: str) -> Markup:
    """A text with its cards as ranks and symbols."""
    from markupsafe import Markup, escape

    return Markup(re.sub(CARD, lambda found: _face(found[0]), str(escape(text))))


def _face(card: str) -> Markup:
    """The rank and the symbol of a card; nothing for one face down."""
    from markupsafe import Markup

    if card == BACK:
        return Markup("")
    rank, suit = tuple(card)
    red = " red" if suit in RED_SUITS else ""
    symbol = f'<span class="suit{red}">{SYMBOLS[suit]}{PLAIN}</span>'
    return Markup(f"{'10' if rank == 'T' else rank}{symbol}")
