"""Evaluation of decisions by what they cost compared with the best action.

The best action is chosen in sampled worlds. The gain of this action over the chosen action is then
measured with the actual hidden hand and a reshuffled stock. A gain measured in the worlds that were
used to select the action would be biased upwards.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np

from simgin.analysis.analysis import compute_gains
from simgin.analysis.position import Position, find_chosen_action, find_decisions, make_decision_key
from simgin.analysis.world_sampling import WorldSampler
from simgin.core.cards import ALL_CARDS
from simgin.core.codes import ACTION_TAKE, PHASE_BLIND, PHASE_LAST, PHASE_UPCARD
from simgin.core.deadwood import deadwood
from simgin.core.position_rollouts import ACTION_ACCEPT, ACTION_END_DEAL, ACTION_REFUSE
from simgin.play.kernel import PolicyCallError
from simgin.play.matchup import Matchup
from simgin.play.rollouts import Action, Worlds, roll_out_worlds
from simgin.play.traced_deal import Decision, ScriptedAction, TracedDeal, trace_to_decision
from simgin.rules.build import build_rules
from simgin.stats.estimate import Estimate, estimate_mean
from simgin.text.notation import mask_to_cards

# Number of worlds before the first comparison. The number doubles for each later comparison.
FIRST_COMPARISON_WORLDS = 25
CONFIRMATION_WORLDS = 400  # number of new worlds for confirming a mistake before measuring its cost
MIN_LEAD_STANDARD_ERRORS = (
    1.0  # minimum lead of an action over the evaluator's action, in standard errors
)
N_STOCK_SHUFFLES = 100  # number of reshuffles of the stock with the actual hidden hand
N_RANDOM_STREAMS = 2**39  # exclusive upper bound of the index of the first world
# Mistakes by kind of decision
MISTAKES_BY_DECISION_KIND = {
    "upcard": ("took the card", "left the card"),
    "draw": ("took the card", "left the card"),
    "discard": (
        "kept more deadwood",
        "kept as much deadwood",
        "kept less deadwood",
        "ended with another card",
    ),
    "knock": ("ended the deal", "played on"),
    "die": ("offered too much", "offered too little", "accepted", "refused"),
}


@dataclass(frozen=True, slots=True)
class EvaluatedDecision:
    """Evaluation of a decision, with the best action and the cost of the chosen action.

    Attributes:
        unit_number: Number of the mirrored pair, or of the deal if deals are not mirrored.
        mirrored_game: Index of the mirrored game within the pair, 0 or 1.
        turn: Number of the turn.
        position_label: Label of the position.
        decision_kind: Kind of decision, a key of `MISTAKES_BY_DECISION_KIND`.
        mistake: Type of mistake, a value of `MISTAKES_BY_DECISION_KIND`, or an empty string if the
            best action was chosen.
        chosen_action: Chosen action.
        best_action: Best action.
        cost: Gain of the best action over the chosen action, in the measure of the variant.
        evaluator_action_gain: Gain of the evaluator's action over the chosen action.
        best_gain_lower_bound: Lower bound of the best action's gain, estimated in the worlds that
            were used to select the action.
        cost_se: Standard error of the cost, which is 0 unless `DecisionEvaluator.measure_costs`
            measured the cost.
    """

    unit_number: int
    mirrored_game: int
    turn: int
    position_label: str
    decision_kind: str
    mistake: str
    chosen_action: str
    best_action: str
    cost: float
    evaluator_action_gain: float
    best_gain_lower_bound: float
    cost_se: float = 0.0


class DecisionEvaluator:
    """Evaluator of a player's decisions against one opponent.

    The evaluating strategy also plays all rollouts.

    Args:
        matchup: Matchup of the evaluator against the opponent. In a solitaire game, there is no
            opponent. The seed of the matchup also determines the worlds.
        max_worlds: Maximum number of worlds used to find the best action. If it is 0, the
            evaluator's action counts as the best action.
        first_comparison_worlds: Number of worlds before the first comparison, which drops all
            actions that are not ahead of the evaluator's action.
        min_lead: Minimum lead of an action over the evaluator's action, in standard errors.
    """

    def __init__(
        self,
        matchup: Matchup,
        max_worlds: int,
        first_comparison_worlds: int = FIRST_COMPARISON_WORLDS,
        min_lead: float = MIN_LEAD_STANDARD_ERRORS,
    ) -> None:
        self.matchup = matchup
        self.max_worlds = max_worlds
        self.first_comparison_worlds = first_comparison_worlds
        self.min_lead = min_lead

    def evaluate(self, deal: TracedDeal) -> list[EvaluatedDecision]:
        """Evaluate all decisions of strategy A in a deal, in the order of play."""
        decisions: list[EvaluatedDecision] = []
        for position, evaluator_action in iter_evaluator_actions(self.matchup, deal):
            seed_numbers = (self.matchup.seed, deal.state.unit, deal.state.half, len(decisions))
            rng = np.random.default_rng(np.array(seed_numbers, np.uint64))
            decisions.append(self._evaluate_decision(deal, position, evaluator_action, rng))
        return decisions

    def measure_costs(self, deal: TracedDeal, n_worlds: int) -> list[EvaluatedDecision]:
        """Evaluate the decisions of strategy A in a deal, and measure mistakes in new worlds.

        The cost is then the mean gain of the best action over all possible hidden cards, instead of
        the gain with the actual hidden cards. A mistake counts only if the gain is positive in
        `CONFIRMATION_WORLDS` new worlds.
        """
        pairs = zip(self.evaluate(deal), iter_positions_of_a(deal), strict=True)
        return [
            self._measure_cost_if_mistake(evaluated, position, n_worlds)
            for evaluated, position in pairs
        ]

    def _measure_cost_if_mistake(
        self, decision: EvaluatedDecision, position: Position, n_worlds: int
    ) -> EvaluatedDecision:
        """Measure a decision's cost in new worlds, or set it to 0 if no mistake is confirmed."""
        best_action = decision.best_action
        if (
            decision.mistake
            and self.sample_gains_over_chosen(position, best_action, CONFIRMATION_WORLDS).mean() > 0
        ):
            cost = estimate_mean(self.sample_gains_over_chosen(position, best_action, n_worlds))
            miss_probability = 1.0 - self._compute_detection_probability(cost)
            # Weight the mistake to account for undetected mistakes (Horvitz and Thompson 1952).
            error = sqrt(cost.se**2 + miss_probability * cost.value**2)
            return replace(decision, cost=cost.value, cost_se=error)
        kind = classify_decision(position, position.chosen_action)
        return replace(
            decision, decision_kind=kind, mistake="", best_action=decision.chosen_action, cost=0.0
        )

    def _compute_detection_probability(self, cost: Estimate) -> float:
        """Return the probability that new worlds reveal and confirm a mistake again."""
        if not cost.se:
            return 1.0
        sample_sizes = [worlds for worlds in (self.max_worlds, CONFIRMATION_WORLDS) if worlds]
        leads = [cost.value / cost.se * sqrt(worlds / cost.n) for worlds in sample_sizes]
        return prod(NormalDist().cdf(lead) for lead in leads)

    def sample_gains_over_chosen(
        self, position: Position, best_action: str, n_worlds: int
    ) -> np.ndarray:
        """Return the gain of the best action over the chosen action in each of several new worlds.

        Args:
            position: Decision in a recorded deal.
            best_action: Best action, formatted as a string.
            n_worlds: Number of worlds.

        Returns:
            Gains of the action, float64 (n_worlds,).
        """
        actions_by_text = {position.format_action(action): action for action in position.actions}
        view = position.view
        seed_numbers = (self.matchup.seed, view.hand, view.turns, n_worlds)
        first_world = int(
            np.random.default_rng(np.array(seed_numbers, np.uint64)).integers(N_RANDOM_STREAMS)
        )
        actions = [actions_by_text[best_action], position.chosen_action]
        gains = self._sample_gains(position, actions, n_worlds, first_world)
        return np.asarray(gains[:, 0] - gains[:, 1])

    def _evaluate_decision(
        self,
        deal: TracedDeal,
        position: Position,
        evaluator_action: Action,
        rng: np.random.Generator,
    ) -> EvaluatedDecision:
        """Find the best action of a decision, and compare the chosen action with it."""
        chosen_action = position.chosen_action
        # Draw a random number and ignore it, so that every seed gives the same worlds as in earlier
        # versions.
        rng.random()
        best_action, selection_lead = self._find_best_action(position, evaluator_action, rng)
        mean_gains = self._compute_mean_gains(
            deal, position, [chosen_action, best_action, evaluator_action], rng
        )
        decision_kind = classify_decision(position, best_action)
        return EvaluatedDecision(
            unit_number=int(deal.state.unit),
            mirrored_game=int(deal.state.half),
            turn=position.turn,
            position_label=position.label,
            decision_kind=decision_kind,
            mistake=""
            if best_action == chosen_action
            else classify_mistake(position, decision_kind, best_action),
            chosen_action=position.format_action(chosen_action),
            best_action=position.format_action(best_action),
            cost=mean_gains[best_action] - mean_gains[chosen_action],
            evaluator_action_gain=mean_gains[evaluator_action] - mean_gains[chosen_action],
            best_gain_lower_bound=selection_lead,
        )

    def _find_best_action(
        self, position: Position, evaluator_action: Action, rng: np.random.Generator
    ) -> tuple[Action, float]:
        """Return the best action and the lower bound of its gain over the chosen action.

        If no action is significantly better than the evaluator's action, the evaluator's action is
        the best action. Each comparison drops the actions that are not ahead of the evaluator's
        action.
        """
        actions = position.actions
        evaluator_index = actions.index(evaluator_action)
        chosen_index = actions.index(position.chosen_action)
        gains = np.empty((0, len(actions)))
        is_tried = np.ones(len(actions), bool)
        is_ahead = is_tried
        first_world = int(rng.integers(N_RANDOM_STREAMS))
        while len(gains) < self.max_worlds and is_ahead.any():
            n_new_worlds = min(
                max(self.first_comparison_worlds, len(gains)), self.max_worlds - len(gains)
            )
            tried_indices = np.flatnonzero(is_tried)
            tried_actions = [actions[index] for index in tried_indices]
            new_gains = np.full((n_new_worlds, len(actions)), np.nan)
            new_gains[:, tried_indices] = self._sample_gains(
                position, tried_actions, n_new_worlds, first_world + len(gains)
            )
            gains = np.concatenate([gains, new_gains])
            means = gains.mean(axis=0)
            is_ahead = means > means[evaluator_index]
            is_tried = is_ahead.copy()
            is_tried[[evaluator_index, chosen_index]] = True
        if not len(gains):
            return evaluator_action, 0.0
        lead_bounds = _compute_lead_bounds(gains, evaluator_index, self.min_lead)
        best_index = int(lead_bounds.argmax()) if lead_bounds.max() > 0 else evaluator_index
        return actions[best_index], float(
            _compute_lead_bounds(gains, chosen_index, MIN_LEAD_STANDARD_ERRORS)[best_index]
        )

    def _sample_gains(
        self, position: Position, actions: list[Action], n_worlds: int, first_world: int
    ) -> np.ndarray:
        """Sample worlds, and return the gain of each action, (n_worlds, n_actions) float64."""
        sampled_worlds = WorldSampler(self.matchup, position.view).sample(n_worlds, first_world)
        return self._compute_gains(position, actions, sampled_worlds, first_world)

    def _compute_mean_gains(
        self,
        deal: TracedDeal,
        position: Position,
        compared_actions: Sequence[Action],
        rng: np.random.Generator,
    ) -> dict[Action, float]:
        """Return each action's mean gain with the opponent's actual hand and reshuffled stocks."""
        actions = list(dict.fromkeys(compared_actions))
        if len(actions) == 1:
            return {actions[0]: 0.0}  # Only differences between actions matter.
        if self.matchup.b is None or position.view.phase == PHASE_BLIND:
            gains = self._sample_gains(
                position, actions, N_STOCK_SHUFFLES, int(rng.integers(N_RANDOM_STREAMS))
            )
        else:
            worlds = _reshuffle_stock(deal, position.view, rng)
            gains = self._compute_gains(
                position, actions, worlds, int(rng.integers(N_RANDOM_STREAMS))
            )
        return dict(zip(actions, gains.mean(axis=0).tolist(), strict=True))

    def _compute_gains(
        self, position: Position, actions: list[Action], worlds: Worlds, first_stream: int
    ) -> np.ndarray:
        """Return the gain of each action in the given worlds, (n_worlds, n_actions) float64."""
        return compute_gains(
            roll_out_worlds(self.matchup, position.view, actions, worlds, first_stream),
            position.variant,
        )


def iter_evaluator_actions(matchup: Matchup, deal: TracedDeal) -> Iterator[tuple[Position, Action]]:
    """Yield the decision positions of strategy A, each with the evaluator's action."""
    state = deal.state
    if state.half:
        # With a given shuffle, strategy A always sits in seat 0. Swap the strategies to keep their
        # seats.
        assert matchup.b is not None, "A single-player game has only one half."
        matchup = replace(matchup, a=matchup.b, b=matchup.a)
    deal_options = {"dealer": int(state.dealer), "joker": int(state.joker)}
    # All past decisions, including decisions to decline an ending
    decisions: list[ScriptedAction] = []
    next_index = 0
    for position in iter_positions_of_a(deal):
        decision_key = make_decision_key(deal.decisions[position.policy_call_index])
        for decision in deal.decisions[next_index : position.policy_call_index]:
            assert decision.action is not None, "Only the last decision of a deal has no action."
            decisions.append(ScriptedAction(decision.seat, decision.slot, decision.action))
        next_index = position.policy_call_index

        def is_next_decision(
            policy_call: Decision, decision_key: tuple[int, int, int, str] = decision_key
        ) -> bool:
            return make_decision_key(policy_call) == decision_key

        trace = trace_to_decision(
            matchup, decisions, is_next_decision, int(state.unit), pack=state.pack, **deal_options
        )
        assert trace is not None, "actions that the players chose in the deal"
        replayed_deal, policy_call_index = trace
        action = find_chosen_action(replayed_deal, policy_call_index)
        if action is None:
            raise PolicyCallError(replayed_deal.error) from replayed_deal.exception
        yield position, action


def iter_positions_of_a(deal: TracedDeal) -> Iterator[Position]:
    """Yield the decision positions of strategy A, in the order of play."""
    for position in find_decisions(deal):
        if position.view.seat == deal.state.half:
            yield position


def _compute_lead_bounds(
    gains: np.ndarray, baseline_index: int, n_standard_errors: float
) -> np.ndarray:
    """Return a lower bound for each action's lead over the baseline action.

    If an action was not tried, the bound is -inf.

    Args:
        gains: Gains of the actions, float64 (n_worlds, n_actions); NaN if an action was not tried.
        baseline_index: Index of the baseline action.
        n_standard_errors: Distance between the bound and the mean, in standard errors.
    """
    leads = gains - gains[:, baseline_index, None]
    standard_errors = leads.std(axis=0) / sqrt(len(gains))
    lower_bounds = leads.mean(axis=0) - n_standard_errors * standard_errors
    return np.where(np.isnan(lower_bounds), -np.inf, lower_bounds)


def _reshuffle_stock(deal: TracedDeal, view: Any, rng: np.random.Generator) -> Worlds:
    """Return worlds that have the opponent's actual hand and a reshuffled stock."""
    hidden_hand = _find_hidden_hand(deal, view)
    stock_cards = ALL_CARDS & ~(int(view.hand) | int(view.pile) | hidden_hand)
    stocks = np.tile(np.array(mask_to_cards(stock_cards), np.int8), (N_STOCK_SHUFFLES, 1))
    return Worlds(np.full(N_STOCK_SHUFFLES, hidden_hand), rng.permuted(stocks, axis=1))


def _find_hidden_hand(deal: TracedDeal, view: Any) -> int:
    """Return the mask of the cards that the opponent held at the time of a decision."""
    opponent = 1 - int(view.seat)
    hand = deal.hands[opponent]
    for seat, _, card, discard in deal.turns[: int(view.turns)]:
        if seat == opponent:
            hand = (hand | (1 << card if card >= 0 else 0)) & ~(1 << discard)
    return hand


def classify_decision(position: Position, best_action: Action) -> str:
    """Return the kind of decision: die, upcard, draw, discard or knock."""
    if position.is_about_die:
        return "die"
    view = position.view
    if view.phase == PHASE_UPCARD:
        return "upcard"
    if view.taken_offer >= 0 and view.phase != PHASE_LAST:
        return "draw"
    return "discard" if position.chosen_action.type == best_action.type else "knock"


def classify_mistake(position: Position, decision_kind: str, best_action: Action) -> str:
    """Return the type of a mistake, such as `kept more deadwood`."""
    chosen_action = position.chosen_action
    if chosen_action.type in (ACTION_ACCEPT, ACTION_REFUSE):
        return "accepted" if chosen_action.type == ACTION_ACCEPT else "refused"
    if decision_kind == "die":  # The field `card` is the offered number, or 0 for no offer.
        return "offered too much" if chosen_action.card > best_action.card else "offered too little"
    if decision_kind in ("upcard", "draw"):
        return "took the card" if chosen_action.type == ACTION_TAKE else "left the card"
    if decision_kind == "knock":
        return "ended the deal" if chosen_action.type == ACTION_END_DEAL else "played on"
    if chosen_action.type == ACTION_END_DEAL:
        return "ended with another card"
    extra_deadwood = _compute_deadwood_after(position, chosen_action) - _compute_deadwood_after(
        position, best_action
    )
    amount = "more" if extra_deadwood > 0 else "less" if extra_deadwood else "as much"
    return f"kept {amount} deadwood"


def _compute_deadwood_after(position: Position, action: Action) -> int:
    """Return the deadwood that remains after a discard."""
    remaining_hand = int(position.view.hand) & ~(1 << action.card)
    return int(deadwood(remaining_hand, build_rules(position.variant)))
