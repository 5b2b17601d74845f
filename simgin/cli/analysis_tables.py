"""The sentences and tables of `simgin analyze`, on the screen and on its page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from simgin.report import numbers

if TYPE_CHECKING:
    from rich.table import Table

    from simgin.analysis.analysis import Analysis

TITLES = {
    "match": "match %",
    "deals": "deals",
    "games": "games",
    "points": "points",
    "win": "won %",
    "gin": "gin %",
    "undercut": "undercut %",
}
INTERVALS = "± are 95 % intervals, which hold for all actions together."
PENALTY = -1  # points are shown as the penalty that they are less
NET = {
    "deals": "Deals: won deals, yours less the opponent's.",
    "games": "Games: won games, yours less the opponent's, as this one is worth.",
}
FEW = 3  # actions named in a sentence
Z95 = 1.96


# One position


def position_parts(found: Mapping[str, Analysis]) -> Iterator[Any]:
    """What is known, the verdict and the table of each position."""
    from rich.text import Text

    from simgin.analysis.words import lines

    for title, analysis in found.items():
        yield Text(title, style="bold")
        yield from lines(analysis.position)
        yield ""
        yield verdict(analysis)
        yield action_table(analysis)
        yield ""
    yield Text(how_to_read(found))


def verdict(analysis: Analysis) -> str:
    """Which action is best, or which may be, and what the one done cost."""
    position = analysis.position
    names = [position.text(position.actions[place]) for place in analysis.best]
    worlds = f"{analysis.worlds:,} worlds"
    first, *others = names
    sentence = f"Best: {first} (known after {worlds})."
    if others:
        listed = ", ".join(others[:FEW])
        more = f" and {len(others) - FEW} more" if len(others) > FEW else ""
        sentence = f"Best so far: {first}. After {worlds} it may also be {listed}{more}."
    if position.done is None:
        return sentence
    place = position.actions.index(position.done)
    done = position.text(position.done)
    if place == analysis.order[0]:
        return f"{sentence} It was done."
    return f"{sentence} Done was {done}, which cost {_cost(analysis, place)} {analysis.unit}."


def _cost(analysis: Analysis, place: int) -> str:
    mean, _, high = analysis.cost(place)
    half = high - mean
    return f"{numbers.number(mean, half)} ± {numbers.number(half, half)}"


def action_table(analysis: Analysis) -> Table:
    """A row for each action, the best first."""
    factors = _factors(analysis)
    titles = dict(TITLES)
    if factors.get("points") == PENALTY:
        titles["points"] = "penalty"
    headings = [name for name in titles if name in factors]
    cost = f"cost, {titles[analysis.by]}"
    table = plain_table("action", cost, *(titles[name] for name in headings), "worlds")
    for place, row in zip(analysis.order, analysis.frame().to_dict("records"), strict=True):
        mark = " <" if row["done"] else ""
        cells = [row["action"] + mark, _cost(analysis, place) if row["cost"] else ""]
        for name in headings:
            factor = factors[name]
            error = Z95 * row[f"{name}_se"] * factor
            cells.append(numbers.number(row[name] * factor, error))
        table.add_row(*cells, f"{row['worlds']:,}")
    return table


def _factors(analysis: Analysis) -> dict[str, int]:
    """The measures that say something in this variant, and what they are multiplied by."""
    variant = analysis.position.variant
    shares = {"win": 100, "gin": 100, "undercut": 100}
    scoring = variant.row["deal_scoring"]
    if scoring == "winloss":
        return {"win": 100}
    if scoring == "penalty":
        return {"points": PENALTY, "gin": 100}
    if variant.row["players"] == 1 and not variant.row["knock_limit"]:
        del shares["undercut"]
    if analysis.has_match:
        shares["match"] = 1
    if variant.row["die"] == "deal":
        return {"deals": 1, **shares}
    if variant.row["die"] == "game":
        shares["games"] = 1
    return {"points": 1, **shares}


def plain_table(*headings: str) -> Table:
    """A table whose columns but the first stand at the right, two characters apart."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, collapse_padding=True)
    for i, heading in enumerate(headings):
        table.add_column(heading, justify="right" if i else "left", overflow="fold")
    return table


def how_to_read(found: Mapping[str, Analysis]) -> str:
    """How to read the tables."""
    from simgin.analysis.analysis import counted_by
    from simgin.play.matchup import own_names

    analyses = list(found.values())
    matchup = analyses[0].matchup
    short = own_names([matchup])
    players = " and ".join(short.get(player.text, player.text) for player in matchup.players)
    play = "plays" if matchup.b is None else "play"
    sentences = [f"{players} {play} on. {INTERVALS}"]
    if any(analysis.position.done for analysis in analyses):
        sentences.append("< was done.")
    if len(analyses) == 1:
        sentences += _told_by_offer(analyses[0])
    by = counted_by(analyses[0].position.variant)
    if by in NET:
        sentences.append(NET[by])
    if analyses[0].has_match:
        sentences.append("Match %: among equal players.")
    return " ".join(sentences)


def _told_by_offer(analysis: Analysis) -> list[str]:
    """What the offer that is to be answered tells of the opponent's hand."""
    drawing = analysis.drawing
    if not drawing.has_offer:
        return []
    numbers = drawing.numbers
    if not numbers:
        return ["No offer was to be expected, so it tells nothing of the opponent's hand."]
    what = str(numbers[0]) if len(numbers) == 1 else "something"
    percent = f"{100 * drawing.share:.0f}"
    return [f"Only hands count with which the opponent would offer {what}: {percent} % of them."]


# A whole deal


def deal_parts(found: Mapping[str, Analysis]) -> Iterator[Any]:
    """A row for each decision, and what all of them cost each player."""
    from rich.text import Text

    first, *_ = found.values()
    yield Text("What each decision cost, in " + first.unit, style="bold")
    yield ""
    yield deal_table(found)
    yield ""
    yield Text(how_to_read_deal(found))


def deal_table(found: Mapping[str, Analysis]) -> Table:
    """A row for each decision."""
    table = plain_table("decision", "done", "best", "cost", "worlds")
    for title, analysis in found.items():
        table.add_row(title, *_deal_cells(analysis), f"{analysis.worlds:,}")
    return table


def _deal_cells(analysis: Analysis) -> tuple[str, str, str]:
    """What was done, what was best, and what the difference cost."""
    from simgin.analysis.words import better

    position = analysis.position
    done = position.done
    assert done is not None, "a decision of a deal was made"
    place = position.actions.index(done)
    best = better(position.text(done), position.text(position.actions[analysis.order[0]]))
    if len(analysis.best) > 1:
        best += "?"
    is_best = place == analysis.order[0]
    return position.text(done), best, "0" if is_best else _cost(analysis, place)


def how_to_read_deal(found: Mapping[str, Analysis]) -> str:
    """How to read the table of a whole deal."""
    open_ones = [analysis for analysis in found.values() if len(analysis.best) > 1]
    text = INTERVALS
    if open_ones:
        text += " ? means that another action may be best."
    return text
