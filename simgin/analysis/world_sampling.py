"""Sampling of the hidden cards in a position, weighted by the opponent's play."""

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from simgin.analysis.kernels import fill_decks, fill_worlds
from simgin.core.codes import PHASE_BLIND
from simgin.core.rules_record import FIRST_TURN_DISCARD, FIRST_TURN_FREE, JOKER_NONE
from simgin.core.view import FROM_PILE, FROM_STOCK, VIEW_DTYPE
from simgin.play.matchup import Matchup
from simgin.play.rollouts import Worlds, query_offers
from simgin.rules.build import build_rules
from simgin.strategy import Strategy, loader
from simgin.text.notation import N_CARDS

# Number of Metropolis steps per hand. champion-mc runs the same number of steps before its first
# world.
METROPOLIS_STEPS = 200
# Correction factor for whole hands, estimated on deals that the report of
# benchmarks/likely_hands.py does not use. The weights were trained on hands that differ in only a
# few cards, so they are slightly too small for whole hands.
HAND_WEIGHT_FACTOR = 1.15
IMMEDIATE_KNOCK_POLICY = "at"  # name of the knock policy that ends a deal as soon as possible
# Conditioning on an offer of the die
PROBE_WORLDS = 500  # number of worlds for estimating the probability of the offer
MIN_OFFER_PROBABILITY = 0.01  # simgin ignores less likely offers
# maximum number of samples per world (all of them fail with a probability of at most e**-10)
MAX_SAMPLES_PER_WORLD = 1_000
WORLD_NUMBER_STRIDE = 2**20  # difference between the numbers of two successive samples of a world


def sample_worlds(
    view: Any,
    rules: Any,
    n_worlds: int,
    seed: int,
    first_world: int = 0,
    p_immediate_knock: float = 0.0,
) -> Worlds:
    """Sample independent worlds that are consistent with a view.

    Until the opponent has played a turn, all hands are equally likely. Forgotten cards of the pile
    are sampled last, from the cards that are neither held nor in the stock. The same seed and world
    numbers always produce the same worlds.

    Args:
        view: View of the player.
        rules: Rules of the variant.
        n_worlds: Number of worlds.
        seed: Seed of the sampled hidden states.
        first_world: Number of the first world.
        p_immediate_knock: Probability that the opponent knocks immediately.
    """
    pile_positions, taken_positions = find_forgotten_cards(view, rules)
    int_seed = np.uint64(seed).astype(np.int64)
    n_left = int(max(view.stock, view.deck_left))  # The remaining cards are forgotten cards.
    n_sampled_cards = N_CARDS if view.phase == PHASE_BLIND else n_left + len(pile_positions)
    stocks = np.empty((n_worlds, n_sampled_cards), np.int8)
    hands = np.zeros(n_worlds, np.int64)
    # In solitaire games, all orders of the deck and the joker are equally likely.
    if view.deck_left >= 0:
        fill_decks(view, rules.joker != JOKER_NONE, n_left, int_seed, first_world, stocks)
    else:
        # Hands are weighted only if the opponent has played a turn.
        n_steps = METROPOLIS_STEPS if view.turns >= view.own_turn else 0
        sampling_arguments = (_load_hand_weights(), p_immediate_knock, n_steps, int_seed)
        fill_worlds(view, rules, *sampling_arguments, first_world, hands, stocks)
    if not (pile_positions or taken_positions):
        return Worlds(hands, stocks)
    views = fill_forgotten_cards(view, rules, hands, stocks[:, n_left:], first_world)
    return Worlds(hands, np.ascontiguousarray(stocks[:, :n_left]), views)


def compute_immediate_knock_probability(opponent: Strategy | None) -> float:
    """Return 1 if a strategy uses the policy that knocks immediately, otherwise 0."""
    if opponent is None:
        return 0.0
    policy = opponent.policy("knock")
    return float(policy is not None and policy.name == IMMEDIATE_KNOCK_POLICY)


@cache
def _load_hand_weights() -> np.ndarray:
    """Load the weights of the hand features, which are stored with the strategies."""
    policy = loader.find_strategy("champion").policy("discard")
    assert policy is not None
    return np.asarray(HAND_WEIGHT_FACTOR * np.load(policy.source_file.with_name("hands.npy")))


@dataclass(frozen=True)
class WorldSampler:
    """Sampler of worlds for a view, in a matchup of A against B.

    If the player must respond to an offer of the die, B makes this offer in all sampled worlds.
    """

    matchup: Matchup
    view: Any

    @property
    def has_offer(self) -> bool:
        """True if the player must respond to a die offer that can reveal information."""
        return bool(self.view.offered) and self.view.phase != PHASE_BLIND

    @cached_property
    def matching_offers(self) -> tuple[int, ...]:
        """Die offers that B must make in sampled worlds, or () to accept every world.

        If B rarely makes the actual offer, the result contains all offers. If B rarely makes any
        offer, the result is empty.
        """
        offered_number = int(self.view.offered)
        if self._estimate_offer_probability((offered_number,)) >= MIN_OFFER_PROBABILITY:
            return (offered_number,)
        offers = tuple(range(1, int(self._rules.die_cap) + 1))
        return offers if self._estimate_offer_probability(offers) >= MIN_OFFER_PROBABILITY else ()

    @property
    def offer_probability(self) -> float:
        """Proportion of worlds in which B makes a matching offer."""
        return self._estimate_offer_probability(self.matching_offers)

    def sample(self, n_worlds: int, first_world: int) -> Worlds:
        """Sample independent worlds, beginning with world number `first_world`."""
        worlds = self._sample_unconditioned(n_worlds, first_world)
        if not self.has_offer or not self.matching_offers:
            return worlds
        pending = np.arange(n_worlds)
        for attempt in range(1, MAX_SAMPLES_PER_WORLD):
            start = first_world + attempt * WORLD_NUMBER_STRIDE
            offers_by_world = query_offers(self.matchup, self.view, worlds.select(pending), start)
            pending = pending[~np.isin(offers_by_world, self.matching_offers)]
            if not len(pending):
                break
            for index in pending:
                worlds.replace_world(int(index), self._sample_unconditioned(1, start + int(index)))
        return worlds

    @cached_property
    def _rules(self) -> Any:
        return build_rules(self.matchup.variant)

    @cached_property
    def _probe_offers(self) -> np.ndarray:
        """Die offers of B in sampled worlds, which determine the probability of an offer."""
        start = WORLD_NUMBER_STRIDE - PROBE_WORLDS
        worlds = self._sample_unconditioned(PROBE_WORLDS, start)
        return query_offers(self.matchup, self.view, worlds, start)

    def _estimate_offer_probability(self, offers: tuple[int, ...]) -> float:
        """Return the proportion of worlds in which B makes one of the given offers."""
        return float(np.isin(self._probe_offers, offers).mean())

    def _sample_unconditioned(self, n_worlds: int, first_world: int) -> Worlds:
        """Sample worlds without the condition that the opponent offers the die."""
        p_immediate = compute_immediate_knock_probability(self.matchup.b)
        return sample_worlds(
            self.view, self._rules, n_worlds, self.matchup.seed, first_world, p_immediate
        )


# Each world assigns unseen cards to the forgotten cards of the pile. A view stores a forgotten card
# as -1, both as the first upcard and as a discard in the history.


def find_forgotten_cards(view: Any, rules: Any) -> tuple[list[int], list[int]]:
    """Return the positions of forgotten cards in the pile, and of those that were taken.

    Position 0 is the first upcard, and position n is the discard of turn n. The opponent holds the
    cards that were taken.
    """
    is_solo = view.deck_left >= 0
    has_upcard = not is_solo and rules.first_turn != FIRST_TURN_DISCARD
    end = view.turns + is_solo  # In two-player games, the top card is visible.
    pile_positions: list[int] = []
    taken_positions: list[int] = []
    for position in range(not has_upcard, end):
        if (view.history[position - 1, 3] if position else view.upcard) < 0:
            is_taken = view.history[position, 1] == FROM_PILE
            (taken_positions if is_taken else pile_positions).append(position)
    return pile_positions, taken_positions


def fill_forgotten_cards(
    view: Any, rules: Any, hands: np.ndarray, cards: np.ndarray, first_world: int
) -> np.ndarray:
    """Return a copy of a view for each world, with sampled cards instead of forgotten ones.

    Args:
        view: View of the player.
        rules: Rules of the variant.
        hands: Masks of the opponent's cards, int64 (n_worlds,).
        cards: Cards in the pile, in the order of `find_forgotten_cards`; (n_worlds, n_forgotten).
        first_world: Number of the first world, which determines the cards that were taken.

    Returns:
        VIEW_DTYPE (n_worlds,).
    """
    pile_positions, taken_positions = find_forgotten_cards(view, rules)
    views = np.repeat(np.array([view], VIEW_DTYPE), len(hands))
    for position, sampled_cards in zip(pile_positions, cards.T, strict=True):
        masks = _write_pile_card(views, position, sampled_cards)
        views["pile"] |= masks
        if _is_rejected_by_opponent(view, rules, position):
            views["shed"] |= masks
    for position in taken_positions:
        sampled_cards = _pick_one_card_per_hand(hands & ~views["known"], first_world)
        views["known"] |= _write_pile_card(views, position, sampled_cards)
        views["history"][:, position, 2] = sampled_cards
    views["unseen"] &= ~(views["pile"] | views["known"])
    return views


def _write_pile_card(views: np.ndarray, position: int, cards: np.ndarray) -> np.ndarray:
    """Write one card per world to a position in the pile, and return the cards as masks."""
    if position == 0:
        views["upcard"] = cards
    else:
        views["history"][:, position - 1, 3] = cards
    masks: np.ndarray = np.left_shift(1, cards, dtype=np.int64)
    return masks


def _pick_one_card_per_hand(hands: np.ndarray, first_world: int) -> np.ndarray:
    """Pick one card from each hand, (n_hands,) int64.

    The number of the world determines the card.
    """
    is_held = hands[:, np.newaxis] >> np.arange(N_CARDS) & 1
    card_index = (first_world + np.arange(len(hands))) % is_held.sum(axis=1)
    is_reached = is_held.cumsum(axis=1) > card_index[:, np.newaxis]
    return np.asarray(is_reached.argmax(axis=1))


def _is_rejected_by_opponent(view: Any, rules: Any, position: int) -> bool:
    """Return True if the opponent has discarded or declined the card at a pile position."""
    if position == 0 and rules.first_turn != FIRST_TURN_FREE:
        return True  # Both players declined the first upcard.
    if position and view.history[position - 1, 0] != view.seat:
        return True
    seat, source = view.history[position, :2]
    is_drawn = source == FROM_STOCK and rules.take_discard
    return bool(is_drawn and seat != view.seat)
