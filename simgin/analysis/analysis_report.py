"""Reports of analyses: terminal output, and an HTML report with the cards."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from simgin.analysis.analysis import Analysis, counted_by, frame
from simgin.analysis.position import Position, better
from simgin.core.answers import PHASE_BLIND
from simgin.core.deadwood import deadwood_of
from simgin.core.rules import STOPPER
from simgin.play.hand import cards_text, shown_melding
from simgin.play.matchup import own_names
from simgin.play.pile import FORGOTTEN, TAKEN, pile_label
from simgin.plots import analysis as forest
from simgin.report import numbers
from simgin.report.cards import BACK, CardRow
from simgin.report.report import Picture, Report
from simgin.report.table import Column, Table, listed
from simgin.rules.build import build_rules
from simgin.stats.estimate import Z95
from simgin.text.notation import card_text, hand_text

if TYPE_CHECKING:
    from rich.console import RenderableType

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
PENALTY = -1  # factor that shows points as a penalty
NET = {
    "deals": "Deals: won deals, yours less the opponent's.",
    "games": "Games: won games, yours less the opponent's, as this one is worth.",
}
FEW = 3  # actions named in a sentence
MOST_DRAWN = 6  # plots per deal: the costliest decisions
HAND = 10
FRAME = "The card in the thick frame has just come to the hand."
GONE = "Dashed: taken from the pile."
UNKNOWN = "Face down in the pile: forgotten."
NOTHING_LOST = "After these worlds, no decision is known to have cost anything."
COSTS = (Column("action", "action"), Column("value", "cost"))
Found = Mapping[str, Analysis]


def on_screen(found: Found, is_whole: bool) -> Iterator[RenderableType]:
    """Yield the terminal output: one table for a deal, or each position with its actions.

    Args:
        found: Analyses by label.
        is_whole: True if the analyses are of a whole deal.
    """
    if is_whole:
        yield from Report(_question(found), [*_told(found)], tables=[deal_table(found)]).screen()
        yield ""
        return
    for title, analysis in found.items():
        said = [verdict(analysis), *analysis.position.lines()]
        note = how_to_read(found) if title == [*found][-1] else ""
        yield from Report(title, said, tables=[action_table(analysis, note)]).screen()
        yield ""


def analysis_report(found: Found, is_whole: bool, command: str) -> Report:
    """Build the report. Of more than `MAX_PLOTS` decisions, only the costliest have a plot."""
    return Report(
        question=_question(found),
        verdict=list(_told(found)),
        tables=[deal_table(found)] if is_whole else list(_action_tables(found)),
        pictures=list(_pictures(found)),
        facts=list(_facts(next(iter(found.values())))),
        command=command,
        files={"analysis.csv": frame(found).to_csv(index=False)},
    )


def _question(found: Found) -> str:
    """Return the title of the report."""
    title, *others = found
    if not others:
        return _capital(title)
    matchup = found[title].matchup
    names = dict.fromkeys(re.sub(r".*, | \([AB]\)$", "", title) for title in found)
    players = " v ".join(names) if len(names) == len(matchup.players) == 2 else matchup.title
    return f"{players}, {matchup.variant.text}: what each decision cost"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


# Sentences


def _told(found: Found) -> Iterator[str]:
    """Yield a sentence for each plotted decision, with its label if there are several."""
    drawn = _drawn(found)
    for title, analysis in drawn.items():
        place = f"{_capital(title)}: " if len(found) > 1 else ""
        yield f"{place}{verdict(analysis)}"
    if not drawn:
        yield NOTHING_LOST


def _drawn(found: Found) -> Found:
    """Return the decisions to plot: all if there are few, otherwise the costliest."""
    if len(found) <= MOST_DRAWN:
        return found
    costs = {title: one.cost(one.position.was_done_at)[:2] for title, one in found.items()}
    sure = {title: mean for title, (mean, low) in costs.items() if low > 0}
    costly = sorted(sure, key=lambda title: -sure[title])[:MOST_DRAWN]
    return {title: found[title] for title in found if title in costly}


def verdict(analysis: Analysis) -> str:
    """Format the best action, or the candidates, and the cost of the chosen action."""
    position = analysis.position
    names = [position.text(position.actions[place]) for place in analysis.best]
    worlds = f"{analysis.worlds:,} worlds"
    first, *others = names
    sentence = f"Best: {first} (known after {worlds})."
    if others:
        named = ", ".join(others[:FEW])
        more = f" and {len(others) - FEW} more" if len(others) > FEW else ""
        sentence = f"Best so far: {first}. After {worlds} it may also be {named}{more}."
    if position.done is None:
        return sentence
    place = position.was_done_at
    if place == analysis.order[0]:
        return f"{sentence} It was done."
    done = position.text(position.done)
    return f"{sentence} Done was {done}, which cost {cost_text(analysis, place)} {analysis.unit}."


def cost_text(analysis: Analysis, place: int) -> str:
    """Format the cost of an action with its 95 % interval."""
    mean, _, high = analysis.cost(place)
    half = high - mean
    return f"{numbers.number(mean, half)} ± {numbers.number(half, half)}"


def how_to_read(found: Found) -> str:
    """Return the note that explains the tables of actions."""
    first, *others = found.values()
    matchup = first.matchup
    short = own_names([matchup])
    players = " and ".join(short.get(player.text, player.text) for player in matchup.players)
    play = "plays" if matchup.b is None else "play"
    sentences = [f"{players} {play} on. {INTERVALS}"]
    if any(analysis.position.done for analysis in found.values()):
        sentences.append("< was done.")
    if not others:
        sentences += _told_by_offer(first)
    by = counted_by(first.position.variant)
    if by in NET:
        sentences.append(NET[by])
    if first.has_match:
        sentences.append("Match %: among equal players.")
    return " ".join(sentences)


def _told_by_offer(analysis: Analysis) -> list[str]:
    """Return a sentence about the information in the offer that the player must answer."""
    drawing = analysis.drawing
    if not drawing.has_offer:
        return []
    if not drawing.numbers:
        return ["No offer was to be expected, so it tells nothing of the opponent's hand."]
    what = str(drawing.numbers[0]) if len(drawing.numbers) == 1 else "something"
    percent = f"{100 * drawing.share:.0f}"
    return [f"Only hands count with which the opponent would offer {what}: {percent} % of them."]


def _facts(first: Analysis) -> Iterator[tuple[str, str]]:
    """Yield the facts about how the values were computed."""
    yield "Variant", first.matchup.variant.text
    yield "Plays on", first.matchup.title
    yield "Worlds", f"at most {first.most:,} for each position, seed {first.matchup.seed}"
    drawn = "every order of the deck as likely"
    if first.matchup.b is not None:
        drawn = "drawn as likely as the opponent's play makes them"
    yield "Hidden cards", f"{drawn}; all actions meet the same worlds"
    yield "Beside this page", "analysis.csv has every figure, plots/ every picture."


# Tables


def _action_tables(found: Found) -> Iterator[Table]:
    """Yield the table of each position, titled by its label if there are several."""
    for title, analysis in found.items():
        table = action_table(analysis, how_to_read(found))
        yield table if len(found) == 1 else replace(table, title=_capital(title))


def action_table(analysis: Analysis, note: str = "") -> Table:
    """Return a table with one row per action, best action first."""
    factors = _factors(analysis)
    titles = dict(TITLES)
    if factors.get("points") == PENALTY:
        titles["points"] = "penalty"
    shown = [name for name in titles if name in factors]
    rows = []
    for place, row in zip(analysis.order, analysis.rows(), strict=True):
        mark = " <" if row["done"] else ""
        cost = cost_text(analysis, place) if row["cost"] else ""
        means = [_mean(row, name, factors[name]) for name in shown]
        rows.append((f"{row['action']}{mark}", cost, *means, f"{row['worlds']:,}"))
    headings = ("action", f"cost, {titles[analysis.by]}", *(titles[name] for name in shown))
    return listed("What each action costs", (*headings, "worlds"), rows, note)


def _mean(row: Mapping[str, Any], name: str, factor: int) -> str:
    """Format a measure with as many digits as its error allows."""
    return numbers.number(row[name] * factor, Z95 * row[f"{name}_se"] * factor)


def _factors(analysis: Analysis) -> dict[str, int]:
    """Return the informative measures of the variant, each with the factor for display."""
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


def deal_table(found: Found) -> Table:
    """Return a table with one row per decision: chosen action, best action, and the cost."""
    rows = [_decision(title, analysis) for title, analysis in found.items()]
    first = next(iter(found.values()))
    note = INTERVALS
    if any(len(analysis.best) > 1 for analysis in found.values()):
        note += " ? means that another action may be best."
    headings = ("decision", "done", "best", "cost", "worlds")
    return listed(f"Every decision, cost in {first.unit}", headings, rows, note)


def _decision(title: str, analysis: Analysis) -> tuple[str, ...]:
    position = analysis.position
    place = position.was_done_at
    done = position.text(position.was_done)
    best = better(done, position.text(position.actions[analysis.order[0]]))
    cost = "0" if place == analysis.order[0] else cost_text(analysis, place)
    return title, done, best + "?" * (len(analysis.best) > 1), cost, f"{analysis.worlds:,}"


# Plots


def _pictures(found: Found) -> Iterator[Picture]:
    """Yield a plot of the costs of each selected decision, with its cards."""
    for number, (title, analysis) in enumerate(_drawn(found).items()):
        position = analysis.position
        place = f"{_capital(title)}: " if len(found) > 1 else ""
        costs = analysis.frame()
        drawn = forest(costs, seed=analysis.matchup.seed)
        shown = costs.rename(columns={"cost": "value"})
        asked = _capital(f"{place}the cards, and what each action costs")
        cards, note = list(card_rows(position)), caption(position)
        yield Picture(f"costs-{number}", asked, "", drawn, shown, COSTS, cards, note)


def caption(position: Position) -> str:
    """Return the caption of a position: the score, the die and the marks of the cards."""
    view = position.view
    *_, last = position.lines()
    sentences = [f"{_capital(last)}."]
    if position.variant.row["die"] != "off":
        sentences.insert(0, f"The {position.die}.")
    if view.drawn >= 0 or view.taken >= 0:
        sentences.append(FRAME)
    if any(word.endswith(TAKEN) for word in position.pile):
        sentences.append(GONE)
    if any(word.startswith(FORGOTTEN) for word in position.pile):
        sentences.append(UNKNOWN)
    return " ".join(sentences)


def card_rows(position: Position) -> Iterator[CardRow]:
    """Yield the player's hand, the pile and the opponent's hand; nothing before the deal."""
    view = position.view
    if view.phase == PHASE_BLIND:
        return
    rules = build_rules(position.variant)
    hand = int(view.hand)
    _, melds = shown_melding(hand, rules)
    groups = [group.split() for group in cards_text(melds, hand).split(" | ")]
    arrived = max(int(view.drawn), int(view.taken))
    label = f"You hold, deadwood {int(deadwood_of(hand, rules, STOPPER))}"
    yield CardRow(label, groups, card_text(arrived) if arrived >= 0 else "")
    if laid := position.pile:
        cards = [card.removesuffix(TAKEN) for card in laid]  # forgotten ones as if face down
        gone = [place for place, card in enumerate(laid) if card != cards[place]]
        yield CardRow(pile_label(position.is_alone), [cards], gone=gone)
    if not position.is_alone:
        known = hand_text(int(view.known)).split()
        hidden = [BACK] * (HAND - len(known))
        yield CardRow("The opponent holds", [group for group in (known, hidden) if group])
