"""Results of the engine for worked examples, with the same functions as `reference`."""

import copy

import numpy as np

from simgin.core import batch_columns, codes, endings, layoff, match, meldings, scoring
from simgin.core.cards import ALL_CARDS
from simgin.core.deadwood import best_discards, deadwood_batch, deadwood_for_side
from simgin.core.rules_record import DEFENDER, KNOCKER, STOCK_END_OPPONENT_MAY_TAKE
from simgin.core.showdown import score_showdown as engine_showdown
from simgin.core.solo_deal import joker_position
from simgin.core.state import new_state
from simgin.core.view import FROM_PILE, FROM_STOCK
from simgin.play.hand_analysis import (
    best_meldings,
    format_meld,
    required_shot_ranks,
    shown_melding,
    sort_melds,
)
from simgin.play.matchup import Matchup
from simgin.play.traced_deal import Decision, trace_deal
from simgin.rules.build import build_rules, build_rules_from_params
from simgin.strategy.author import Policy, Strategy
from simgin.text import notation
from simgin.text.notation import cards_to_mask, format_card
from worked_examples.actions import DEALER, DRAW, WORDS, Action, Illegal, dealt_cards
from worked_examples.matches import Standing
from worked_examples.schema import Impossible, NotSupported

# Deadwood 0 makes a knock gin
STOPS = {"knock": codes.ENDING_KNOCK, "gin": codes.ENDING_KNOCK, "shot": codes.ENDING_SHOT}
STOPS["big_gin"] = codes.ENDING_BIG_GIN
# Deals looked at to see whether one with the joker in the hand is ever played; a miss has odds of 1
# to 10**18
TRIES = 200

# Cards, counts and points


def _texts(melds):
    return [format_meld(meld) for meld in sort_melds(melds)]


def deadwood(row, hand):
    """Return the least deadwood, all its meldings, and the melding that is shown."""
    rules, mask = build_rules_from_params(row), cards_to_mask(hand)
    side = DEFENDER if (row["ace_value"], row["pip_values"]) == (15, "face") else KNOCKER
    every = [[format_meld(meld) for meld in found] for found in best_meldings(mask, rules, side)]
    return int(deadwood_for_side(mask, rules, side)), every, _texts(shown_melding(mask, rules)[1])


def knock_options(row, hand, limit, taken, drawn, points):
    """Return the discards that allow a knock or a shot, and whether the hand is big gin."""
    rules, mask = build_rules_from_params(row), cards_to_mask(hand)
    must = int(endings.required_meld_card(taken, rules))
    legal = int(endings.permitted_discards(mask, taken, drawn, rules))
    least, best = best_discards(mask, legal, rules)
    ending, _, _ = endings.best_ending(mask, legal, must, limit, points, least, best, rules)
    knock, shot = {}, []
    for card in notation.mask_to_cards(legal):
        ten = mask & ~(1 << card)
        count = int(endings.declared_deadwood(ten, must, rules))
        if count <= limit:
            knock[format_card(card)] = count
        if row["shot"] and endings.is_shot(ten, must, points, rules):
            shot.append(format_card(card))
    return knock, shot, bool(ending == codes.ENDING_BIG_GIN)


def lay_off(row, hand, melds):
    """Return the count after lay-offs, the melds, the lay-offs, and the count with fixed melds."""
    rules, mask = build_rules_from_params(row), cards_to_mask(hand)
    shown = np.array([*map(cards_to_mask, melds), 0, 0, 0][:3], np.int64)
    count, laid = _laid_off(mask, shown, rules)
    own = best_meldings(mask & ~laid, rules, DEFENDER)[0]
    apart = [mask & ~sum(melding) for melding in best_meldings(mask, rules, DEFENDER)]
    fixed = min(_laid_off(rest, shown, rules)[0] for rest in apart)
    return count, _texts(own), notation.format_hand(laid).split(), fixed


def _laid_off(hand, melds, rules):
    options = np.zeros((3, layoff.MAX_OPTIONS), np.int64)
    chains = np.zeros((2, 16), np.int64)
    count, laid = layoff.lay_off(hand, melds, rules, options, chains)
    return int(count), int(laid)


def deal_points(row, stop, own, other, left, factor):
    """Return the points of the knocker and of the other side."""
    _, won, lost, _ = scoring.score_deal(
        STOPS[stop], own, other, left, factor, build_rules_from_params(row)
    )
    return int(won), int(lost)


def showdown(row, how, hand, defender, limit, points, thrown, taken, left, factor):
    """Return the counts of knocker and defender, their points, and the knocker's melds."""
    rules, state = build_rules_from_params(row), new_state(0)
    state.hand[:] = cards_to_mask(hand), cards_to_mask(defender)
    state.stock, state.multiplier = left, factor
    own, melds = shown_melding(
        int(state.hand[0]),
        rules,
        discard=1 << thrown if thrown >= 0 else 0,
        required_card=int(endings.required_meld_card(taken, rules)),
        ranks_left=int(endings.find_required_ranks(points)) if how == "shot" else -1,
    )
    if own > {"knock": limit, "shot": 99}.get(how, 0):
        raise Impossible(f"no melding permits this {how.replace('_', ' ')}")
    state.melds[:] = [*melds, 0, 0, 0][:3]
    engine_showdown(state, rules, 0, STOPS[how], own)
    counts = int(state.stopper_count), int(state.other_count)
    return *counts, int(state.score[0]), int(state.score[1]), _texts(melds)


def knock_limit(row, upcard):
    """Return the knock limit and factor of a deal with this upcard."""
    rules = build_rules_from_params(row)
    return int(endings.knock_limit(upcard, rules)), int(endings.deal_multiplier(upcard, rules))


def shot_digits(score):
    return required_shot_ranks(score)


def all_melds(row):
    found = np.zeros(1024, np.int64)
    return set(
        found[: meldings.find_melds(ALL_CARDS, build_rules_from_params(row), found)].tolist()
    )


def gin_hands(row, hands):
    """Return the number of hands without deadwood among hands given as masks."""
    left = np.empty_like(hands)
    deadwood_batch(hands, build_rules_from_params(row), 0, left)
    return int((left == 0).sum())


# Deals


def _silent(view, rules, params):
    """Return an illegal action, so that the deal stops at the first decision without a script."""
    return -1


POLICIES = (Policy(slot, "silent", _silent, {}) for slot in codes.SLOTS)
SILENT = Strategy("silent", *POLICIES, ending="same", spec="silent")


class Deal:
    """Deal of the engine, played action by action; every action replays the deal from its pack.

    What the engine does without a question, because nothing else is legal, has to be told by the
    script as well: `left` is what it has done so ahead of the script.
    """

    def __init__(self, variant, pack, joker=-1):
        """Start a deal from 52 cards in dealing order; `joker` is its position of 53, or -1."""
        self.row, self.pack, self.joker = variant.params, pack, joker
        self.alone = variant.is_solo
        self.matchup = Matchup(variant, SILENT, None if self.alone else SILENT, 0, "deal")
        self.answers = []
        self.told = 0
        self.taking = False  # the last discard, to end the deal with it
        self._play()

    def _play(self):
        dealer = 0 if self.alone else DEALER
        self.deal = trace_deal(
            self.matchup, pack=self.pack, joker=self.joker, dealer=dealer, script=self.answers
        )
        self.state = self.deal.state
        self.done = actions_of(self.deal)
        # The current decision
        self.open = None if self.deal.kind else question(self.deal, int(self.state.logged))
        if self.open and self.open.slot == "show":
            self._say(0)

    def _say(self, answer):
        self.answers = [*self.answers, answer]
        self._play()

    def copy(self):
        """Return the deal in its current state, to continue it in another way."""
        return copy.copy(self)

    # State

    @property
    def left(self):
        """Return the actions played ahead of the script."""
        return self.done[self.told :]

    @property
    def kind(self):
        if 0 <= self.joker < dealt_cards(self.row) and self._is_redealt():
            return "redeal"
        return self.deal.kind

    def _is_redealt(self):
        """Return True if the engine never plays a hand that was dealt the joker."""
        rules, size = build_rules(self.matchup.variant), dealt_cards(self.row)
        return all(joker_position(0, unit, 0, rules) >= size for unit in range(TRIES))

    @property
    def seat(self):
        return self.open.seat if self.open else -1

    @property
    def blind_offer(self):
        """Return True if the pending offer of the die is blind; None without a pending offer."""
        if not self.open or self.open.slot != "offer":
            return None
        return bool(self.open.view.phase == codes.PHASE_BLIND)

    @property
    def drawn(self):
        """Return the card just drawn from the stock, or -1."""
        return int(self.open.view.drawn) if self.open else -1

    @property
    def result(self):
        """Return the result: seats or None, points and draws by seat."""
        state = self.state
        seats = {"winner": state.winner, "knocker": state.stopper, "owner": state.owner}
        result = {name: int(seat) if seat >= 0 else None for name, seat in seats.items()}
        for name in ("turns", "limit", "stake"):
            result[name] = int(state[name])
        result["knocker_deadwood"] = int(state.stopper_count)
        result["defender_deadwood"] = int(state.other_count)
        result |= {"points": state.score.tolist(), "draws": state.draws.tolist()}
        return result | {"stock_left": int(state.stock), "deadwood": int(state.count[0])}

    def won_deals(self):
        """Return the number of won deals credited to the winner of the deal."""
        state = self.state.copy()
        match.apply_deal_result(state, build_rules(self.matchup.variant), 1)
        return int(state.deals_won[state.winner])

    # Actions

    def apply_action(self, action):
        """Play one action, or raise Illegal and leave the deal unchanged."""
        before = self.copy()
        try:
            self._act(action)
        except Illegal:
            self.__dict__ = before.__dict__
            raise

    def _act(self, action):
        if self.blind_offer is not None and action.what != "offer":
            self._say(0)
            return self._act(action)
        if self.left:
            if self.left[0] != action:
                raise Illegal
        elif self.open is None or self.seat != action.seat:
            raise Illegal
        else:
            self._answer(action, self.open)
        if action.what in WORDS:
            self.told += 1
        return None

    def run_out(self):
        """Do nothing, because the engine has already played every forced action."""

    def _answer(self, action, asked):
        view = asked.view
        if view.phase == codes.PHASE_LAST:
            self._meet_last_discard(action, view)
        elif asked.slot in ("offer", "answer"):
            choices = (
                {"offer": action.card} if asked.slot == "offer" else {"accept": 1, "refuse": 0}
            )
            self._choose(choices, action, view)
        elif asked.slot == "take":
            choices = {"stock": 0, "take": 1, "pass": 2}
            if view.phase == codes.PHASE_UPCARD and not view.legal & 4:
                choices = {"pass": 0, "take": 1}  # the stock is not an option
            self._choose(choices, action, view)
        elif view.phase == codes.PHASE_STOP:
            self._choose({"stock": 0, "stop": 1}, action, view)
        else:
            self._close_turn(action)

    def _choose(self, choices, action, view):
        code = choices.get(action.what, -1)
        if code < 0 or not int(view.legal) >> code & 1:
            raise Illegal
        self._say(code)

    def _meet_last_discard(self, action, view):
        """Follow the 50th-card rule: the engine proposes the best ending with the last discard."""
        if not self.taking and action.what == "take":
            self.taking = True
            self.done = [*self.done, action]
        elif not self.taking:
            self._choose({"pass": 0}, action, view)
        elif action.what in ("stop", "big gin") and action.card == view.ending_card:
            self._say(1)
        else:
            if action.what == "stop" and self._ends_otherwise(action.card, view):
                raise NotSupported(
                    "with the last discard of the 50th-card rule the engine proposes the best "
                    "ending only."
                )
            raise Illegal

    def _ends_otherwise(self, card, view):
        """Return True if another discard than the proposed one would end the deal."""
        taken = int(view.taken_offer)
        eleven = notation.mask_to_cards(int(view.hand) | 1 << taken)
        limit, points = int(view.limit), int(view.own_points)
        knock, shot, _ = knock_options(self.row, eleven, limit, taken, -1, points)
        return format_card(card) in {*knock, *shot}

    def _close_turn(self, action):
        """Play a discard, an ending with a discard, or big gin."""
        while (
            self.open and self.open.slot == "knock"
        ):  # big gin or, in solitaire games, gin with a discard
            big_gin = action.what == "big gin" and self.open.view.ending_card < 0
            self._say(int(big_gin))
            if big_gin:
                return
        asked = self.open
        if asked is None or action.what not in ("throw", "stop") or action.card < 0:
            raise Illegal
        self._choose({action.what: action.card}, action, asked.view)
        stops, then = action.what == "stop", self.open
        proposed = then and then.slot == "knock" and then.view.ending_card == action.card
        if proposed and self.seat == action.seat:
            self._say(int(stops))
        elif stops:
            raise Illegal


def question(deal, number):
    """Return a decision of a deal; its number is the number of earlier actions."""
    state = deal.state
    view = state.log[number].copy()
    slot = codes.SLOTS[state.slots[number]]
    return Decision(int(view.seat), slot, view, int(state.answers[number]))


def actions_of(deal):
    """Return the actions played, from the engine's history and its decisions."""
    alone, ended, turns = deal.matchup.b is None, deal.state.stopper >= 0, deal.turns
    done = [] if alone else _opening_passes(deal)
    for number, (seat, source, _, card) in enumerate(turns, start=1):
        if source in (FROM_STOCK, FROM_PILE):
            done.append(Action(seat, "take" if source == FROM_PILE else "stock"))
        stopped = ended and number == len(turns) and not alone
        what = "big gin" if card < 0 else "stop" if stopped else "throw"
        done.append(Action(seat, what, card))
    return done + (_unfinished_alone(deal) if alone else _unfinished(deal))


def _opening_passes(deal):
    """Return the passes of the first upcard, which are not in the history."""
    done = []
    for number in range(int(deal.state.logged)):
        asked = question(deal, number)
        if asked.slot in ("discard", "knock"):
            break
        passed = 2 if asked.view.legal & 4 else 0
        of_upcard = asked.slot == "take" and asked.view.phase == codes.PHASE_UPCARD
        if of_upcard and asked.action == passed:
            done.append(Action(asked.seat, "pass"))
    return done


def _unfinished_alone(deal):
    """Return the actions after the last turn: a draw, perhaps of the joker, or the stop."""
    row, state = deal.matchup.variant.params, deal.state
    if (deal.kind == "joker" and state.joker >= dealt_cards(row)) or (
        not deal.kind and state.drawn >= 0
    ):
        return [DRAW]
    return [Action(0, "stop")] if state.stopper >= 0 and deal.kind != "big_gin" else []


def _unfinished(deal):
    """Return the actions after the last complete turn: a draw, or the pass of the last discard."""
    if not deal.kind:
        asked = question(deal, deal.state.logged)
        if asked.slot not in ("discard", "knock") or asked.view.phase == codes.PHASE_LAST:
            return []
        if asked.view.taken >= 0:
            return [Action(asked.seat, "take")]
        return [Action(asked.seat, "stock")] if asked.view.drawn >= 0 else []
    if deal.kind != "void":
        return []
    turn = 1 - deal.turns[-1][0] if deal.state.turns else 0
    if deal.state.drawn >= 0:  # void at the draw
        return [Action(turn, "stock")]
    # A player passes if they do not end the deal with the last discard, and only if they can
    rules = build_rules(deal.matchup.variant)
    return [Action(turn, "pass")] if rules.stock_end == STOCK_END_OPPONENT_MAY_TAKE else []


# Matches


def follow(variant, entries):
    """Enter deals in a match until it is decided; later deals are not played."""
    rules, state = build_rules(variant), new_state(0)
    match.start_match(state, rules)
    outcome, deals = match.UNDECIDED, 0
    for entry in entries:
        if outcome != match.UNDECIDED:
            break
        state.winner, state.score[:] = entry.winner, entry.points
        state.kind = batch_columns.DEAL_RESULTS.index(entry.how)
        state.stake = state.pays = entry.stake
        deals += 1
        outcome = int(match.apply_deal_result(state, rules, deals))
    tallies = (state.points.tolist(), state.deals_won.tolist(), state.games.tolist())
    winner = outcome if outcome >= 0 else None
    over = outcome not in (match.UNDECIDED, match.UNFINISHED)
    columns = _columns(state, rules, outcome) if variant.params["goal"] == "columns" else {}
    return Standing(*tallies, winner, over, deals, **columns)


def _columns(state, rules, outcome):
    """Return the contents of the columns, and the payment to seat 0."""
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
