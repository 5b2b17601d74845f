"""Text of a deal in 80 columns: each decision with the player's view, then the showdown."""

import textwrap
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

import numpy as np

from simgin.core import answers, layoff, match
from simgin.core.cell import Unit
from simgin.core.match import UNDECIDED
from simgin.core.meldings import MAX_MELDINGS
from simgin.core.rules import DEFENDER, DIE_OFF, DISCARD_FIRST, NO_JOKER
from simgin.core.solo import PLAYER
from simgin.core.sums import KINDS
from simgin.play.hand import Melding, all_meldings, cards_text, in_text_order, shown_melding
from simgin.play.matchup import Matchup, parse_matchup
from simgin.play.watch import Question, WatchedDeal, watch_deal
from simgin.rules.build import build_rules
from simgin.rules.parameters import goal_of, parameters
from simgin.text.messages import shown
from simgin.text.notation import card_text, hand_text

WIDTH = 80
BOUNDS = {"seed": 2**64, "unit": 2**48, "half": 2, "deal": 2**16}  # exclusive upper bounds
NO_ANSWER = "gives no legal answer"
DIE_SLOTS = ("offer", "answer")
ENDINGS = {
    answers.BIG_GIN: ("declare big gin", "declares big gin"),
    answers.SHOT: ("shoot", "shoots"),
}
JOKER = "joker"  # name of the opponent in solitaire games
OVER = {match.DRAWN: "The match is drawn", match.UNFINISHED: "The match is broken off unfinished"}


class ReplayError(ValueError):
    """Error for a deal that cannot be replayed."""


def find_deal(
    a: str, b: str | None, variant: str, seed: int, unit: int, half: int, deal: int | None
) -> WatchedDeal:
    """Play and trace a single deal, or one deal of a match.

    Args:
        a: Spec of strategy A.
        b: Spec of strategy B; None for `simple`, or in solitaire variants.
        variant: Variant spec.
        seed: Seed of the shuffles.
        unit: Number of the unit.
        half: Mirrored game of the unit, 0 or 1.
        deal: Number of the deal in its match; None for a single deal.

    Raises:
        ReplayError: The deal does not exist.
        NoSuchDeal: The match ended before the deal.
    """
    kind: Unit = "deal" if deal is None else "match"
    matchup = parse_matchup(a, b, variant, seed, kind)
    _check(matchup, unit, half, deal)
    watched = watch_deal(matchup, unit, half, deal or 0)
    if watched.fault and not watched.state.watched:
        raise ReplayError(
            f"the match did not get as far as this deal. {watched.fault}"
        ) from watched.raised
    return watched


def _check(matchup: Matchup, unit: int, half: int, deal: int | None) -> None:
    numbers = {"seed": matchup.seed, "unit": unit, "half": half, "deal": deal or 0}
    for name, number in numbers.items():
        if not 0 <= number < BOUNDS[name]:
            raise ReplayError(f"a {name} is 0..{BOUNDS[name] - 1}, not {shown(number)}.")
    if half == 1 and not matchup.mirrored:
        alone = f"{matchup.variant.text} is for one player"
        why = alone if matchup.b is None else f"{matchup.a.text} plays itself"
        raise ReplayError(f"{why}, so its packs are played once: there is no half 1.")


class Replay:
    """Text of a traced deal of two players."""

    def __init__(self, watched: WatchedDeal) -> None:
        variant = watched.matchup.variant
        self.watched = watched
        self.state = watched.state
        self.params = variant.row
        self.goal = variant.goal
        self.rules = build_rules(variant)
        self.names = self._names(watched.matchup)  # by seat

    def _names(self, matchup: Matchup) -> tuple[str, str]:
        a, b = matchup.a.text, matchup.opponent
        if a == b:
            return f"{a} (A)", f"{b} (B)"
        return (a, b) if self.state.half == 0 else (b, a)

    @property
    def dealt(self) -> bool:
        """True if cards were dealt; False if a refused offer ended the deal before."""
        return bool(self.state.phase != answers.PHASE_BLIND)

    def lines(self) -> Iterator[str]:
        """Yield all lines, up to the result or the decision in which a policy failed."""
        yield from (*wrapped(self.title), *wrapped(self.summary), "")
        yield from self.play()

    @property
    def summary(self) -> str:
        """Result of the deal in one line."""
        if self.watched.fault:
            return "The deal was not finished"
        return f"{self._kind()}. {self._points()}"

    def play(self) -> Iterator[str]:
        """Yield the lines below the title."""
        if self.rules.die != DIE_OFF:
            yield from self._blind_offers()
        if self.dealt:
            yield from self._table()
        tellers = {answers.PHASE_UPCARD: self._upcard, answers.PHASE_LAST: self._last_discard}
        for _, turn in groupby(self.watched.questions, key=self._place):
            questions = list(turn)
            phase = int(questions[0].view.phase)
            if phase != answers.PHASE_BLIND:
                yield ""
                yield from tellers.get(phase, self._turn)(questions)
        yield from self._silent_draw()
        yield ""
        if self.watched.fault:
            yield "The deal stopped here"
            yield from wrapped(f"  {self.watched.fault}")
        else:
            yield from self._result()

    def _place(self, question: Question) -> tuple[int, int]:
        """Return the turn and phase of a decision, which group decisions in the text."""
        return int(question.view.turns), int(question.view.phase)

    # Before the play

    @property
    def title(self) -> str:
        """Variant of the deal, and the numbers that identify it."""
        matchup = self.watched.matchup
        place = f"seed {matchup.seed}, unit {self.state.unit}"
        if matchup.b is not None:
            place += f", half {self.state.half}"
        if matchup.unit == "match":
            place += f", deal {self.state.deal}"
        return f"{matchup.variant.text}: {place}"

    def _blind_offers(self) -> Iterator[str]:
        """Yield the die, and the offers made before the cards are dealt."""
        questions = [
            asked for asked in self.watched.questions if asked.view.phase == answers.PHASE_BLIND
        ]
        first = questions[0].view if questions else self.state
        die = f"the die shows {first.stake}"
        if first.owner >= 0:
            die += f", owned by {self._who(first.owner)}"
        yield ""
        yield f"Before the cards are seen, {die}"
        if not self.dealt:
            for seat in self._seats():
                yield from wrapped(f"  {self._player(seat)}")
        for question in questions:
            yield from self._offer(question)

    def _offer(self, question: Question) -> list[str]:
        """Return the lines of an offer or the response to one, with the player."""
        return wrapped(f"  {self._who(question.seat)} {decision_text(question)}")

    def _seats(self) -> tuple[int, int]:
        """Return the nondealer's seat and the dealer's seat."""
        dealer = int(self.state.dealer)
        return 1 - dealer, dealer

    def _player(self, seat: int) -> str:
        role = "dealer" if seat == self.state.dealer else "nondealer, plays first"
        score = standing_text(self.state, self.params, seat)
        return f"{self._who(seat)}, {role}, {score}"

    def _table(self) -> Iterator[str]:
        """Yield the knock limit, the upcard and the hands as dealt."""
        state = self.state
        if self.rules.die != DIE_OFF:
            yield ""
        terms = f"Knock limit {state.limit}"
        if state.limit == 0:
            terms += " (gin only)"
        if state.multiplier != 1:
            terms += f", all points times {state.multiplier}"
        if state.upcard >= 0:
            terms += f", upcard {_card(state.upcard)}"
        yield terms
        for seat in self._seats():
            yield ""
            yield from wrapped(self._player(seat))
            yield f"  is dealt {self._hand_text(self.watched.hands[seat])}"

    def _who(self, seat: int) -> str:
        return f"{self.names[seat]} (seat {seat})"

    def _hand_text(self, hand: int) -> str:
        deadwood, melds = shown_melding(hand, self.rules)
        return f"{cards_text(melds, hand)}, deadwood {deadwood}"

    # The play

    def _upcard(self, questions: list[Question]) -> Iterator[str]:
        if self.state.upcard >= 0:
            yield f"The upcard is {_card(self.state.upcard)}"
        else:
            yield "Before the first turn"
        for question in questions:
            if question.slot in DIE_SLOTS:
                yield from self._offer(question)
                continue
            hand = self._hand_text(int(question.view.hand))
            choice = _upcard_choice(question)
            yield from wrapped(f"  {self._who(question.seat)} holds {hand}: {choice}")

    def _turn(self, questions: list[Question]) -> Iterator[str]:
        """Yield the lines of a turn from its decisions; a forced draw shows in the next view."""
        seat = questions[0].seat
        own = [question for question in questions if question.seat == seat]
        yield from self._before_draw(seat, own[0].view)
        for question in questions:
            if question.slot in DIE_SLOTS:
                yield from self._offer(question)
        for question in own:
            if question.slot == "take" and question.answer != answers.TAKE:
                yield f"  {_offered_discard(question)}"
        yield from self._draw(own[-1].view)
        for question in own:
            if question.slot not in ("take", *DIE_SLOTS):
                yield from decision_lines(question)

    def _before_draw(self, seat: int, view: Any) -> Iterator[str]:
        """Yield the stock, the known cards of the opponent and the ten cards held."""
        stock = int(view.stock) + (view.drawn >= 0)
        yield from wrapped(f"Turn {view.turn}, {self._who(seat)}, {stock} cards in the stock")
        if known := hand_text(int(view.known)):
            yield from wrapped(f"  knows that {self.names[1 - seat]} holds {known}")
        hand = int(view.hand)
        for card in (view.drawn, view.taken):
            if card >= 0:
                hand &= ~(1 << int(card))
        yield f"  holds {self._hand_text(hand)}"

    def _draw(self, view: Any) -> Iterator[str]:
        """Yield the card taken or drawn on a turn, from the last view of the turn.

        A draw that ends the deal follows the last decision, so that only the state contains it.
        """
        drawn = view.drawn
        if view.turns == self.state.turns and not self.watched.fault:
            drawn = self.state.drawn
        if view.taken >= 0:
            yield f"  takes {_card(view.taken)}"
        elif drawn >= 0:
            yield f"  draws {_card(drawn)}"

    def _silent_draw(self) -> Iterator[str]:
        """Yield a last draw without a decision, which ends the deal if the pile is closed."""
        state = self.state
        if self.watched.fault or state.drawn < 0 or state.stopper >= 0:
            return
        for last in self.watched.questions[-1:]:
            if last.view.turns == state.turns:
                return
            yield ""
            yield f"Turn {state.turns + 1}, {self._who(1 - last.seat)}"
            yield f"  draws {_card(state.drawn)}"

    def _last_discard(self, questions: list[Question]) -> Iterator[str]:
        first = questions[0]
        view = first.view
        yield from wrapped(f"The last discard, {self._who(first.seat)}")
        yield f"  holds {self._hand_text(int(view.hand))}"
        yield f"  may take {_card(view.taken_offer)} to end the deal"
        for question in questions:
            yield from decision_lines(question)

    # The end

    def _result(self) -> Iterator[str]:
        if self.state.stopper < 0:
            yield from self._no_showdown()
        else:
            yield from self._showdown()
        if self.rules.die != DIE_OFF and self.watched.kind != "refused":
            yield f"The die shows {self.state.stake}"
        yield from wrapped(self._points())
        if self.watched.matchup.unit == "match":
            yield from self._match()

    def _points(self) -> str:
        a, b = self.names
        return f"Points: {a} {self.state.score[0]}, {b} {self.state.score[1]}"

    def _match(self) -> Iterator[str]:
        """Yield the score of the match after the deal, and the winner if it is over."""
        after, outcome = enter_deal(self.state, self.rules)
        yield from wrapped(f"Match: {self._standings(after)}")
        if outcome in OVER:
            yield from wrapped(OVER[outcome])
        elif outcome != UNDECIDED:
            yield from wrapped(self._won(outcome))

    def _standings(self, state: Any) -> str:
        """Return the scores of both sides; the joker's only if it can win points."""
        has_two = len(self.watched.matchup.players) == 2 or self.goal.score == "points"
        sides = list(enumerate(self.names))[: 1 + has_two]
        return "; ".join(
            f"{name}, {standing_text(state, self.params, seat)}" for seat, name in sides
        )

    def _won(self, seat: int) -> str:
        return f"{self.names[seat]} wins the match"

    def _no_showdown(self) -> Iterator[str]:
        """Yield the lines of a deal that neither side ended by knock or gin."""
        if self.watched.kind == "stalled":
            yield f"Stalled after {self.state.turns} turns"
        elif self.watched.kind == "refused":
            pays = int(self.state.pays)
            plural = "s" if pays > 1 else ""
            yield "Refused"
            winner = self._who(int(self.state.winner))
            yield from wrapped(f"  {winner} gets {pays} {self.goal.unit}{plural}")
        else:
            yield f"Dead hand: {self.state.stock} cards are left in the stock"

    def _kind(self) -> str:
        """Return the ending of the deal as a heading."""
        kind = KINDS[int(self.state.kind)]
        return "Dead hand" if kind == "void" else kind.replace("_", " ").capitalize()

    def _showdown(self) -> Iterator[str]:
        state = self.state
        stopper = int(state.stopper)
        defender = 1 - stopper
        shown = cards_text(in_text_order(state.melds), int(state.hand[stopper]))
        laid, melds = self.defence()
        held = cards_text(melds, int(state.hand[defender]) & ~laid)
        yield self._kind()
        yield from wrapped(f"  {self._who(stopper)} shows {shown}, count {state.stopper_count}")
        yield from wrapped(f"  {self._who(defender)} has {held}, count {state.other_count}")
        if laid:
            yield f"    after laying off {hand_text(laid)}; count before: {state.defender_before}"

    def defence(self) -> tuple[int, Melding]:
        """Return the defender's lay-offs, as a mask, and the melding of the remaining cards."""
        hand = int(self.state.hand[1 - int(self.state.stopper)])
        laid = 0
        if self.state.laid_off:
            options = np.zeros((3, layoff.MAX_OPTIONS), np.int64)
            chains = np.zeros((2, 16), np.int64)
            _, laid = layoff.lay_off(hand, self.state.melds, self.rules, options, chains)
        return int(laid), all_meldings(hand & ~int(laid), self.rules, DEFENDER)[0]


# Solitaire games, against the joker or a limit of draws


class SoloReplay(Replay):
    """Text of a traced solitaire deal."""

    def _names(self, matchup: Matchup) -> tuple[str, str]:
        return matchup.a.text, JOKER

    @property
    def has_joker(self) -> bool:
        """True if the deck contains a joker."""
        return bool(self.rules.joker != NO_JOKER)

    @property
    def deck(self) -> int:
        """Number of cards in the deck after dealing, including a joker."""
        hand_size = 11 if self.rules.first_turn == DISCARD_FIRST else 10
        return 52 - hand_size + self.has_joker

    # Before the play

    def _table(self) -> Iterator[str]:
        limit = self.state.limit
        terms = f"Knock limit {limit}" if limit else "Gin only"
        terms += f"; deck of {self.deck} cards"
        if self.has_joker and self.state.above >= 0:
            terms += " including the joker"
        if self.rules.max_draws >= 0:
            terms += f"; at most {self.rules.max_draws} draws"
        yield terms
        yield ""
        yield from wrapped(self._standings(self.state))
        yield f"  is dealt {self._hand_text(self.watched.hands[PLAYER])}"

    # The play

    def _place(self, question: Question) -> tuple[int, int]:
        """Return the turn of a decision, which groups decisions in the text.

        The decision to stop after a turn belongs to that turn. The one before the first draw is
        separate.
        """
        return int(question.view.turns) - int(question.view.phase == answers.PHASE_STOP), 0

    def _turn(self, questions: list[Question]) -> Iterator[str]:
        view = questions[0].view
        if view.phase == answers.PHASE_STOP:
            yield "Before the first draw"
        else:
            yield from self._holding(view)
        for question in questions:
            yield from decision_lines(question)

    def _holding(self, view: Any) -> Iterator[str]:
        """Yield the ten cards held at the start of a turn, and the card drawn."""
        drawn = int(view.drawn)
        hand = int(view.hand)
        if drawn >= 0:
            hand &= ~(1 << drawn)
        yield f"Turn {view.turn}"
        yield f"  holds {self._hand_text(hand)}"
        if drawn >= 0:
            yield f"  draws {card_text(drawn)}, {view.deck_left} left in the deck"

    def _silent_draw(self) -> Iterator[str]:
        yield from ()

    # The end

    def _no_showdown(self) -> Iterator[str]:
        """Yield the lines of a deal ended by the joker, the last draw or the turn limit."""
        state = self.state
        draws = state.draws[PLAYER]
        stalled = self.watched.kind == "stalled"
        if stalled:
            yield f"Stalled after {state.turns} turns"
        elif self.watched.kind == "limit":
            yield f"Limit: all {draws} draws are used"
        elif state.above < 0:
            yield "Joker: it was dealt"
        else:
            yield f"Joker: card {draws + 1} of the {self.deck} in the deck"
        hand = self._hand_text(int(state.hand[PLAYER]))
        yield from wrapped(f"  {self.names[PLAYER]} holds {hand}")
        if stalled:
            yield from self._above_joker()

    def _showdown(self) -> Iterator[str]:
        state = self.state
        shown = cards_text(in_text_order(state.melds), int(state.hand[PLAYER]))
        yield self._kind()
        count = state.stopper_count
        yield from wrapped(f"  {self.names[PLAYER]} shows {shown}, count {count}")
        yield from self._above_joker()

    def _above_joker(self) -> Iterator[str]:
        """Yield the number of cards above the joker."""
        if not self.has_joker:
            return
        n = int(self.state.above)
        place = "  1 card lies above the joker" if n == 1 else f"  {n} cards lie above the joker"
        if self.params["deal_scoring"] == "joker" and self.state.stopper >= 0:
            place += f", which counts {self.state.other_count}"
        yield place

    def _points(self) -> str:
        if self.params["deal_scoring"] == "penalty":
            return f"Penalty: {self.names[PLAYER]} {self.state.score[PLAYER]}"
        return super()._points()

    def _won(self, seat: int) -> str:
        if not self.goal.total:
            return super()._won(seat)
        result = "won" if seat == PLAYER else "lost"
        won_by = self.goal.won_by.format(**self.params)
        return f"The match is {result}: the goal was {won_by}"


def make_replay(watched: WatchedDeal) -> Replay:
    """Return the text of a traced deal of one or two players."""
    return SoloReplay(watched) if watched.matchup.b is None else Replay(watched)


# Phrases for decisions, to continue a sentence that begins with the player


def _upcard_choice(question: Question) -> str:
    if question.answer is None:
        return NO_ANSWER
    if question.answer == answers.TAKE:
        return "takes it"
    view = question.view
    must_pass = view.phase == answers.PHASE_UPCARD and not view.legal & 1 << answers.PASS
    if question.answer == answers.PASS or must_pass:
        return "passes"
    return "draws from the stock"


def _card(card: Any) -> str:
    return card_text(int(card))


def _offered_discard(question: Question) -> str:
    """Return the phrase for the top discard that was not taken."""
    card = _card(question.view.taken_offer)
    if question.answer is None:
        return f"may take {card}: {NO_ANSWER}"
    return f"declines {card}"


def _melding(question: Question) -> str:
    """Return the phrase for the melding that a player chose to show (`melding = choice`)."""
    view = question.view
    number = (int(view.legal) & (1 << MAX_MELDINGS) - 1).bit_count()
    if question.answer is None:
        return f"may show {number} meldings: {NO_ANSWER}"
    shown = cards_text(in_text_order(view.meldings[question.answer]), int(view.hand))
    return f"shows melding {question.answer} of 0..{number - 1}: {shown}"


def _draw(question: Question) -> str:
    """Return the phrase for a draw from the pile, a draw from the stock or a pass."""
    if question.answer != answers.TAKE:
        return _upcard_choice(question)
    return f"takes {_card(question.view.taken_offer)}"


def decision_text(question: Question) -> str:
    """Return the phrase for a decision, as in `discards KS`."""
    view, answer = question.view, question.answer
    match question.slot:
        case "take":
            return _draw(question)
        case "discard":
            return NO_ANSWER if answer is None else f"discards {card_text(answer)}"
        case "show":
            return _melding(question)
        case "offer":
            may, yes = f"may offer more than {view.stake}", f"offers {answer}"
            no = f"leaves the die at {view.stake}"
        case "answer":
            may, yes = f"is offered {view.offered}", f"accepts {view.offered} and owns the die"
            no = f"refuses {view.offered}"
        case _:
            infinitive, verb = _ending(view)
            may, yes, no = f"may {infinitive}", verb, f"may {infinitive}: plays on"
    if answer is None:
        return f"{may}: {NO_ANSWER}"
    return yes if answer else no


def _ending(view: Any) -> tuple[str, str]:
    """Return (`knock with 4, discarding KS`, `knocks with 4, discarding KS`) for an ending."""
    gin_or_knock = ("knock", "knocks") if view.ending_count else ("go gin", "goes gin")
    infinitive, verb = ENDINGS.get(int(view.ending), gin_or_knock)
    how = f" with {view.ending_count}" if view.ending_count else ""
    if view.ending_card >= 0:
        how += f", discarding {_card(view.ending_card)}"
    return infinitive + how, verb + how


def decision_lines(question: Question) -> list[str]:
    """Return the lines of a decision within a turn."""
    return wrapped(f"  {decision_text(question)}")


def wrapped(line: str) -> list[str]:
    """Wrap a line at 80 columns, with a deeper indent for continuation lines."""
    indent = len(line) - len(line.lstrip()) + 2
    return textwrap.wrap(line, WIDTH, subsequent_indent=" " * indent, break_on_hyphens=False)


# Score of a match


def standing_text(state: Any, params: Mapping[str, Any], seat: int) -> str:
    """Format the score of a seat towards its goal, from the engine state and the parameters."""
    side = goal_of(params).side_at(params, seat)
    results = {-1: "", seat: " (won)", 1 - seat: " (lost)"}
    columns = [
        f"{state.column_points[seat, column]}{results[int(state.column_winner[column])]}"
        for column in range(_number_of_columns(params))
    ]
    return side.standing.format(
        score=state.points[seat],
        deals=state.deals_won[seat],
        games=state.games[seat],
        by_column=", ".join(columns),
        **params,
    )


def _number_of_columns(params: Mapping[str, Any]) -> int:
    """Return the number of columns scored in parallel; 0 if the goal is a different one."""
    if parameters()["columns"].acts(params):
        return int(params["columns"])
    return 0


def standing_numbers(state: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the match score by seat, for JSON; `columns` is None if there are none."""
    n = _number_of_columns(params)
    return {
        "points": state.points.tolist(),
        "won_deals": state.deals_won.tolist(),
        "games": state.games.tolist(),
        "columns": state.column_points[:2, :n].tolist() if n else None,
    }


def enter_deal(state: Any, rules: Any) -> tuple[Any, int]:
    """Apply the result of a deal to a copy of the state.

    Returns:
        (new state, outcome of the match); see `core.match`.
    """
    after = state.copy()
    return after, int(match.enter(after, rules, int(state.deal) + 1))
