"""Rollouts from a decision, in worlds with sampled hidden cards or within simulated deals."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba import boolean, from_dtype, int8, int64, types

from simgin.core import answers
from simgin.core.bits import lowest
from simgin.core.branch import play_branches, play_branches_alone
from simgin.core.deadwood import best_discards, deadwood, dearest
from simgin.core.endings import discards_that_end, legal_discards, must_be_melded
from simgin.core.offers import ask_offers
from simgin.core.policy import HOOK_TYPE, VIEW_TYPE
from simgin.core.position import ACCEPT, END, LEAVE, OFFER, REFUSE, THROW, play_worlds
from simgin.core.record import DEAL
from simgin.core.rules import UPCARD_PASS
from simgin.core.solo_position import play_worlds_alone
from simgin.core.state import KNOCK, new_state
from simgin.core.view import VIEW
from simgin.play.kernel import compiled_loop, new_views, run_kernel, seat_players
from simgin.play.matchup import Matchup
from simgin.rules.build import build_rules
from simgin.strategy import Policy, compiler
from simgin.text import notation


class Action(NamedTuple):
    """Option of a player.

    Attributes:
        kind: STOCK, TAKE, PASS, THROW (discard), END, LEAVE, OFFER, ACCEPT or REFUSE.
        card: Card of THROW and END; for OFFER the number on the die, 0 to leave it. END without a
            card (-1) is big gin, and in solitaire games also the knock or gin with ten cards.
    """

    kind: int
    card: int = -1


@dataclass(frozen=True)
class Worlds:
    """Sampled hidden states (worlds) of a position.

    Attributes:
        hands: Cards of the opponent as masks, (n_worlds,) int64; not used in solitaire games.
        stocks: Cards of the stock, the next card first, (n_worlds, n_cards) int8. In solitaire
            games they include the joker. Before the deal, they are the whole pack.
        views: View of the player with forgotten facts filled in, (n_worlds,) VIEW; None if the view
            is the same in all worlds.
    """

    hands: np.ndarray
    stocks: np.ndarray
    views: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.hands)

    def views_of(self, view: Any) -> np.ndarray:
        """Return the view in every world, (n_worlds,) VIEW, or (1,) if all worlds share `view`."""
        return np.array([view], VIEW) if self.views is None else self.views

    def some(self, places: np.ndarray) -> "Worlds":
        """Return a subset of the worlds."""
        views = None if self.views is None else self.views[places]
        return Worlds(self.hands[places], self.stocks[places], views)

    def put(self, place: int, other: "Worlds") -> None:
        """Replace a world by the first of other worlds."""
        self.hands[place] = other.hands[0]
        self.stocks[place] = other.stocks[0]
        if self.views is not None and other.views is not None:
            self.views[place] = other.views[0]


def legal_actions(view: Any, rules: Any) -> list[Action]:
    """Return every legal action for a decision of the slots take, discard or knock.

    Discards come first, in the order of the card numbers, followed by the endings.
    """
    if view.deck_left >= 0:
        return _alone(view, rules)
    if view.phase == answers.PHASE_LAST:
        return [Action(LEAVE), *_endings(view, int(view.hand) | 1 << int(view.taken_offer), rules)]
    if view.taken_offer >= 0:
        return [Action(kind) for kind in _draws(view, rules)]
    eleven = int(view.hand)
    legal = int(legal_discards(eleven, int(view.taken), int(view.drawn), rules))
    thrown = [Action(THROW, card) for card in notation.cards_in(legal)]
    return thrown + _endings(view, eleven, rules)


def die_actions(view: Any, rules: Any) -> list[Action]:
    """Return every legal action for a decision of the slots offer or answer."""
    if view.offered:
        return [Action(ACCEPT), Action(REFUSE)]
    numbers = range(int(view.stake) + 1, int(rules.die_cap) + 1)
    return [Action(OFFER, number) for number in (0, *numbers)]


def _alone(view: Any, rules: Any) -> list[Action]:
    """Return the legal actions of a single player, with one gin for all that score the same."""
    if view.phase == answers.PHASE_STOP:
        return [Action(answers.STOCK), Action(END)]
    eleven = int(view.hand)
    drawn = int(view.drawn)
    legal = int(legal_discards(eleven, -1, drawn, rules))
    least, best = best_discards(eleven, legal, rules)
    may_stop = drawn >= 0 or rules.stop_before_draw
    endings = []
    if least == 0 and may_stop:
        legal &= ~int(best)
        dear, _ = dearest(best, rules)
        endings.append(Action(END, int(lowest(dear))))
    if rules.big_gin and deadwood(eleven, rules) == 0:
        endings.append(Action(END))
    return [Action(THROW, card) for card in notation.cards_in(legal)] + endings


def _draws(view: Any, rules: Any) -> list[int]:
    if view.phase != answers.PHASE_UPCARD:
        return [answers.STOCK, answers.TAKE]
    if rules.first_turn == UPCARD_PASS:
        return [answers.PASS, answers.TAKE]
    return [answers.STOCK, answers.TAKE, answers.PASS]


def _endings(view: Any, eleven: int, rules: Any) -> list[Action]:
    """Return the actions that end the deal with eleven cards."""
    taken = int(view.taken_offer if view.phase == answers.PHASE_LAST else view.taken)
    legal = int(legal_discards(eleven, taken, int(view.drawn), rules))
    must = int(must_be_melded(taken, rules))
    limit, points = int(view.limit), int(view.own_points)
    ending = int(discards_that_end(eleven, legal, must, limit, points, rules))
    found = [Action(END, card) for card in notation.cards_in(ending)]
    if rules.big_gin and deadwood(eleven, rules) == 0:
        found.append(Action(END))
    return found


NUMBERS = types.Array(int64, 1, "C")
STOCKS = types.Array(int8, 2, "C")
TABLE = types.Array(int64, 2, "C")
VIEWS = types.Array(VIEW_TYPE, 1, "C")
RECORDS = types.Array(from_dtype(DEAL), 2, "C")


def compiled_kernel(players: int) -> Any:
    """Compile the loop over worlds; see `core.position_rollouts`."""
    rest = (STOCKS, NUMBERS, NUMBERS, int64, RECORDS)
    if players == 1:
        return compiled_loop(play_worlds_alone, 1, VIEWS, *rest, distinct=False)
    return compiled_loop(play_worlds, 2, VIEWS, NUMBERS, *rest, distinct=False)


def play_in(
    matchup: Matchup, view: Any, actions: list[Action], worlds: Worlds, first: int = 0
) -> np.ndarray:
    """Roll out each action in each world, to the end of the deal.

    Strategy A plays for the owner of the view and B for the opponent, from the position on.

    Args:
        matchup: Matchup that plays the rollouts.
        view: View of the player to act.
        actions: Actions to roll out.
        worlds: Sampled hidden states.
        first: Number of the first world, used as the unit of the policies' random streams.

    Returns:
        Records of the deals, (n_worlds, n_actions) DEAL_RECORD.
    """
    records = np.zeros((len(worlds), len(actions)), DEAL)
    kinds, cards = np.array(actions, np.int64).reshape(-1, 2).T.copy()
    players = len(matchup.players)
    hidden = [worlds.hands, worlds.stocks] if players == 2 else [worlds.stocks]
    arguments = [worlds.views_of(view), *hidden, kinds, cards, first, records]
    _run(matchup, compiled_kernel(players), arguments)
    return records


def offers_in(matchup: Matchup, view: Any, worlds: Worlds, first: int = 0) -> np.ndarray:
    """Query what B offers in each world, for a decision that responds to an offer.

    Args:
        matchup: Matchup; strategy A plays for the owner of the view.
        view: View of the player to act.
        worlds: Sampled hidden states.
        first: Number of the first world, used as the unit of the policies' random streams.

    Returns:
        Offers, (n_worlds,) int64; 0 for none.
    """
    offers = np.zeros(len(worlds), np.int64)
    kernel = compiled_loop(ask_offers, 2, VIEWS, NUMBERS, STOCKS, int64, NUMBERS, distinct=False)
    _run(matchup, kernel, [worlds.views_of(view), worlds.hands, worlds.stocks, first, offers])
    return offers


def _run(matchup: Matchup, kernel: Any, arguments: list[Any], noisy: int = 0) -> None:
    """Call a kernel with a new state and new views before its arguments.

    Args:
        matchup: Matchup to play.
        kernel: Compiled kernel.
        arguments: Arguments after the state, the rules and the views.
        noisy: Slots, as bits, in which A gets random numbers even if its own policy uses none.
    """
    state = new_state(matchup.seed)
    vectors = seat_players(state, matchup)
    state.noisy[0] |= noisy
    views = new_views()[: len(matchup.players)]
    run_kernel(matchup, state, kernel, [state, build_rules(matchup.variant), *views, *arguments])
    del vectors  # The state held only their addresses.


# Paired rollouts of several actions from one decision of a simulated deal


LEVEL = np.zeros(4, np.int64)  # score before the first deal of a match


@dataclass(frozen=True)
class Branches:
    """Decisions of strategy A, with paired rollouts of several actions for each.

    Attributes:
        views: Views of A, (n_decisions,) VIEW.
        weights: Inverse of the probability that the decision was drawn within its deal,
            (n_decisions,) int64.
        actions: Actions tried, padded with -1, (n_decisions, max_actions) int64.
        records: Result of each rollout, (n_decisions, max_actions) DEAL_RECORD.
        scores: Points of A and B and deals won by A and B, (n_decisions, 4) int64.
    """

    views: np.ndarray
    weights: np.ndarray
    answers: np.ndarray
    records: np.ndarray
    standings: np.ndarray

    @property
    def tried(self) -> np.ndarray:
        """Mask of the filled entries of actions and records, (n_decisions, max_actions) bool."""
        return self.answers >= 0


def branch_deals(
    matchup: Matchup,
    choose: Policy,
    first_unit: int,
    units: int,
    most: int,
    standings: np.ndarray | None = None,
    explore: Policy | None = None,
    *,
    first_only: bool = False,
) -> Branches:
    """Play deals, and roll out several actions from one decision of A in each.

    The decision is drawn at random from those of A in the deal, so that means over decisions have
    to be weighted (see `core.paired_rollouts`). Deals with fewer than two candidate actions are
    left out. The decisions of the slots offer, answer and show are not supported, nor is `take` in
    solitaire games.

    Args:
        matchup: Matchup to play.
        choose: Policy of the slot to roll out. It gets the parameters of A's policy in that slot
            and returns the candidate actions, as bits.
        first_unit: Number of the first unit.
        units: Number of units.
        most: Maximum number of actions, lowest first.
        standings: Match score before each deal (see `scores`); by default that of a new match.
        explore: Knock policy of A before the decision, with the parameters of A's own policy; by
            default A's own policy.
        first_only: Use the first decision of the slot instead of drawing one.

    Raises:
        PolicyFailure: A policy failed.
    """
    players = len(matchup.players)
    slot = answers.SLOTS.index(choose.slot)
    before = explore or matchup.a.policy("knock")
    assert before is not None, f"{matchup.a.text} has an empty slot: the loader fills them"
    if standings is None:
        standings = np.tile(LEVEL, (units, 1))
    views = np.zeros(units, VIEW)
    tried = np.full((units, most), -1, np.int64)
    records = np.zeros((units, most), DEAL)
    weights = np.zeros(units, np.int64)
    hooks_of = (HOOK_TYPE, HOOK_TYPE)
    between = (int64, int64, TABLE, int64, boolean, *hooks_of, VIEWS, NUMBERS, TABLE, RECORDS)
    function = play_branches_alone if players == 1 else play_branches
    hooks = [compiler.hook(choose), compiler.hook(before)]
    arguments = [first_unit, units, standings, slot, first_only, *hooks]
    arguments += [views, weights, tried, records]
    noisy = int(before.noise) << KNOCK
    _run(matchup, compiled_loop(function, players, *between), arguments, noisy)
    kept = tried[:, 1] >= 0
    return Branches(views[kept], weights[kept], tried[kept], records[kept], standings[kept])
