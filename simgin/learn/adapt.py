"""Adaptation of `champion` to other rules, with training for all of its decisions.

    result = adapt_champion("straight")   # less than a minute of CPU time on the first call
    result.player                         # champion@NAME.npy, or champion if there is no gain

The weights are cached next to the compiled code, under a digest of all their dependencies. A second
call therefore loads the weights. Completed rounds are also cached, so that an interrupted training
run can be resumed.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.core import jit
from simgin.learn import improvement
from simgin.learn.random_rules import is_in_training_range
from simgin.learn.tune_request import TrainingRequest, TuneError, read_players
from simgin.play.parallel import PROGRESS_STEPS_PER_PART, ProgressCallback
from simgin.report import numbers
from simgin.report.progress import OnProgress
from simgin.report.report_table import Column, Table
from simgin.rules import variants
from simgin.rules.parameters import ParamValue, load_rule_parameters
from simgin.rules.variants import Variant
from simgin.runs import ledger
from simgin.runs.ledger import Ledger
from simgin.stats.differences import adjust_p_values
from simgin.stats.estimate import ALPHA, Estimate, compute_two_sided_p_value
from simgin.stats.table import Frame, build_output_frame, make_frame
from simgin.strategy import cast, loader
from simgin.strategy.cast import CHAMPION_STRATEGY, SELF_PLAY_OPPONENT
from simgin.text.amounts import parse_count
from simgin.text.files import read_bytes, slugify, write_file

if TYPE_CHECKING:
    from simgin.learn.champion_weights import ChampionTrainer

# opponents for training, except `champion`
TRAINING_OPPONENTS = tuple(
    name
    for group in cast.TRAINING_SETTINGS.values()
    for name in group["opponents"]
    if name != SELF_PLAY_OPPONENT
)
# Number of rounds per opponent type. Under five of six rule sets, 12 rounds did not give stronger
# players (docs/explanation/decisions/0009-learning.md).
ADAPT_ROUNDS = 4
ADAPT_DEALS_PER_ROUND = 40_000  # number of deals per round
ADAPT_CONFIRMATION_MATCHES = 10_000  # number of matches per opponent for the confirmation
TRAINING_VERSION = 3  # Increase it when a change makes training give different weights.
FINAL_STEP_NAME = "learned"  # name of the last step in the ledger
# rule sections and match parameters that affect the best way to play deals
PLAY_AFFECTING_SECTIONS = ("deal", "meld", "score", "stake")
PLAY_AFFECTING_PARAMETERS = ("goal", "deal_count_gin", "deal_count_undercut", "points_target")


@dataclass(frozen=True)
class AdaptRequest(TrainingRequest):
    """Request to train `champion` for a variant."""

    @classmethod
    def read(
        cls,
        strategy: str,
        variant: str,
        against: Sequence[str] = (),
        *,
        rounds: int = ADAPT_ROUNDS,
        deals: int | str = ADAPT_DEALS_PER_ROUND,
        confirmation_matches: int | str = ADAPT_CONFIRMATION_MATCHES,
        seed: int = 1,
    ) -> AdaptRequest:
        """Parse the arguments of a request to train `champion` for a variant.

        Args:
            strategy: Must be `champion`.
            variant: Two-player variant.
            against: Must be empty, because the opponents of `champion` are fixed.
            rounds: Number of rounds per opponent type.
            deals: Number of deals per round.
            confirmation_matches: Number of matches per opponent for the confirmation.
            seed: Seed of the deals.

        Raises:
            TuneError: If `against` is not empty.
            PlayerCountError: If the variant is a solitaire game.
            AmountError: If a number is not valid.
        """
        if against:
            raise TuneError(
                "--against cannot be used with champion, which always trains against "
                f"{', '.join(TRAINING_OPPONENTS)} and itself. Omit --against."
            )
        players = read_players(strategy, variant, TRAINING_OPPONENTS)
        n = parse_count(deals)
        training = f"training of all decisions on {n} deals a round, form {TRAINING_VERSION}"
        match_request = cls.read_match_request(players, confirmation_matches, seed, training)
        return cls(match_request, rounds, n)

    @cached_property
    def ledger_file(self) -> Path:
        """Path of the ledger of training rounds, next to the weights file.

        Raises:
            TuneError: If the cache cannot be written.
        """
        folder = jit.get_cache_directory()
        if folder is None:
            raise TuneError(
                "the cache for trained players cannot be written. Set SIMGIN_CACHE_DIR to another "
                "directory."
            )
        identity_text = json.dumps([self.identity, self.n_rounds], sort_keys=True)
        digest = hashlib.sha256(identity_text.encode()).hexdigest()
        slug = slugify(self.match_request.variant.spec)
        return folder / loader.TRAINED_WEIGHTS_FOLDER / f"{slug[:60]}-{digest[:8]}.sqlite"

    def make_weights_path(self, content: bytes) -> Path:
        """Return the path of the weights file, whose name contains the variant and a digest."""
        ledger_path = self.ledger_file
        return ledger_path.with_name(loader.format_weights_file_name(ledger_path.stem, content))

    @property
    def is_cached(self) -> bool:
        """True if the training is complete and its result is cached."""
        return any(self.ledger_file.parent.glob(f"{self.ledger_file.stem}-*.npy"))

    @property
    def n_steps(self) -> int:
        """Number of steps for the progress display: two per training round, and two final steps."""
        return 2 * self.n_rounds + 2


@dataclass(frozen=True)
class AdaptedChampion(improvement.Improvement):
    """Result of training `champion` for a variant, including its gain on held-out deals."""

    wording = improvement.TRAINING_WORDING
    training_request: AdaptRequest
    weights: np.ndarray  # float64, in the format of `champion`
    win_rates: np.ndarray  # win rates before each round, (n_rounds, len(TRAINING_OPPONENTS))
    cpu_seconds: float  # CPU time of the training, in seconds

    @property
    def p_holm(self) -> dict[str, float]:
        """p-values of the gains by opponent, after Holm's correction."""
        gain_by_opponent = {
            comparison.opponent: comparison.gain for comparison in self.confirmation.all_comparisons
        }
        p = [
            compute_two_sided_p_value(gain.value, gain.se, gain.n)
            for gain in gain_by_opponent.values()
        ]
        return dict(zip(gain_by_opponent, map(float, adjust_p_values(np.array(p))), strict=True))

    @property
    def gain(self) -> Estimate:
        """Match win rate of the trained player against `champion`, minus one half."""
        return self.confirmation.head_to_head.gain

    @property
    def is_better(self) -> bool:
        """True if the trained player significantly beats `champion` on held-out deals."""
        return self.gain.value > 0 and self.p_holm[CHAMPION_STRATEGY] < ALPHA

    @property
    def is_strongest(self) -> bool:
        """True if the trained player beats `champion` and does not lose to a training opponent."""
        win_rates = [comparison.tuned_score for comparison in self.confirmation.comparisons]
        return self.is_better and all(win_rate.high >= 0.5 for win_rate in win_rates)

    @property
    def player(self) -> str:
        """Spec of the trained strategy if it is better than `champion`, otherwise `champion`."""
        return (
            f"{CHAMPION_STRATEGY}@{self.weights_file_name}" if self.is_better else CHAMPION_STRATEGY
        )

    @property
    def weights_file_name(self) -> str:
        """Name of the weights file of the trained player."""
        return self.training_request.make_weights_path(
            improvement.encode_weights(self.weights)
        ).name

    @property
    def verdict_sentences(self) -> list[str]:
        """Sentences about the win rate against `champion` and about decreased win rates."""
        variant, n = self.request.variant.spec, self.request.confirmation_matches
        win_rate = self.confirmation.head_to_head.tuned_score
        win_rate_text = numbers.format_estimate(win_rate.value, win_rate.low, win_rate.high, 100)
        sentence = (
            f"With the trained weights, it wins {win_rate_text} % of matches against champion "
            f"({variant}, {n:,} matches on held-out deals)."
        )
        if not self.is_better:
            return [f"Training did not improve champion. {sentence} simgin keeps using champion."]
        sentences = [f"Training improved champion. {sentence}"]
        p = self.p_holm
        for comparison in self.confirmation.comparisons:
            if comparison.gain.value < 0 and p[comparison.opponent] < ALPHA:
                gain_text = numbers.format_estimate(
                    -comparison.gain.value, -comparison.gain.high, -comparison.gain.low, 100
                )
                sentences.append(
                    f"Against {comparison.opponent}, its win rate is {gain_text} percentage points "
                    "lower than before."
                )
        return sentences

    @property
    def mean_row_label(self) -> str:
        """Empty label, because the report shows no mean over the opponents."""
        return ""

    @property
    def table(self) -> Frame:
        """DataFrame of the gain against every opponent, with p-values after Holm's correction."""
        table = super().table
        return build_output_frame(
            "confirmation", table.assign(p_holm=table["opponent"].map(self.p_holm))
        )

    def render_file(self, command: str) -> bytes:
        """Return the content of the weights file, with the command and the gain in comments."""
        return improvement.encode_weights(self.weights, command, *self.verdict_sentences)

    def frames(self) -> Mapping[str, Frame]:
        """Return a dictionary of the DataFrames of the training, keyed by name."""
        rows = [
            {"round": round_number, "opponent": opponent, "won": win_rate}
            for round_number, win_rates in enumerate(self.win_rates, 1)
            for opponent, win_rate in zip(TRAINING_OPPONENTS, win_rates, strict=True)
        ]
        return {"rounds": build_output_frame("champion_rounds", rows), "confirmation": self.table}

    def build_display_tables(self) -> list[Table]:
        """Return the table of the win rates before each training round."""
        frame = make_frame(
            [
                {"round": n, **dict(zip(TRAINING_OPPONENTS, win_rates, strict=True))}
                for n, win_rates in enumerate(self.win_rates, 1)
            ]
        )
        columns = [Column("round", "round")]
        columns += [Column(name, name, digits=1, factor=100) for name in TRAINING_OPPONENTS]
        note = (
            "1,000 matches per value. 95 % confidence intervals are within ± 3 percentage points."
        )
        return [Table("Matches won before each round (%)", frame, columns, note)]

    @property
    def method_description(self) -> str:
        """Description of the training method for the report."""
        training = self.training_request
        return (
            f"The training started from the weights of champion, with {training.rounds_text} of "
            f"{training.deals_per_round:,} deals against opponents that wait for gin, and "
            f"{training.rounds_text} of {training.deals_per_round // 2:,} deals against opponents "
            "that knock immediately. The result is the average over the last rounds."
        )


def adapt_champion(
    variant: str,
    *,
    workers: int | None = None,
    progress: ProgressCallback | None = None,
    **training_sizes: Any,
) -> AdaptedChampion:
    """Return `champion` trained for a two-player variant, using a cached result if available.

    Args:
        variant: Variant spec.
        workers: Number of worker threads.
        progress: ProgressCallback callback for the training and the confirmation.
        **training_sizes: Arguments of `AdaptRequest.read`: seed, deals, rounds and
            confirmation_matches.

    Raises:
        PlayerCountError: If the variant is a solitaire game.
        TuneError: If the cache cannot be written.
        LedgerError: If another process is training the same weights.
    """

    def report_progress(done: int, total: int, _render_result: object = None) -> None:
        if progress is not None:
            progress(done, total)

    return run_adaptation(
        AdaptRequest.read(CHAMPION_STRATEGY, variant, **training_sizes), workers, report_progress
    )


def load_adapted_champion(variant: str, **training_sizes: Any) -> AdaptedChampion | None:
    """Return the cached result of `adapt_champion` for a variant, or None if there is none."""
    training = AdaptRequest.read(CHAMPION_STRATEGY, variant, **training_sizes)
    if jit.get_cache_directory() is None or not training.is_cached:
        return None
    return run_adaptation(training)


def is_trained_champion(name: str, variant: Variant) -> bool:
    """Return True if a strategy is `champion` with weights that were trained for a variant.

    The default weights qualify if all parameters that affect the best play are in the range for
    which `champion` was trained.
    """
    if name.startswith(f"{CHAMPION_STRATEGY}@"):
        return True
    return name == CHAMPION_STRATEGY and not find_untrained_parameters(variant)


def find_untrained_parameters(variant: Variant) -> list[str]:
    """Return the rule parameters that are outside the range for which `champion` was trained."""
    differences = _find_differences_from_trained_rules(variant)
    return [name for name, value in differences.items() if not is_in_training_range(name, value)]


def has_own_weights(variant: Variant) -> bool:
    """Return True if `champion` has weights that were trained for exactly these rules."""
    return not _find_differences_from_trained_rules(variant)


def _find_differences_from_trained_rules(variant: Variant) -> dict[str, ParamValue]:
    """Return the rule parameters that affect play and differ from the most similar trained rules.

    Returns:
        Values in `variant`, by parameter name.
    """
    from simgin.learn import champion_weights

    trained_rules = variants.find_variant(champion_weights.find_trained_variant(variant))
    values = {}
    for name, _, value in variants.rule_differences(trained_rules, variant):
        rule = load_rule_parameters()[name]
        affects_play = rule.section in PLAY_AFFECTING_SECTIONS and rule.status != "descriptive"
        has_effect = rule.has_effect(trained_rules.params) or rule.has_effect(variant.params)
        if has_effect and (affects_play or name in PLAY_AFFECTING_PARAMETERS):
            values[name] = value
    return values


def run_adaptation(
    request: AdaptRequest,
    workers: int | None = None,
    on_progress: OnProgress | None = None,
    **_: Ledger,
) -> AdaptedChampion:
    """Train `champion` and confirm its gain, or load the result from the cache.

    Args:
        request: Request for the training.
        workers: Number of worker threads.
        on_progress: ProgressCallback callback for the rounds and the confirmation.
        **_: Ledger of the caller. The function ignores the ledger because the cache has a separate
            ledger.
    """
    progress_lines: list[str] = []
    step_progress = improvement.split_progress(
        on_progress, request.n_steps, lambda: "\n".join(progress_lines)
    )
    ledger_path, match_request = request.ledger_file, request.match_request
    ledger_path.parent.mkdir(parents=True, exist_ok=True)
    with ledger.open_ledger(ledger_path, request.identity) as run_ledger:
        if not run_ledger.has_step_result(FINAL_STEP_NAME, request.n_rounds):
            arrays = _train_champion(request, run_ledger, workers, step_progress, progress_lines)
            run_ledger.add_step_result(FINAL_STEP_NAME, request.n_rounds, arrays)
        trained_arrays = run_ledger.read_step_result(FINAL_STEP_NAME, request.n_rounds)
        weights = trained_arrays["weights"]
        content = improvement.encode_weights(weights)
        digest = hashlib.sha256(content).hexdigest()
        strategy = loader.with_weights(match_request.strategy, weights)
        strategy = replace(strategy, spec=f"{CHAMPION_STRATEGY} (trained, {digest[:8]})")
        confirmation = improvement.confirm_gain(
            match_request, strategy, run_ledger, workers, step_progress(request.n_steps - 1)
        )
    weights_path = request.make_weights_path(content)
    if not weights_path.exists() or read_bytes(weights_path) != content:
        write_file(weights_path, content)
    seconds = float(trained_arrays["seconds"])
    return AdaptedChampion(
        match_request, strategy, confirmation, request, weights, trained_arrays["course"], seconds
    )


def _train_champion(
    request: AdaptRequest,
    run_ledger: Ledger,
    workers: int | None,
    step_progress: improvement.StepProgressFactory,
    progress_lines: list[str],
) -> dict[str, np.ndarray]:
    """Train `champion` against both opponent types, and estimate the probability of each type.

    Returns:
        Arrays, keyed by name: `weights` (float64, in champion's format), `course` (win rates
        before each round, (n_rounds, len(TRAINING_OPPONENTS))) and `seconds` (CPU time).
    """
    from simgin.learn import champion_weights

    match_request = request.match_request
    initial_weights = champion_weights.load_initial_weights(match_request.variant)
    types = ("knock immediately", "wait for gin")
    trainers = []
    for index, (opponent_type, group) in enumerate(zip(types, cast.TRAINING_SETTINGS, strict=True)):
        opponents = champion_weights.list_training_opponents(group)
        seed = match_request.compute_generation_seed(index + 1)
        trainer = champion_weights.ChampionTrainer(
            opponents, initial_weights[index], seed, match_request.variant, workers, is_trained=True
        )
        trainers.append(trainer)
        first_step, deals = request.n_rounds * index, request.deals_per_round // (2 - index)
        round_progress = [
            step_progress(first_step + round_index) for round_index in range(request.n_rounds)
        ]
        _play_rounds(trainer, opponent_type, deals, run_ledger, round_progress, progress_lines)
    hasty_trainer, patient_trainer = trainers
    start_time = time.process_time()
    recognition_seed = match_request.compute_generation_seed(len(types) + 1)
    mean_weights = patient_trainer.mean_weights, hasty_trainer.mean_weights
    probabilities = champion_weights.compute_knock_probabilities(
        *mean_weights, recognition_seed, match_request.variant, workers, is_trained=True
    )
    seconds = hasty_trainer.seconds + patient_trainer.seconds + time.process_time() - start_time
    _report_completed_step(step_progress(request.n_steps - 2))
    return {
        "weights": champion_weights.repeat_weights_for_all_rules(
            champion_weights.blend_weights(*mean_weights, probabilities)
        ),
        "course": np.hstack(
            [hasty_trainer.win_rates, patient_trainer.win_rates[:, 1 - len(TRAINING_OPPONENTS) :]]
        ),
        "seconds": np.array(seconds),
    }


def _play_rounds(
    trainer: ChampionTrainer,
    opponent_type: str,
    deals: int,
    run_ledger: Ledger,
    round_progress: Sequence[ProgressCallback | None],
    progress_lines: list[str],
) -> None:
    """Play the training rounds against one opponent type, resuming after the last stored round.

    The function adds a progress line for every round.
    """
    step_name = f"rounds against opponents that {opponent_type}"
    n_rounds = len(round_progress)
    n_done = max(
        (n for n in range(1, n_rounds + 1) if run_ledger.has_step_result(step_name, n)), default=0
    )
    if n_done:
        trainer.restore(run_ledger.read_step_result(step_name, n_done))
    for round_number in range(n_done + 1, n_rounds + 1):
        win_rates_text = ", ".join(f"{100 * win_rate:.1f}" for win_rate in trainer.run_round(deals))
        run_ledger.add_step_result(step_name, round_number, trainer.state)
        progress_lines.append(
            f"{step_name}: before round {round_number} of {n_rounds}, won {win_rates_text} %"
        )
        _report_completed_step(round_progress[round_number - 1])


def _report_completed_step(progress: ProgressCallback | None) -> None:
    """Tell a progress callback, if there is one, that a step is complete."""
    if progress is not None:
        progress(PROGRESS_STEPS_PER_PART, PROGRESS_STEPS_PER_PART)


def format_plan_sentence(request: AdaptRequest) -> str:
    """Return a sentence that describes how `champion` will be trained."""
    match_request = request.match_request
    return (
        f"champion trains for {match_request.variant.spec} in {request.rounds_text} of "
        f"{request.deals_per_round // 2:,} deals against opponents that knock immediately, and "
        f"{request.rounds_text} of {request.deals_per_round:,} deals against opponents that wait "
        f"for gin. Then {match_request.confirmation_matches:,} matches on held-out deals confirm "
        "the result."
    )
