"""Results of the reference implementation for worked examples, by the functions of `engine`."""

import copy

from oracles import reference
from simgin.text.notation import format_card, parse_card
from worked_examples.actions import DEALER_SEAT, Action, IllegalActionError, count_dealt_cards
from worked_examples.cards import format_cards
from worked_examples.matches import MatchState
from worked_examples.schema import ImpossibleActionError

# Cards, counts and points


def _format_melds(melding):
    return [" ".join(meld) for meld in melding]


def solve_hand(params, hand):
    """Return the least deadwood of a hand, all meldings with it, and the melding shown."""
    cards = format_cards(hand)
    every = [_format_melds(melding) for melding in reference.find_optimal_meldings(cards, params)]
    return (
        reference.compute_deadwood(cards, params, "defender"),
        every,
        _format_melds(reference.find_shown_melding(cards, None, params) or []),
    )


def find_knock_options(params, hand, knock_limit, taken_card, drawn_card, points):
    """Return the discards that allow a knock or a shot, and whether the hand is big gin."""
    from_pile = format_card(taken_card) if taken_card >= 0 else None
    from_stock = format_card(drawn_card) if drawn_card >= 0 else from_pile
    banned = {"taken": from_pile, "drawn": from_stock, "none": None}[params["discard_ban"]]
    endings = reference.list_legal_endings(
        format_cards(hand),
        params,
        knock_limit,
        taken_card=from_pile,
        banned_card=banned,
        own_points=points,
    )
    knock = {
        ending.discard: ending.deadwood for ending in endings if ending.kind in ("knock", "gin")
    }
    shot = [ending.discard for ending in endings if ending.kind == "shot"]
    return knock, shot, any(ending.kind == "big_gin" for ending in endings)


def solve_layoff(params, hand, melds):
    """Return the defender's deadwood, melds and lay-offs, and the deadwood with fixed melds."""
    cards, shown = format_cards(hand), [format_cards(meld) for meld in melds]
    way = reference.find_best_layoff(shown, cards, params)
    loose = []
    for melding in reference.find_optimal_meldings(cards, params, "defender"):
        melded = {card for meld in melding for card in meld}
        loose.append([card for card in cards if card not in melded])
    fixed = min(reference.find_best_layoff(shown, rest, params).deadwood for rest in loose)
    laid = [card for extra in way.laid_off for card in extra]
    return way.deadwood, _format_melds(way.defender_melds), laid, fixed


def score_deal(params, ending, knocker_deadwood, defender_deadwood, stock_left, multiplier):
    """Return the points of the knocker and of the defender after an ending."""
    how = "gin" if knocker_deadwood == 0 and ending == "knock" else ending
    score = reference.score_deal(
        params, how, knocker_deadwood, defender_deadwood, stock_left, multiplier
    )
    return score.knocker_points, score.defender_points


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
    try:
        discard, taken_card = (
            format_card(card) if card >= 0 else None for card in (discard, taken_card)
        )
        conditions = {"limit": knock_limit, "taken_card": taken_card, "own_points": points}
        conditions |= {"stock_left": stock_left, "multiplier": multiplier}
        end = reference.score_showdown(
            params,
            ending,
            format_cards(knocker_hand),
            discard,
            format_cards(defender_hand),
            **conditions,
        )
    except ValueError:
        raise ImpossibleActionError(f"no melding permits this {ending.replace('_', ' ')}") from None
    counts = end.knocker_deadwood, end.defender_deadwood
    return *counts, end.knocker_points, end.defender_points, _format_melds(end.knocker_melds)


def find_knock_limit(params, upcard):
    """Return the knock limit and the multiplier of a deal with this upcard."""
    return reference.get_knock_limit(params, format_card(upcard)), reference.get_multiplier(
        params, format_card(upcard)
    )


def list_shot_ranks(score):
    """Return the ranks that a shot must leave at this score."""
    return [reference.RANKS.index(rank) + 1 for rank in reference.get_shot_ranks(score)]


def list_all_melds(params):
    """Return the mask of every meld of the pack."""
    return {
        sum(1 << parse_card(card) for card in meld) for meld in reference.list_all_melds(params)
    }


def count_gin_hands(params, hands):
    """Return the number of hands, all of which consist of melds."""
    return len(hands)


# Deals


class Deal:
    """Deal of the reference implementation that is played like `engine.Deal`."""

    def __init__(self, variant, pack, joker=-1):
        self.params = params = {**variant.params}
        self.is_solo = params["players"] == 1
        if self.is_solo:
            place = joker - (count_dealt_cards(params) if params["joker"] == "after_deal" else 0)
            self.deal = reference.SoloDeal(params, format_cards(pack), None if joker < 0 else place)
        else:
            self.deal = reference.Deal(
                params, format_cards(pack), DEALER_SEAT, tuple(params["start_points"])
            )
        self.has_unscripted_stop = self._has_ended_by_gin()

    def copy(self):
        return copy.deepcopy(self)

    # State

    def _has_ended_by_gin(self):
        """Return True if gin ended a deal with penalties, with or without a stop."""
        return self.params["deal_scoring"] == "penalty" and self.outcome == "gin"

    @property
    def unscripted_actions(self):
        return [Action(0, "stop")] if self.has_unscripted_stop else []

    @property
    def outcome(self):
        return self.deal.result.outcome if self.deal.result else ""

    @property
    def seat_to_move(self):
        return -1 if self.deal.seat_to_move is None else self.deal.seat_to_move

    @property
    def blind_offer(self):
        if ("no offer",) not in self.deal.legal_actions():
            return None
        return not self.deal._cards_seen

    @property
    def drawn_card(self):
        return parse_card(self.deal._drawn_card) if self.deal._drawn_card else -1

    @property
    def result(self):
        deal = self.deal
        left = len(deal.deck if self.is_solo else deal.stock)
        result = vars(deal.result) if deal.result else {"stock_left": left}
        hand = {
            "deadwood": reference.compute_deadwood(deal.hands[0], self.params),
            "limit": self.params["knock_limit"],
        }
        die = {} if self.is_solo else {"stake": deal.die.stake, "owner": deal.die.owner}
        return result | hand | die

    def count_won_deals(self):
        return reference.count_won_deals(self.params, self.deal.result)

    # Actions

    def apply_action(self, action):
        if self.unscripted_actions == [action]:
            self.has_unscripted_stop = False
            return
        if self.seat_to_move != action.seat:
            raise IllegalActionError
        before = copy.deepcopy(self.deal) if self.blind_offer is not None else self.deal
        if self.blind_offer is not None and action.kind != "offer":
            self.deal.apply_action(("no offer",))
        try:
            self.deal.apply_action(self._to_reference_action(action))
        except ValueError:
            self.deal = before
            raise IllegalActionError from None
        if (
            not self.is_solo and self.deal.meldings_to_show
        ):  # to choose from: the first is the automatic
            self.deal.apply_action(
                ("show", tuple(reference.format_melds(self.deal.meldings_to_show[0])))
            )
        self.has_unscripted_stop = self._has_ended_by_gin()

    def _to_reference_action(self, action):
        """Return an action in the form that the reference implementation uses."""
        if action.kind in ("stop", "big gin"):
            card = format_card(action.card) if action.card >= 0 else None
            ways = [way for way in self.deal.legal_actions() if way[:2] == ("end", card)]
            ways = [way for way in ways if (way[2] == "big_gin") == (action.kind == "big gin")]
            return min(ways, default=("end", card, "knock"))
        if action.kind == "throw":
            return "throw", format_card(action.card)
        if action.kind == "offer":
            return ("offer", action.card) if action.card else ("no offer",)
        return (action.kind,)

    def play_forced_actions(self):
        """Draw and pass while there is only one legal action, as the engine does."""
        while len(self.deal.legal_actions()) == 1 and self.deal.legal_actions() <= {
            ("stock",),
            ("pass",),
        }:
            self.deal.apply_action(self.deal.legal_actions().pop())


# Matches


def play_match(variant, entries):
    """Record deals until a match is decided, and return the state of the match."""
    params = {**variant.params}
    game = reference.Match(params, first_dealer=None if params["players"] == 1 else 0)
    for entry in entries:
        if not game.is_over:
            winner = entry.winner if entry.winner >= 0 else None
            points = list(entry.points)
            game.record_deal(
                reference.DealResult(entry.ending, winner=winner, points=points, stake=entry.stake)
            )
    goal = game.goal
    columns = {}
    if params["goal"] == "columns":
        columns = {name: getattr(goal, name) for name in ("columns", "boxes", "closed_by")}
        paid = iter(goal.compute_settlements())
        columns["settlement"] = [seat if seat is None else next(paid) for seat in goal.closed_by]
        columns["total"] = None if None in goal.closed_by else sum(goal.compute_settlements())
    games = getattr(goal, "games", [0, 0])
    return MatchState(
        goal.points, goal.deal_tally, games, game.winner, goal.is_over, game.n_deals, **columns
    )
