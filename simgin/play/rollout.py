"""Play that goes on from a question: in worlds with the hidden cards filled in, and in branches."""

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
    """What a player may do: STOCK, TAKE or PASS; THROW or END with a card; LEAVE.

    END without a card (-1) is big gin, and for one player with ten cards the knock or gin. With the
    die it is OFFER with a number in place of the card, 0 to leave the die; ACCEPT or REFUSE.
    """

    kind: int
    card: int = -1


@dataclass(frozen=True)
class Worlds:
    """The hidden cards of a position, filled in some number of times."""

    hands: np.ndarray  # int64 (worlds,): the opponent's cards; none for one player
    # int8 (worlds, cards): the stock, the next card first; for one player the joker is among them,
    # and before the cards are dealt it is the whole pack
    stocks: np.ndarray
    # core.view.VIEW (worlds,): the position, where each world fills in what the player forgot
    views: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.hands)

    def views_of(self, view: Any) -> np.ndarray:
        """The question in every world: VIEW (worlds,), or (1,) where it is `view` in all."""
        return np.array([view], VIEW) if self.views is None else self.views

    def some(self, places: np.ndarray) -> "Worlds":
        """Some of the worlds."""
        views = None if self.views is None else self.views[places]
        return Worlds(self.hands[places], self.stocks[places], views)

    def put(self, place: int, other: "Worlds") -> None:
        """Put the first of other worlds in place of one."""
        self.hands[place] = other.hands[0]
        self.stocks[place] = other.stocks[0]
        if self.views is not None and other.views is not None:
            self.views[place] = other.views[0]


def legal_actions(view: Any, rules: Any) -> list[Action]:
    """Everything the player may do at a question of the slots take, discard or knock.

    Discards come in the order of their numbers, then the endings.
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
    """Everything the player may do at a question of the slots offer or answer."""
    if view.offered:
        return [Action(ACCEPT), Action(REFUSE)]
    numbers = range(int(view.stake) + 1, int(rules.die_cap) + 1)
    return [Action(OFFER, number) for number in (0, *numbers)]


def _alone(view: Any, rules: Any) -> list[Action]:
    """What a single player may do; one gin stands for all, since they score alike."""
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
    """The ways to end the deal with eleven cards."""
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
    """The compiled loop; see `simgin.core.position` and `simgin.core.solo_position`."""
    rest = (STOCKS, NUMBERS, NUMBERS, int64, RECORDS)
    if players == 1:
        return compiled_loop(play_worlds_alone, 1, VIEWS, *rest, distinct=False)
    return compiled_loop(play_worlds, 2, VIEWS, NUMBERS, *rest, distinct=False)


def play_in(
    matchup: Matchup, view: Any, actions: list[Action], worlds: Worlds, first: int = 0
) -> np.ndarray:
    """How the deal ends after each action in each world: core.record.DEAL (worlds, actions).

    A is the player of the view, and B the opponent, from the position on. first: the number of the
    first world, which is the unit of the random streams of policies that use chance.
    """
    records = np.zeros((len(worlds), len(actions)), DEAL)
    kinds, cards = np.array(actions, np.int64).reshape(-1, 2).T.copy()
    players = len(matchup.players)
    hidden = [worlds.hands, worlds.stocks] if players == 2 else [worlds.stocks]
    arguments = [worlds.views_of(view), *hidden, kinds, cards, first, records]
    _run(matchup, compiled_kernel(players), arguments)
    return records


def offers_in(matchup: Matchup, view: Any, worlds: Worlds, first: int = 0) -> np.ndarray:
    """What B offers in each world of a question that answers an offer: int64 (worlds,), 0: nothing.

    A is the player of the view. first: as of `play_in`.
    """
    offers = np.zeros(len(worlds), np.int64)
    kernel = compiled_loop(ask_offers, 2, VIEWS, NUMBERS, STOCKS, int64, NUMBERS, distinct=False)
    _run(matchup, kernel, [worlds.views_of(view), worlds.hands, worlds.stocks, first, offers])
    return offers


def _run(matchup: Matchup, kernel: Any, arguments: list[Any], noisy: int = 0) -> None:
    """Call a kernel with a state and views of its own before its arguments.

    noisy: slots, as bits, in which A gets random numbers although its own policy takes none.
    """
    state = new_state(matchup.seed)
    vectors = seat_players(state, matchup)
    state.noisy[0] |= noisy
    views = new_views()[: len(matchup.players)]
    run_kernel(matchup, state, kernel, [state, build_rules(matchup.variant), *views, *arguments])
    del vectors  # the state held their addresses


# Deals branched at one question: what each of several answers leads to, in the same world


LEVEL = np.zeros(4, np.int64)  # the standing before the first deal of a match


@dataclass(frozen=True)
class Branches:
    """Questions of strategy A, and how the deal went on after each answer tried."""

    views: np.ndarray  # VIEW (questions,): what A saw
    weights: np.ndarray  # int64 (questions,): one over the chance that it was drawn in its deal
    answers: np.ndarray  # int64 (questions, answers): from the left, then -1
    records: np.ndarray  # simgin.core.record.DEAL (questions, answers): how each branch ended
    standings: np.ndarray  # int64 (questions, 4): points of A and B, deals won by A and B

    @property
    def tried(self) -> np.ndarray:
        """Which entries of `answers` and `records` are there: bool (questions, answers)."""
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
    """Play deals of a matchup, and branch each at one question of A.

    The question is drawn at random from those that A was asked in the deal. Means over questions
    have to be weighted (see `simgin.core.branch`).

    choose: a policy of the slot to branch whose answer is the set of answers worth trying, as
    bits; it gets the numbers of A's policy in that slot. most: answers tried at most, the lowest
    first. standings: the match before each deal (see `Branches`), by default a new match.
    explore: the knock policy that A plays by up to the question, with the numbers of A's own; by
    default A's own. first_only: branch the first question of the slot instead, without a draw.
    Deals with fewer than two answers worth trying are left out. The slots of the die and the
    melding cannot be branched, and for one player `take`. Raises PolicyFailure.
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
