"""Rollouts from one decision, either in sampled worlds or in simulated deals."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba import boolean, from_dtype, int8, int64, types

from simgin.core import codes
from simgin.core.bits import lowest_bit
from simgin.core.deadwood import best_discards, deadwood, highest_value_cards
from simgin.core.deal_record import DEAL_RECORD_DTYPE
from simgin.core.endings import (
    find_ending_discards,
    find_permitted_discards,
    find_required_meld_card,
)
from simgin.core.offer_queries import query_world_offers
from simgin.core.paired_rollouts import run_paired_rollouts, run_paired_rollouts_solo
from simgin.core.policy_types import POLICY_TYPE, VIEW_TYPE
from simgin.core.position_rollouts import (
    ACTION_ACCEPT,
    ACTION_DISCARD,
    ACTION_END_DEAL,
    ACTION_LEAVE_DISCARD,
    ACTION_OFFER,
    ACTION_REFUSE,
    run_world_rollouts,
)
from simgin.core.rules_record import FIRST_TURN_UPCARD_PASS
from simgin.core.solo_position_rollouts import run_world_rollouts_solo
from simgin.core.state import SLOT_KNOCK, create_state
from simgin.core.view import VIEW_DTYPE
from simgin.play.kernel import (
    call_kernel_wrapping_errors,
    compile_deal_loop,
    create_views,
    set_strategies,
)
from simgin.play.matchup import Matchup
from simgin.rules.build import build_rules
from simgin.strategy import Policy, compiler
from simgin.text import notation


class Action(NamedTuple):
    """Action that a player can take at a decision.

    Attributes:
        type: Type of action: STOCK, TAKE, PASS, THROW (discard), END, LEAVE, OFFER, ACCEPT or
            REFUSE.
        card: Card for THROW and END, or number on the die for OFFER (0 to leave the die). END
            without a card (-1) is big gin. In solitaire games, END without a card can also be a
            knock or gin with ten cards.
    """

    type: int
    card: int = -1


@dataclass(frozen=True)
class Worlds:
    """Sampled hidden states of a position, each of which is called a world.

    Attributes:
        hands: Cards of the opponent as masks, (n_worlds,) int64. Solitaire games ignore this array.
        stocks: Cards of the stock in drawing order, (n_worlds, n_cards) int8. In solitaire games,
            the stock includes the joker. Before the deal, the stock is the whole pack.
        views: Views of the player with sampled values for facts that the player has forgotten,
            (n_worlds,) VIEW_DTYPE, or None if all worlds have the same view.
    """

    hands: np.ndarray
    stocks: np.ndarray
    views: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.hands)

    def get_views(self, view: Any) -> np.ndarray:
        """Return one view per world, (n_worlds,), or a single shared view, (1,)."""
        return np.array([view], VIEW_DTYPE) if self.views is None else self.views

    def select(self, indices: np.ndarray) -> "Worlds":
        """Return the worlds at the given indices."""
        views = None if self.views is None else self.views[indices]
        return Worlds(self.hands[indices], self.stocks[indices], views)

    def replace_world(self, index: int, other_worlds: "Worlds") -> None:
        """Replace one world with the first world of another sample."""
        self.hands[index] = other_worlds.hands[0]
        self.stocks[index] = other_worlds.stocks[0]
        if self.views is not None and other_worlds.views is not None:
            self.views[index] = other_worlds.views[0]


def list_legal_actions(view: Any, rules: Any) -> list[Action]:
    """Return all legal actions at a decision in the slot take, discard or knock.

    Discards come first, in the order of the card numbers. Endings follow.
    """
    if view.deck_left >= 0:
        return _list_solo_actions(view, rules)
    if view.phase == codes.PHASE_LAST:
        return [
            Action(ACTION_LEAVE_DISCARD),
            *_list_ending_actions(view, int(view.hand) | 1 << int(view.taken_offer), rules),
        ]
    if view.taken_offer >= 0:
        return [Action(action_type) for action_type in _list_draw_actions(view, rules)]
    eleven_cards = int(view.hand)
    legal = int(find_permitted_discards(eleven_cards, int(view.taken), int(view.drawn), rules))
    discards = [Action(ACTION_DISCARD, card) for card in notation.mask_to_cards(legal)]
    return discards + _list_ending_actions(view, eleven_cards, rules)


def list_die_actions(view: Any, rules: Any) -> list[Action]:
    """Return all legal actions at a decision in the slot offer or answer."""
    if view.offered:
        return [Action(ACTION_ACCEPT), Action(ACTION_REFUSE)]
    numbers = range(int(view.stake) + 1, int(rules.die_cap) + 1)
    return [Action(ACTION_OFFER, number) for number in (0, *numbers)]


def _list_solo_actions(view: Any, rules: Any) -> list[Action]:
    """Return the legal actions at a decision in a solitaire game.

    If several gin endings have the same score, the result contains only one of them.
    """
    if view.phase == codes.PHASE_STOP:
        return [Action(codes.ACTION_STOCK), Action(ACTION_END_DEAL)]
    eleven_cards = int(view.hand)
    drawn_card = int(view.drawn)
    legal = int(find_permitted_discards(eleven_cards, -1, drawn_card, rules))
    min_deadwood, best_gin = best_discards(eleven_cards, legal, rules)
    can_stop = drawn_card >= 0 or rules.stop_before_draw
    endings = []
    if min_deadwood == 0 and can_stop:
        legal &= ~int(best_gin)
        highest_cards, _ = highest_value_cards(best_gin, rules)
        endings.append(Action(ACTION_END_DEAL, int(lowest_bit(highest_cards))))
    if rules.big_gin and deadwood(eleven_cards, rules) == 0:
        endings.append(Action(ACTION_END_DEAL))
    return [Action(ACTION_DISCARD, card) for card in notation.mask_to_cards(legal)] + endings


def _list_draw_actions(view: Any, rules: Any) -> list[int]:
    """Return the legal actions of a player who chooses the draw source."""
    if view.phase != codes.PHASE_UPCARD:
        return [codes.ACTION_STOCK, codes.ACTION_TAKE]
    if rules.first_turn == FIRST_TURN_UPCARD_PASS:
        return [codes.ACTION_PASS, codes.ACTION_TAKE]
    return [codes.ACTION_STOCK, codes.ACTION_TAKE, codes.ACTION_PASS]


def _list_ending_actions(view: Any, eleven_cards: int, rules: Any) -> list[Action]:
    """Return the legal actions that end the deal for a player with eleven cards."""
    taken_card = int(view.taken_offer if view.phase == codes.PHASE_LAST else view.taken)
    legal = int(find_permitted_discards(eleven_cards, taken_card, int(view.drawn), rules))
    required_card = int(find_required_meld_card(taken_card, rules))
    knock_limit, points = int(view.limit), int(view.own_points)
    ending_discards = int(
        find_ending_discards(eleven_cards, legal, required_card, knock_limit, points, rules)
    )
    actions = [Action(ACTION_END_DEAL, card) for card in notation.mask_to_cards(ending_discards)]
    if rules.big_gin and deadwood(eleven_cards, rules) == 0:
        actions.append(Action(ACTION_END_DEAL))
    return actions


INT_VECTOR_TYPE = types.Array(int64, 1, "C")
STOCKS_TYPE = types.Array(int8, 2, "C")
INT_MATRIX_TYPE = types.Array(int64, 2, "C")
VIEWS_TYPE = types.Array(VIEW_TYPE, 1, "C")
RECORD_MATRIX_TYPE = types.Array(from_dtype(DEAL_RECORD_DTYPE), 2, "C")


def compile_rollout_kernel(n_players: int) -> Any:
    """Compile the function that rolls out actions in worlds (see `core.position_rollouts`)."""
    other_types = (STOCKS_TYPE, INT_VECTOR_TYPE, INT_VECTOR_TYPE, int64, RECORD_MATRIX_TYPE)
    if n_players == 1:
        return compile_deal_loop(
            run_world_rollouts_solo, 1, VIEWS_TYPE, *other_types, no_alias=False
        )
    return compile_deal_loop(
        run_world_rollouts, 2, VIEWS_TYPE, INT_VECTOR_TYPE, *other_types, no_alias=False
    )


def roll_out_worlds(
    matchup: Matchup, view: Any, actions: list[Action], worlds: Worlds, first_world: int = 0
) -> np.ndarray:
    """Roll out each action in each world to the end of the deal.

    Strategy A plays for the owner of the view, and strategy B plays for the opponent.

    Args:
        matchup: Matchup whose strategies play the rollouts.
        view: View of the player to act.
        actions: Actions to roll out.
        worlds: Sampled hidden states.
        first_world: Number of the first world. In the random streams of the policies, the unit is
            the number of the world.

    Returns:
        Records of the deals, (n_worlds, n_actions) DEAL_RECORD_DTYPE.
    """
    records = np.zeros((len(worlds), len(actions)), DEAL_RECORD_DTYPE)
    action_types, cards = np.array(actions, np.int64).reshape(-1, 2).T.copy()
    n_players = len(matchup.players)
    world_arrays = [worlds.hands, worlds.stocks] if n_players == 2 else [worlds.stocks]
    arguments = [worlds.get_views(view), *world_arrays, action_types, cards, first_world, records]
    _call_kernel_in_new_state(matchup, compile_rollout_kernel(n_players), arguments)
    return records


def query_offers(matchup: Matchup, view: Any, worlds: Worlds, first_world: int = 0) -> np.ndarray:
    """Return the die offer that B would make in each world.

    Args:
        matchup: Matchup in which strategy A plays for the owner of the view.
        view: View of the player to act.
        worlds: Sampled hidden states.
        first_world: Number of the first world. In the random streams of the policies, the unit is
            the number of the world.

    Returns:
        Offers, (n_worlds,) int64, with 0 for no offer.
    """
    offers = np.zeros(len(worlds), np.int64)
    array_types = (VIEWS_TYPE, INT_VECTOR_TYPE, STOCKS_TYPE, int64, INT_VECTOR_TYPE)
    kernel = compile_deal_loop(query_world_offers, 2, *array_types, no_alias=False)
    _call_kernel_in_new_state(
        matchup, kernel, [worlds.get_views(view), worlds.hands, worlds.stocks, first_world, offers]
    )
    return offers


def _call_kernel_in_new_state(
    matchup: Matchup, kernel: Any, arguments: list[Any], random_slots: int = 0
) -> None:
    """Call a kernel with a new state, the rules, new views and the given arguments.

    Args:
        matchup: Matchup to play.
        kernel: Compiled kernel.
        arguments: Arguments after the state, the rules and the views.
        random_slots: Slots, as bits, in which A receives random numbers even if its policy does not
            use them.
    """
    state = create_state(matchup.seed)
    vectors = set_strategies(state, matchup)
    state.random_slots[0] |= random_slots
    views = create_views()[: len(matchup.players)]
    call_kernel_wrapping_errors(
        matchup, state, kernel, [state, build_rules(matchup.variant), *views, *arguments]
    )
    del vectors  # The state contains only addresses, so the vectors had to live until here.


# Paired rollouts of several actions at one decision of a simulated deal


NEW_MATCH_SCORE = np.zeros(4, np.int64)  # score before the first deal of a match


@dataclass(frozen=True)
class PairedRollouts:
    """Decisions of strategy A, with rollouts of several actions at each decision.

    Attributes:
        views: Views of A, (n_decisions,) VIEW_DTYPE.
        weights: Inverse of the probability that the decision was selected within its deal,
            (n_decisions,) int64.
        actions: Actions that were rolled out, padded with -1, (n_decisions, max_actions) int64.
        records: Results of the rollouts, (n_decisions, max_actions) DEAL_RECORD_DTYPE.
        scores: Match score at each decision, (n_decisions, 4) int64 (points of A, points of B,
            deals won by A, deals won by B).
    """

    views: np.ndarray
    weights: np.ndarray
    actions: np.ndarray
    records: np.ndarray
    scores: np.ndarray

    @property
    def rolled_out_mask(self) -> np.ndarray:
        """Mask of the actions that were rolled out, (n_decisions, max_actions) bool."""
        return self.actions >= 0


def roll_out_deals(
    matchup: Matchup,
    candidates_policy: Policy,
    first_unit: int,
    n_units: int,
    max_actions: int,
    scores: np.ndarray | None = None,
    exploration_policy: Policy | None = None,
    *,
    use_first_decision: bool = False,
) -> PairedRollouts:
    """Play deals, and roll out several actions of player A at one decision in each deal.

    The decision is drawn at random from the decisions of A in the deal, so means over decisions
    must be weighted (see `core.paired_rollouts`). The result omits deals with fewer than two
    candidate actions. The slots offer, answer and show are not supported, nor is `take` in
    solitaire games.

    Args:
        matchup: Matchup to play.
        candidates_policy: Policy that returns the candidate actions as bits. The slot of this
            policy is the slot of the decisions. The policy receives the parameters of A's policy in
            that slot.
        first_unit: Number of the first unit.
        n_units: Number of units.
        max_actions: Maximum number of actions. The actions with the lowest numbers are used.
        scores: Match score before each deal (see `PairedRollouts.scores`). The default is the score
            of a new match.
        exploration_policy: Knock policy that A uses before the decision. The default is A's knock
            policy. The policy always receives the parameters of A's knock policy.
        use_first_decision: True to use the first decision of the slot instead of a random decision.

    Raises:
        PolicyCallError: If a policy fails.
    """
    n_players = len(matchup.players)
    slot = codes.SLOTS.index(candidates_policy.slot)
    knock_policy = exploration_policy or matchup.a.policy("knock")
    assert knock_policy is not None, (
        f"{matchup.a.spec} has an empty slot. Use the strategy loader, which fills empty slots."
    )
    if scores is None:
        scores = np.tile(NEW_MATCH_SCORE, (n_units, 1))
    views = np.zeros(n_units, VIEW_DTYPE)
    rolled_out_actions = np.full((n_units, max_actions), -1, np.int64)
    records = np.zeros((n_units, max_actions), DEAL_RECORD_DTYPE)
    weights = np.zeros(n_units, np.int64)
    input_types = (int64, int64, INT_MATRIX_TYPE, int64, boolean, POLICY_TYPE, POLICY_TYPE)
    output_types = (VIEWS_TYPE, INT_VECTOR_TYPE, INT_MATRIX_TYPE, RECORD_MATRIX_TYPE)
    function = run_paired_rollouts_solo if n_players == 1 else run_paired_rollouts
    policies = [compiler.compile_policy(candidates_policy), compiler.compile_policy(knock_policy)]
    arguments = [first_unit, n_units, scores, slot, use_first_decision, *policies]
    arguments += [views, weights, rolled_out_actions, records]
    random_slots = int(knock_policy.noise) << SLOT_KNOCK
    kernel = compile_deal_loop(function, n_players, *input_types, *output_types)
    _call_kernel_in_new_state(matchup, kernel, arguments, random_slots)
    has_rollouts = rolled_out_actions[:, 1] >= 0
    return PairedRollouts(
        views[has_rollouts],
        weights[has_rollouts],
        rolled_out_actions[has_rollouts],
        records[has_rollouts],
        scores[has_rollouts],
    )
