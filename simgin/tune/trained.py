"""A training from its request to what came of it: the weights, their file, sentences, tables."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from simgin.play.parallel import Progress
from simgin.report import numbers
from simgin.report.sheet import Sheet
from simgin.runs.ledger import Ledger
from simgin.stats.estimate import Estimate
from simgin.strategy import Strategy
from simgin.tune import scores
from simgin.tune.confirmation import Confirmation, confirm
from simgin.tune.report import confirmation_sheet
from simgin.tune.request import TuneRequest
from simgin.tune.sentences import gain_sentences, pool_names
from simgin.tune.training import Round, TrainRequest, mean_weights, train
from simgin.tune.tuned import confirmation_table
from simgin.tune.wording import TRAINING, Wording

if TYPE_CHECKING:
    import pandas as pd

OWN = b"\n# simgin train "  # how the text begins that stands behind the weights in a file
SHOWN = 30  # weights at most in the table of a screen


@dataclass(frozen=True)
class Trained:
    """What came of a training."""

    training: TrainRequest
    rounds: Sequence[Round]
    weights: np.ndarray
    confirmation: Confirmation
    wording: ClassVar[Wording] = TRAINING

    @property
    def request(self) -> TuneRequest:
        """Who was trained, against whom, and how it was confirmed."""
        return self.training.match

    @property
    def strategy(self) -> Strategy:
        """The strategy with the weights that it learned."""
        return self.training.trained(self.weights)

    @property
    def parameters(self) -> pd.DataFrame:
        """The weights: number, start, trained."""
        start = self.training.policy.start
        rows = []
        for (number, before), after in zip(start.items(), self.weights, strict=True):
            row = {"number": number, "start": before, "trained": after}
            rows.append(row)
        return _frame(rows)

    @property
    def course(self) -> pd.DataFrame:
        """What every round gained on the start: round, questions, gain, low, high."""
        rows: list[dict[str, Any]] = []
        for played in self.rounds:
            gain = played.gain
            row = {
                "round": played.number,
                "questions": played.questions,
                "gain": gain.value,
                "low": gain.low,
                "high": gain.high,
            }
            rows.append(row)
        return _frame(rows)

    @property
    def table(self) -> pd.DataFrame:
        """The confirmation: a row for every opponent, the start last."""
        return confirmation_table(self)


def carry_out(
    training: TrainRequest,
    ledger: Ledger,
    workers: int | None = None,
    part: Callable[[int], Progress | None] = lambda place: None,
    see: Callable[[Round], None] = lambda played: None,
) -> Trained:
    """Train and confirm; what is in the ledger is not played again.

    part: takes the progress of the rounds and of the confirmation, as pieces of the work. see: is
    shown every round.
    """
    rounds = train(training, ledger, workers, part, see)
    weights = mean_weights(rounds)
    strategy = training.trained(weights)
    last = part(training.rounds)
    confirmation = confirm(training.match, strategy, ledger, workers, last)
    return Trained(training, rounds, weights, confirmation)


# The file


def trained_file(trained: Trained, command: str) -> bytes:
    """The weights as numpy saves them, and behind them what made them and what they are worth.

    Readers of arrays stop where the array ends.
    """
    content = io.BytesIO()
    weights = trained.weights.astype(np.float32)
    np.save(content, weights)
    remarks = [command, *gain_sentences(trained)]
    text = "".join(f"\n# {remark}" for remark in remarks)
    behind = f"{text}\n"
    return content.getvalue() + behind.encode()


def is_trained_file(path: Path) -> bool:
    """Whether a training wrote a file."""
    return path.is_file() and OWN in path.read_bytes()


# Words


def plan_sentence(training: TrainRequest) -> str:
    """What will be played."""
    match = training.match
    return (
        f"{training.rounds} rounds of {training.deals:,} deals against {pool_names(match)} "
        f"({match.variant.text}): each is played on with several discards, and what they lead to "
        f"teaches {len(training.start)} weights. Then {match.confirmed:,} matches on "
        f"{TRAINING.unseen} confirm what was learned."
    )


def round_line(training: TrainRequest, played: Round) -> str:
    """What a round gained, in a line."""
    gain = percent(training.match, played.gain)
    return (
        f"round {played.number} of {training.rounds}: gain {gain} % of the matches, from "
        f"{played.questions:,} questions"
    )


def percent(match: TuneRequest, estimate: Estimate) -> str:
    """A figure with its interval, as the confirmation shows it."""
    metric = scores.metric_of(match.objective)
    return numbers.estimate(estimate.value, estimate.low, estimate.high, metric.factor)


def train_sheets(trained: Trained) -> Iterator[Sheet]:
    """The course, the weights and the confirmation."""
    rows = []
    for played in trained.rounds:
        gain = percent(trained.request, played.gain)
        number = str(played.number)
        questions = f"{played.questions:,}"
        rows.append((number, questions, gain))
    title = "Rounds: matches won more than at the start [%]"
    yield Sheet(title, ("round", "questions", "gain"), rows)
    yield _weights_sheet(trained)
    yield confirmation_sheet(trained)


def _weights_sheet(trained: Trained) -> Sheet:
    """The first weights; all are in the file."""
    start = trained.training.policy.start
    learned = zip(start.items(), trained.weights, strict=True)
    rows = []
    for (number, before), after in list(learned)[:SHOWN]:
        rows.append((number, f"{before:g}", f"{after:.3g}"))
    note = "The card with the least sum of weights times numbers is thrown; sums are points."
    if len(start) > SHOWN:
        note = f"The first {SHOWN} of {len(start)}. {note}"
    return Sheet("Weights", ("number", "start", "trained"), rows, note)


def _frame(rows: list[dict[str, Any]]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(rows)
