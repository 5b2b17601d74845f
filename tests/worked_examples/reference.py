"""Results of the reference implementation for worked examples, with the functions of `engine`."""

import copy

from oracles import reference
from simgin.text.notation import format_card, parse_card
from worked_examples.actions import DEALER, Action, Illegal, dealt_cards
from worked_examples.cards import texts
from worked_examples.matches import Standing
from worked_examples.schema import Impossible

# Cards, counts and points


def _melds(melding):
    return [" ".join(meld) for meld in melding]


def deadwood(row, hand):
    cards = texts(hand)
    every = [_melds(melding) for melding in reference.find_optimal_meldings(cards, row)]
    return (
        reference.compute_deadwood(cards, row, "defender"),
        every,
        _melds(reference.find_shown_melding(cards, None, row) or []),
    )


def knock_options(row, hand, limit, taken, drawn, points):
    from_pile = format_card(taken) if taken >= 0 else None
    from_stock = format_card(drawn) if drawn >= 0 else from_pile
    banned = {"taken": from_pile, "drawn": from_stock, "none": None}[row["discard_ban"]]
    ends = reference.list_legal_endings(
        texts(hand), row, limit, taken=from_pile, banned=banned, own_points=points
    )
    knock = {end.discard: end.deadwood for end in ends if end.kind in ("knock", "gin")}
    shot = [end.discard for end in ends if end.kind == "shot"]
    return knock, shot, any(end.kind == "big_gin" for end in ends)


def lay_off(row, hand, melds):
    cards, shown = texts(hand), [texts(meld) for meld in melds]
    way = reference.find_best_layoff(shown, cards, row)
    loose = []
    for melding in reference.find_optimal_meldings(cards, row, "defender"):
        melded = {card for meld in melding for card in meld}
        loose.append([card for card in cards if card not in melded])
    fixed = min(reference.find_best_layoff(shown, rest, row).deadwood for rest in loose)
    laid = [card for extra in way.laid_off for card in extra]
    return way.deadwood, _melds(way.melds), laid, fixed


def deal_points(row, stop, own, other, left, factor):
    how = "gin" if own == 0 and stop == "knock" else stop
    score = reference.score_deal(row, how, own, other, left, factor)
    return score.knocker, score.defender


def showdown(row, how, hand, defender, limit, points, thrown, taken, left, factor):
    try:
        thrown, taken = (format_card(card) if card >= 0 else None for card in (thrown, taken))
        told = {"limit": limit, "taken": taken, "own_points": points}
        told |= {"stock_left": left, "factor": factor}
        end = reference.score_showdown(row, how, texts(hand), thrown, texts(defender), **told)
    except ValueError:
        raise Impossible(f"no melding permits this {how.replace('_', ' ')}") from None
    counts = end.knocker_deadwood, end.defender_deadwood
    return *counts, end.knocker_points, end.defender_points, _melds(end.melds)


def knock_limit(row, upcard):
    return reference.get_knock_limit(row, format_card(upcard)), reference.get_multiplier(
        row, format_card(upcard)
    )


def shot_digits(score):
    return [reference.RANKS.index(rank) + 1 for rank in reference.get_shot_ranks(score)]


def all_melds(row):
    return {sum(1 << parse_card(card) for card in meld) for meld in reference.list_all_melds(row)}


def gin_hands(row, hands):
    return len(hands)


# Deals


class Deal:
    """A deal of the reference implementation, action by action, like `engine.Deal`."""

    def __init__(self, variant, pack, joker=-1):
        self.row = row = {**variant.params}
        self.alone = row["players"] == 1
        if self.alone:
            place = joker - (dealt_cards(row) if row["joker"] == "after_deal" else 0)
            self.deal = reference.SoloDeal(row, texts(pack), None if joker < 0 else place)
        else:
            self.deal = reference.Deal(row, texts(pack), DEALER, tuple(row["start_points"]))
        self.untold_stop = self._has_gone_out()

    def copy(self):
        return copy.deepcopy(self)

    # State

    def _has_gone_out(self):
        """Apply the rule that gin ends a deal with penalties, even without a stop in the script."""
        return self.row["deal_scoring"] == "penalty" and self.kind == "gin"

    @property
    def left(self):
        return [Action(0, "stop")] if self.untold_stop else []

    @property
    def kind(self):
        return self.deal.result.kind if self.deal.result else ""

    @property
    def seat(self):
        return -1 if self.deal.seat_to_move is None else self.deal.seat_to_move

    @property
    def blind_offer(self):
        if ("no offer",) not in self.deal.legal_actions():
            return None
        return not self.deal._cards_seen

    @property
    def drawn(self):
        return parse_card(self.deal._drawn_card) if self.deal._drawn_card else -1

    @property
    def result(self):
        deal = self.deal
        left = len(deal.deck if self.alone else deal.stock)
        result = vars(deal.result) if deal.result else {"stock_left": left}
        hand = {
            "deadwood": reference.compute_deadwood(deal.hands[0], self.row),
            "limit": self.row["knock_limit"],
        }
        die = {} if self.alone else {"stake": deal.die.stake, "owner": deal.die.owner}
        return result | hand | die

    def won_deals(self):
        return reference.count_won_deals(self.row, self.deal.result)

    # Actions

    def apply_action(self, action):
        if self.left == [action]:
            self.untold_stop = False
            return
        if self.seat != action.seat:
            raise Illegal
        before = copy.deepcopy(self.deal) if self.blind_offer is not None else self.deal
        if self.blind_offer is not None and action.what != "offer":
            self.deal.apply_action(("no offer",))
        try:
            self.deal.apply_action(self._theirs(action))
        except ValueError:
            self.deal = before
            raise Illegal from None
        if (
            not self.alone and self.deal.meldings_to_show
        ):  # to choose from: the first is the automatic
            self.deal.apply_action(
                ("show", tuple(reference.format_melds(self.deal.meldings_to_show[0])))
            )
        self.untold_stop = self._has_gone_out()

    def _theirs(self, action):
        """Return the reference's name of an action; an ending is the one that the cards permit."""
        if action.what in ("stop", "big gin"):
            card = format_card(action.card) if action.card >= 0 else None
            ways = [way for way in self.deal.legal_actions() if way[:2] == ("end", card)]
            ways = [way for way in ways if (way[2] == "big_gin") == (action.what == "big gin")]
            return min(ways, default=("end", card, "knock"))
        if action.what == "throw":
            return "throw", format_card(action.card)
        if action.what == "offer":
            return ("offer", action.card) if action.card else ("no offer",)
        return (action.what,)

    def run_out(self):
        """Draw or pass if nothing else is legal, as the engine does."""
        while len(self.deal.legal_actions()) == 1 and self.deal.legal_actions() <= {
            ("stock",),
            ("pass",),
        }:
            self.deal.apply_action(self.deal.legal_actions().pop())


# Matches


def follow(variant, entries):
    row = {**variant.params}
    game = reference.Match(row, first_dealer=None if row["players"] == 1 else 0)
    for entry in entries:
        if not game.is_over:
            winner = entry.winner if entry.winner >= 0 else None
            points = list(entry.points)
            game.record_deal(
                reference.DealResult(entry.how, winner=winner, points=points, stake=entry.stake)
            )
    goal = game.goal
    columns = {}
    if row["goal"] == "columns":
        columns = {name: getattr(goal, name) for name in ("columns", "boxes", "closed_by")}
        paid = iter(goal.compute_settlements())
        columns["settlement"] = [seat if seat is None else next(paid) for seat in goal.closed_by]
        columns["total"] = None if None in goal.closed_by else sum(goal.compute_settlements())
    games = getattr(goal, "games", [0, 0])
    return Standing(
        goal.points, goal.deal_tally, games, game.winner, goal.is_over, game.n_deals, **columns
    )
