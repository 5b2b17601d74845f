"""A training from its request to what came of it: the weights, their file, tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.report.table import Column, Table
from simgin.runs.ledger import Ledger
from simgin.tune.confirmation import confirm
from simgin.tune.found import TRAINING, Found, Parts, frame, interval, saved
from simgin.tune.training import Round, TrainRequest, mean_weights, read_training, train
from simgin.tune.tune_report import gain_sentences

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Trained", "carry_out", "plan_sentence", "read_training"]

SHOWN = 30  # weights at most in the table of a screen


@dataclass(frozen=True)
class Trained(Found):
    """What came of a training."""

    words = TRAINING
    training: TrainRequest
    rounds: Sequence[Round]
    weights: np.ndarray

    @property
    def identity(self) -> dict[str, Any]:
        """What may not change when the training is continued."""
        return self.training.identity

    @property
    def parameters(self) -> pd.DataFrame:
        """The weights: number, start, trained."""
        rows = []
        for (number, before), after in self._learned:
            rows.append({"number": number, "start": before, "trained": after})
        return frame(rows)

    @property
    def _learned(self) -> list[tuple[tuple[str, float], float]]:
        """Every number with its weight before, and after."""
        return list(zip(self.training.policy.start.items(), self.weights, strict=True))

    def file(self, command: str) -> bytes:
        """The weights, and behind them what made them and what they are worth."""
        return saved(self.weights, command, *self.sentences)

    def tables(self) -> Mapping[str, pd.DataFrame]:
        """The frames of a training by the names of their files."""
        rounds = []
        for played in self.rounds:
            gain = {"gain": played.gain.value, "low": played.gain.low, "high": played.gain.high}
            rounds.append({"round": played.number, "questions": played.questions, **gain})
        return {
            "parameters.csv": self.parameters,
            "rounds.csv": frame(rounds),
            "confirmation.csv": self.table,
        }

    def shown(self) -> list[Table]:
        """The course, and the first weights; all are in the file."""
        rounds = self.tables()["rounds.csv"].rename(columns={"gain": "value"})
        gain = Column("value", "gain", factor=self.request.metric.factor)
        columns = (Column("round", "round"), Column("questions", "questions"), gain)
        weights = self.parameters[:SHOWN]
        told = weights.assign(trained=[f"{weight:.3g}" for weight in weights["trained"]])
        note = "The card with the least sum of weights times numbers is thrown; sums are points."
        if len(self.weights) > SHOWN:
            note = f"The first {SHOWN} of {len(self.weights)}. {note}"
        return [
            Table("Rounds: matches won more than at the start [%]", rounds, columns),
            Table(
                "Weights",
                told,
                [Column(name, name) for name in ("number", "start", "trained")],
                note,
            ),
        ]

    @property
    def sentences(self) -> list[str]:
        """Whether anything was gained, and what it is worth against what it was."""
        return gain_sentences(self)

    @property
    def method(self) -> str:
        """How the training was made."""
        training = self.training
        return (
            f"{training.rounds} rounds of {training.deals:,} deals against every opponent, each "
            "with the weights of the round before; the mean of the later half of them."
        )


def carry_out(
    training: TrainRequest,
    ledger: Ledger,
    workers: int | None = None,
    part: Parts = lambda place: None,
    see: Callable[[str], None] = lambda line: None,
) -> Trained:
    """Train and confirm; what is in the ledger is not played again.

    part: takes the progress of the rounds and of the confirmation, as pieces of the work. see: is
    shown a line for every round.
    """
    rounds = train(training, ledger, workers, part, lambda one: see(_round_line(training, one)))
    weights = mean_weights(rounds)
    strategy = training.trained(weights)
    confirmation = confirm(training.match, strategy, ledger, workers, part(training.rounds))
    return Trained(training.match, strategy, confirmation, training, rounds, weights)


def plan_sentence(training: TrainRequest) -> str:
    """What will be played."""
    match = training.match
    return (
        f"{training.rounds} rounds of {training.deals:,} deals against {match.opponents} "
        f"({match.variant.text}): each is played on with several discards, and what they lead to "
        f"teaches {len(training.start)} weights. Then {match.confirmed:,} matches on "
        f"{Trained.words.unseen} confirm what was learned."
    )


def _round_line(training: TrainRequest, played: Round) -> str:
    """What a round gained, in a line."""
    gain = interval(training.match, played.gain)
    return (
        f"round {played.number} of {training.rounds}: gain {gain} % of the matches, from "
        f"{played.questions:,} questions"
    )
