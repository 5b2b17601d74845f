"""Results of the engine for worked examples, by the same functions as in `reference`."""

import copy

import numpy as np

from simgin.core import batch_columns, codes, endings, layoff, match, meldings, scoring
from simgin.core.cards import ALL_CARDS
from simgin.core.deadwood import best_discards, compute_deadwood_batch, compute_deadwood_for_role
from simgin.core.rules_record import DEFENDER, KNOCKER, STOCK_END_OPPONENT_MAY_TAKE
from simgin.core.showdown import score_showdown as engine_showdown
from simgin.core.solo_deal import choose_joker_position
from simgin.core.state import create_state
from simgin.core.view import FROM_PILE, FROM_STOCK
from simgin.play.hand_analysis import (
    choose_shown_melding,
    find_best_meldings,
    find_required_shot_ranks,
    format_meld,
    sort_melds,
)
from simgin.play.matchup import Matchup
from simgin.play.traced_deal import Decision, trace_deal
from simgin.rules.build import build_rules, build_rules_from_params
from simgin.strategy.author import Policy, Strategy
from simgin.text import notation
from simgin.text.notation import cards_to_mask, format_card
from worked_examples.actions import (
    ACTION_KINDS,
    DEALER_SEAT,
    SOLO_DRAW_ACTION,
    Action,
    IllegalActionError,
    count_dealt_cards,
)
from worked_examples.matches import MatchState
from worked_examples.schema import ImpossibleActionError, NotSupportedError

# Deadwood 0 makes a knock gin
ENDING_CODES = {"knock": codes.ENDING_KNOCK, "gin": codes.ENDING_KNOCK, "shot": codes.ENDING_SHOT}
ENDING_CODES["big_gin"] = codes.ENDING_BIG_GIN
# Deals in which the joker must not be in the hand, to conclude that such deals are dealt again; the
# conclusion is wrong with probability 1e-18
MAX_REDEAL_TRIES = 200

# Cards, counts and points


def _format_melds(melds):
    return [format_meld(meld) for meld in sort_melds(melds)]


def solve_hand(params, hand):
    """Return the least deadwood of a hand, all meldings with it, and the melding shown."""
    rules, mask = build_rules_from_params(params), cards_to_mask(hand)
    side = DEFENDER if (params["ace_value"], params["pip_values"]) == (15, "face") else KNOCKER
    every = [
        [format_meld(meld) for meld in found] for found in find_best_meldings(mask, rules, side)
    ]
    return (
        int(compute_deadwood_for_role(mask, rules, side)),
        every,
        _format_melds(choose_shown_melding(mask, rules)[1]),
    )


def find_knock_options(params, hand, knock_limit, taken_card, drawn_card, points):
    """Return the discards that allow a knock or a shot, and whether the hand is big gin."""
    rules, mask = build_rules_from_params(params), cards_to_mask(hand)
    must = int(endings.find_required_meld_card(taken_card, rules))
    legal = int(endings.find_permitted_discards(mask, taken_card, drawn_card, rules))
    least, best = best_discards(mask, legal, rules)
    ending, _, _ = endings.find_best_ending(
        mask, legal, must, knock_limit, points, least, best, rules
    )
    knock, shot = {}, []
    for card in notation.mask_to_cards(legal):
        ten = mask & ~(1 << card)
        count = int(endings.compute_declared_deadwood(ten, must, rules))
        if count <= knock_limit:
            knock[format_card(card)] = count
        if params["shot"] and endings.is_shot(ten, must, points, rules):
            shot.append(format_card(card))
    return knock, shot, bool(ending == codes.ENDING_BIG_GIN)


def solve_layoff(params, hand, melds):
    """Return the defender's deadwood, melds and lay-offs, and the deadwood with fixed melds."""
    rules, mask = build_rules_from_params(params), cards_to_mask(hand)
    shown = np.array([*map(cards_to_mask, melds), 0, 0, 0][:3], np.int64)
    count, laid = _lay_off_cards(mask, shown, rules)
    own = find_best_meldings(mask & ~laid, rules, DEFENDER)[0]
    apart = [mask & ~sum(melding) for melding in find_best_meldings(mask, rules, DEFENDER)]
    fixed = min(_lay_off_cards(rest, shown, rules)[0] for rest in apart)
    return count, _format_melds(own), notation.format_hand(laid).split(), fixed


def _lay_off_cards(hand, melds, rules):
    """Return the defender's deadwood after the best lay-off, and the cards laid off."""
    options = np.zeros((3, layoff.MAX_LAYOFF_OPTIONS), np.int64)
    chains = np.zeros((2, 16), np.int64)
    count, laid = layoff.lay_off(hand, melds, rules, options, chains)
    return int(count), int(laid)


def score_deal(params, ending, knocker_deadwood, defender_deadwood, stock_left, multiplier):
    """Return the points of the knocker and of the defender after an ending."""
    _, won, lost, _ = scoring.score_deal(
        ENDING_CODES[ending],
        knocker_deadwood,
        defender_deadwood,
        stock_left,
        multiplier,
        build_rules_from_params(params),
    )
    return int(won), int(lost)


def score_showdown(
    params,
    ending,
    knocker_hand,
    defender_hand,
    knock_limit,
    points,
    discard,
    taken_card,
    stock_left,
    multiplier,
):
    """Return the deadwood and points of both players, and the knocker's melds."""
    rules, state = build_rules_from_params(params), create_state(0)
    state.hand[:] = cards_to_mask(knocker_hand), cards_to_mask(defender_hand)
    state.stock, state.multiplier = stock_left, multiplier
    own, melds = choose_shown_melding(
        int(state.hand[0]),
        rules,
        discard=1 << discard if discard >= 0 else 0,
        required_card=int(endings.find_required_meld_card(taken_card, rules)),
        unmatched_ranks=int(endings.find_shot_ranks(points)) if ending == "shot" else -1,
    )
    if own > {"knock": knock_limit, "shot": 99}.get(ending, 0):
        raise ImpossibleActionError(f"no melding permits this {ending.replace('_', ' ')}")
    state.melds[:] = [*melds, 0, 0, 0][:3]
    engine_showdown(state, rules, 0, ENDING_CODES[ending], own)
    counts = int(state.knocker_deadwood), int(state.defender_deadwood)
    return *counts, int(state.score[0]), int(state.score[1]), _format_melds(melds)


def find_knock_limit(params, upcard):
    """Return the knock limit and the multiplier of a deal with this upcard."""
    rules = build_rules_from_params(params)
    return int(endings.compute_knock_limit(upcard, rules)), int(
        endings.compute_deal_multiplier(upcard, rules)
    )


def list_shot_ranks(score):
    """Return the ranks that a shot must leave at this score."""
    return find_required_shot_ranks(score)


def list_all_melds(params):
    """Return the mask of every meld of the pack."""
    found = np.zeros(1024, np.int64)
    return set(
        found[: meldings.find_melds(ALL_CARDS, build_rules_from_params(params), found)].tolist()
    )


def count_gin_hands(params, hands):
    """Return the number of hands without deadwood."""
    left = np.empty_like(hands)
    compute_deadwood_batch(hands, build_rules_from_params(params), 0, left)
    return int((left == 0).sum())


# Deals


def return_illegal_action(view, rules, params):
    """Return an illegal action, so that the deal stops where the script ends."""
    return -1


ILLEGAL_POLICIES = (Policy(slot, "silent", return_illegal_action, {}) for slot in codes.SLOTS)
ILLEGAL_STRATEGY = Strategy("silent", *ILLEGAL_POLICIES, ending="same", spec="silent")


class Deal:
    """Deal of the engine that is played action by action.

    Every action replays the deal from its pack. A script also contains the actions that the engine
    plays without a decision because they are the only legal ones. `unscripted_actions` are those
    that the engine has played ahead of the script.
    """

    def __init__(self, variant, pack, joker=-1):
        """Start a deal from 52 cards in dealing order, with the joker at a position of 53 or -1."""
        self.params, self.pack, self.joker = variant.params, pack, joker
        self.is_solo = variant.is_solo
        self.matchup = Matchup(
            variant, ILLEGAL_STRATEGY, None if self.is_solo else ILLEGAL_STRATEGY, 0, "deal"
        )
        self.choices = []
        self.n_scripted = 0
        self.is_taking_last_discard = False  # to end the deal with it
        self._replay()

    def _replay(self):
        dealer = 0 if self.is_solo else DEALER_SEAT
        self.deal = trace_deal(
            self.matchup, pack=self.pack, joker=self.joker, dealer=dealer, script=self.choices
        )
        self.state = self.deal.state
        self.actions = list_actions(self.deal)
        # The current decision
        self.decision = (
            None if self.deal.ending else get_decision(self.deal, int(self.state.n_logged))
        )
        if self.decision and self.decision.slot == "show":
            self._add_choice(0)

    def _add_choice(self, choice):
        """Add the choice for the current decision, and replay the deal."""
        self.choices = [*self.choices, choice]
        self._replay()

    def copy(self):
        """Return a copy of the deal in its current state."""
        return copy.copy(self)

    # State

    @property
    def unscripted_actions(self):
        """Actions that the engine has already played without the script."""
        return self.actions[self.n_scripted :]

    @property
    def outcome(self):
        if 0 <= self.joker < count_dealt_cards(self.params) and self._is_redealt():
            return "redeal"
        return self.deal.ending

    def _is_redealt(self):
        """Return True if these rules deal again when the joker is in the hand."""
        rules = build_rules(self.matchup.variant)
        n_dealt_cards = count_dealt_cards(self.params)
        return all(
            choose_joker_position(0, unit, 0, rules) >= n_dealt_cards
            for unit in range(MAX_REDEAL_TRIES)
        )

    @property
    def seat_to_move(self):
        return self.decision.seat if self.decision else -1

    @property
    def blind_offer(self):
        """True before a blind offer, False before an offer in play, otherwise None."""
        if not self.decision or self.decision.slot != "offer":
            return None
        return bool(self.decision.view.phase == codes.PHASE_BLIND)

    @property
    def drawn_card(self):
        """Card just drawn from the stock, or -1."""
        return int(self.decision.view.drawn) if self.decision else -1

    @property
    def result(self):
        """Result of the deal so far, as a dict."""
        state = self.state
        seats = {"winner": state.winner, "knocker": state.knocker, "owner": state.owner}
        result = {name: int(seat) if seat >= 0 else None for name, seat in seats.items()}
        for name in ("turns", "limit", "stake"):
            result[name] = int(state[name])
        result["knocker_deadwood"] = int(state.knocker_deadwood)
        result["defender_deadwood"] = int(state.defender_deadwood)
        result |= {"points": state.score.tolist(), "draws": state.draws.tolist()}
        return result | {"stock_left": int(state.stock), "deadwood": int(state.count[0])}

    def count_won_deals(self):
        """Return the number of won deals for which the deal counts."""
        state = self.state.copy()
        match.apply_deal_result(state, build_rules(self.matchup.variant), 1)
        return int(state.deals_won[state.winner])

    # Actions

    def apply_action(self, action):
        """Play one action, or raise IllegalActionError and leave the deal unchanged."""
        before = self.copy()
        try:
            self._apply_action(action)
        except IllegalActionError:
            self.__dict__ = before.__dict__
            raise

    def _apply_action(self, action):
        if self.blind_offer is not None and action.kind != "offer":
            self._add_choice(0)
            return self._apply_action(action)
        if self.unscripted_actions:
            if self.unscripted_actions[0] != action:
                raise IllegalActionError
        elif self.decision is None or self.seat_to_move != action.seat:
            raise IllegalActionError
        else:
            self._apply_to_decision(action, self.decision)
        if action.kind in ACTION_KINDS:
            self.n_scripted += 1
        return None

    def play_forced_actions(self):
        """Do nothing, because the engine has already played every forced action."""

    def _apply_to_decision(self, action, decision):
        """Translate an action to a choice for the current decision, and add the choice."""
        view = decision.view
        if view.phase == codes.PHASE_LAST:
            self._apply_last_discard_action(action, view)
        elif decision.slot in ("offer", "answer"):
            choices = (
                {"offer": action.card} if decision.slot == "offer" else {"accept": 1, "refuse": 0}
            )
            self._choose(choices, action, view)
        elif decision.slot == "take":
            choices = {"stock": 0, "take": 1, "pass": 2}
            if view.phase == codes.PHASE_UPCARD and not view.legal & 4:
                choices = {"pass": 0, "take": 1}  # the stock is not an option
            self._choose(choices, action, view)
        elif view.phase == codes.PHASE_STOP:
            self._choose({"stock": 0, "stop": 1}, action, view)
        else:
            self._end_turn(action)

    def _choose(self, choice_by_kind, action, view):
        """Add the choice of an action. Raise IllegalActionError if the choice is not legal."""
        code = choice_by_kind.get(action.kind, -1)
        if code < 0 or not int(view.legal) >> code & 1:
            raise IllegalActionError
        self._add_choice(code)

    def _apply_last_discard_action(self, action, view):
        """Apply an action after the last discard, when the engine proposes one ending."""
        if not self.is_taking_last_discard and action.kind == "take":
            self.is_taking_last_discard = True
            self.actions = [*self.actions, action]
        elif not self.is_taking_last_discard:
            self._choose({"pass": 0}, action, view)
        elif action.kind in ("stop", "big gin") and action.card == view.ending_card:
            self._add_choice(1)
        else:
            if action.kind == "stop" and self._is_other_ending(action.card, view):
                raise NotSupportedError(
                    "with the last discard of the 50th-card rule the engine proposes the best "
                    "ending only."
                )
            raise IllegalActionError

    def _is_other_ending(self, card, view):
        """Return True if the player could end the deal with a discard that is not proposed."""
        taken = int(view.taken_offer)
        eleven = notation.mask_to_cards(int(view.hand) | 1 << taken)
        limit, points = int(view.limit), int(view.own_points)
        knock, shot, _ = find_knock_options(self.params, eleven, limit, taken, -1, points)
        return format_card(card) in {*knock, *shot}

    def _end_turn(self, action):
        """Apply a discard, an ending with a discard, or big gin."""
        # The engine proposes big gin or, in solitaire games, gin with a discard
        while self.decision and self.decision.slot == "knock":
            big_gin = action.kind == "big gin" and self.decision.view.ending_card < 0
            self._add_choice(int(big_gin))
            if big_gin:
                return
        decision = self.decision
        if decision is None or action.kind not in ("throw", "stop") or action.card < 0:
            raise IllegalActionError
        self._choose({action.kind: action.card}, action, decision.view)
        stops, following = action.kind == "stop", self.decision
        proposed = (
            following and following.slot == "knock" and following.view.ending_card == action.card
        )
        if proposed and self.seat_to_move == action.seat:
            self._add_choice(int(stops))
        elif stops:
            raise IllegalActionError


def get_decision(deal, index):
    """Return a decision of a deal by its index."""
    state = deal.state
    view = state.log[index].copy()
    slot = codes.SLOTS[state.slots[index]]
    return Decision(int(view.seat), slot, view, int(state.answers[index]))


def list_actions(deal):
    """Return the actions of a deal, from its turns and decisions."""
    is_solo, is_ended, turns = deal.matchup.b is None, deal.state.knocker >= 0, deal.turns
    played_actions = [] if is_solo else _list_opening_passes(deal)
    for number, (seat, source, _, card) in enumerate(turns, start=1):
        if source in (FROM_STOCK, FROM_PILE):
            played_actions.append(Action(seat, "take" if source == FROM_PILE else "stock"))
        stopped = is_ended and number == len(turns) and not is_solo
        kind = "big gin" if card < 0 else "stop" if stopped else "throw"
        played_actions.append(Action(seat, kind, card))
    return played_actions + (
        _list_unfinished_solo_actions(deal) if is_solo else _list_unfinished_actions(deal)
    )


def _list_opening_passes(deal):
    """Return the passes at the first upcard, which are not turns."""
    played_actions = []
    for number in range(int(deal.state.n_logged)):
        decision = get_decision(deal, number)
        if decision.slot in ("discard", "knock"):
            break
        passed = 2 if decision.view.legal & 4 else 0
        of_upcard = decision.slot == "take" and decision.view.phase == codes.PHASE_UPCARD
        if of_upcard and decision.action == passed:
            played_actions.append(Action(decision.seat, "pass"))
    return played_actions


def _list_unfinished_solo_actions(deal):
    """Return the actions of a solitaire deal since the last complete turn."""
    params, state = deal.matchup.variant.params, deal.state
    if (deal.ending == "joker" and state.joker >= count_dealt_cards(params)) or (
        not deal.ending and state.drawn >= 0
    ):
        return [SOLO_DRAW_ACTION]
    return [Action(0, "stop")] if state.knocker >= 0 and deal.ending != "big_gin" else []


def _list_unfinished_actions(deal):
    """Return the actions of a two-player deal since the last complete turn."""
    if not deal.ending:
        decision = get_decision(deal, deal.state.n_logged)
        if decision.slot not in ("discard", "knock") or decision.view.phase == codes.PHASE_LAST:
            return []
        if decision.view.taken >= 0:
            return [Action(decision.seat, "take")]
        return [Action(decision.seat, "stock")] if decision.view.drawn >= 0 else []
    if deal.ending != "void":
        return []
    turn = 1 - deal.turns[-1][0] if deal.state.turns else 0
    if deal.state.drawn >= 0:  # void at the draw
        return [Action(turn, "stock")]
    # A player passes if they do not end the deal with the last discard, and only if they can
    rules = build_rules(deal.matchup.variant)
    return [Action(turn, "pass")] if rules.stock_end == STOCK_END_OPPONENT_MAY_TAKE else []


# Matches


def play_match(variant, entries):
    """Record deals until a match is decided, and return the state of the match."""
    rules, state = build_rules(variant), create_state(0)
    match.start_match(state, rules)
    outcome, deals = match.MATCH_UNDECIDED, 0
    for entry in entries:
        if outcome != match.MATCH_UNDECIDED:
            break
        state.winner, state.score[:] = entry.winner, entry.points
        state.kind = batch_columns.DEAL_RESULTS.index(entry.ending)
        state.stake = state.pays = entry.stake
        deals += 1
        outcome = int(match.apply_deal_result(state, rules, deals))
    tallies = (state.points.tolist(), state.deals_won.tolist(), state.games.tolist())
    winner = outcome if outcome >= 0 else None
    over = outcome not in (match.MATCH_UNDECIDED, match.MATCH_UNFINISHED)
    columns = (
        _describe_columns(state, rules, outcome) if variant.params["goal"] == "columns" else {}
    )
    return MatchState(*tallies, winner, over, deals, **columns)


def _describe_columns(state, rules, outcome):
    """Return the columns of a Hollywood match and their settlement."""
    n = int(rules.columns)
    closed = [seat if seat >= 0 else None for seat in state.column_winner[:n].tolist()]
    paid = [int(match.compute_column_settlement(state, rules, column)) for column in range(n)]
    return {
        "columns": state.column_points[:, :n].T.tolist(),
        "boxes": state.column_wins[:, :n].T.tolist(),
        "closed_by": closed,
        "settlement": [None if s is None else p for s, p in zip(closed, paid, strict=True)],
        "total": None if None in closed else int(match.compute_settlement(state, rules, outcome)),
    }
