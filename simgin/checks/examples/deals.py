"""Worked examples that are deals, played so that their decisions can be analysed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from simgin.checks.examples import files, kinds, schema, solo_script
from simgin.checks.examples.deal_script import Played
from simgin.checks.examples.schema import Example, ExampleError
from simgin.play.deal import WatchedDeal, cut_short
from simgin.play.matchup import Matchup
from simgin.rules import variants
from simgin.rules.variants import Variant
from simgin.text.messages import did_you_mean, shown

PLAYERS = ("nondealer", "dealer")
KINDS = "play_script and solo_script"
DEALS = {"play_script": kinds.played_script, "solo_script": solo_script.played_script}


def read_deal(path: str | Path, name: str | None = None) -> WatchedDeal:
    """The deal of an example, which need not be named where the file has one deal alone.

    Where its actions end before the deal does, the deal is cut short. Raises ConformError and
    ExampleError, whose messages are sentences, and OSError.
    """
    example = _chosen(files.read(path), path, name)
    play = DEALS[example.kind]
    played = play(example)
    wrong = played.illegal
    if wrong >= 0:
        actions = schema.need(example, "actions")
        raise example.error(f"action {wrong + 1}, {actions[wrong]}, is not possible.")
    matchup = _matchup(example, played.deal)
    deal = replace(played.deal, matchup=matchup)
    if deal.kind:
        return deal
    done = int(deal.state.logged)
    return cut_short(deal, done, _is_told(example, played))


def _chosen(examples: list[Example], path: str | Path, name: str | None) -> Example:
    """The example that is meant."""
    deals = [example for example in examples if example.kind in DEALS]
    if name is None:
        return _only(deals, path)
    by_name = {example.id: example for example in examples}
    if name not in by_name:
        near = did_you_mean(name, by_name)
        raise ExampleError(f"{path} has no example {shown(name)}{near or '.'}")
    example = by_name[name]
    if example.kind not in DEALS:
        raise example.error(f"kind {example.kind} is no deal, as {KINDS} are.")
    return example


def _only(deals: list[Example], path: str | Path) -> Example:
    """The only deal of a file."""
    if not deals:
        raise ExampleError(f"{path} has no deal: its examples are of other kinds than {KINDS}.")
    first, *others = deals
    if not others:
        return first
    raise ExampleError(
        f"{path} has {len(deals)} examples that are deals, {first.id} to {others[-1].id}: "
        f"name one, as in --example {first.id}."
    )


def _variant(example: Example) -> Variant:
    """The variant of an example, under a name by which it can be found."""
    base = "standard" if example.kind == "play_script" else schema.base(example)
    own = ("nondealer", "dealer", "upcard", "stock_top_first", "deck_top_first", "actions")
    settings = schema.settings(example, own, base)
    text = base
    for name, value in settings.items():
        text += f"+{name}={str(value).lower()}"
    return variants.find(text)


def _matchup(example: Example, deal: WatchedDeal) -> Matchup:
    """The matchup, with players that are called by what they do."""
    first, second = PLAYERS
    variant = _variant(example)
    matchup = replace(deal.matchup, variant=variant)
    if matchup.b is None:
        return matchup
    a = replace(matchup.a, text=first)
    b = replace(matchup.b, text=second)
    return replace(matchup, a=a, b=b)


def _is_told(example: Example, played: Played) -> bool:
    """Whether the decision behind the actions has no card that the example leaves out."""
    drawn = played.deal.questions[-1].view.drawn
    if example.kind == "play_script" or drawn < 0:
        return True
    deck = str(example.given["deck_top_first"]).upper().replace("X", " ")
    return int(drawn) in schema.cards(example, "input.deck_top_first", deck)
