"""The decisions of a deal between two strategies, each with what its actions were worth."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from simgin.play.deal import WatchedDeal
from simgin.play.names import side_names
from simgin.play.parallel import SHARES
from simgin.value.analysis.analysis import Analysis, Effort, analyse, unwatched
from simgin.value.analysis.position import PositionError, positions_in

if TYPE_CHECKING:
    import pandas as pd

Watch = Callable[[int, int, Callable[[], Mapping[str, Analysis]]], None]


def analyse_deal(
    deal: WatchedDeal,
    turn: int | None,
    own: str | None,
    other: str | None,
    effort: Effort,
    watch: Watch = unwatched,
) -> dict[str, Analysis]:
    """The decisions of a deal, or of one turn, by place and player, as in `turn 5, draw, gold`.

    Those of a single player are named by place alone.
    own, other: who plays on for A and for B, by default they themselves. watch: called
    with what is done, what there is to do, and the analyses so far.
    """
    players = [player.text for player in deal.matchup.players]
    names = side_names(deal.matchup)
    alone = len(players) == 1
    positions = positions_in(deal, turn)
    if not positions:
        raise PositionError("nothing is decided in this deal, as far as it is known.")
    opponent = other if alone else other or players[-1]
    on = [own or players[0], opponent]
    found: dict[str, Analysis] = {}
    every = SHARES * len(positions)
    for position in positions:
        player = int(position.view.seat != deal.state.half)
        title = position.place if alone else f"{position.place}, {names[player]}"
        found[title] = analyse(
            position,
            on[player] or players[0],
            on[1 - player],
            effort,
            partial(_watch_one, watch, every, dict(found), title),
        )
        watch(SHARES * len(found), every, found.copy)
    return found


def _watch_one(
    watch: Watch,
    every: int,
    before: Mapping[str, Analysis],
    title: str,
    played: int,
    most: int,
    so_far: Callable[[], Analysis],
) -> None:
    """Show one analysis as it stands, behind those before."""
    done = SHARES * len(before) + SHARES * played // most
    watch(done, every, lambda: {**before, title: so_far()})


def frame(found: Mapping[str, Analysis]) -> pd.DataFrame:
    """The rows of all analyses (`Analysis.frame`), behind the decision and its turn."""
    import pandas as pd

    frames = []
    for decision, analysis in found.items():
        rows = analysis.frame()
        rows.insert(0, "decision", decision)
        rows.insert(1, "turn", analysis.position.turn)
        frames.append(rows)
    return pd.concat(frames, ignore_index=True)
