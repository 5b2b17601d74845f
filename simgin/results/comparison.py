"""Comparison of two finished runs, based on the matchups that both runs contain.

If both runs have the same deals, the differences are paired.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simgin.core.matchup_key import MatchupKey
from simgin.report.report import Report
from simgin.results import run_report, sentences
from simgin.results.run_results import EXTRA_VARIANT_METRICS, RunResults
from simgin.runs import ledger
from simgin.runs.result import Result
from simgin.runs.stopping import StopResult
from simgin.stats import differences
from simgin.stats.batches import BatchRows
from simgin.stats.metrics import headline_metrics
from simgin.stats.table import format_csv
from simgin.text.amounts import UNIT_PLURALS
from simgin.text.messages import SimginError

if TYPE_CHECKING:
    import pandas as pd

# Maximum number of rows in a table that is not folded. On narrow terminals, rows have two or three
# lines.
MAX_UNFOLDED_ROWS = 9
# Identity keys that are compared elsewhere, or that do not affect the results
IGNORED_KEYS = ("question", "hypothesis", "matchups")


class ComparisonError(SimginError):
    """Exception for two runs that simgin cannot compare, with a message that suggests a fix."""


@dataclass(frozen=True, repr=False)
class Comparison(Result):
    """Differences between two runs, which are available while the ledgers are open."""

    run: RunResults
    baseline: RunResults
    differences: pd.DataFrame
    question: str = "How do these runs differ?"

    @property
    def identity(self) -> Mapping[str, Any]:
        """Identity of the comparison (see `Result.identity`)."""
        return self.run.ledger.identity

    @property
    def stop_results(self) -> list[StopResult]:
        """Sizes of the matchups (see `Result.stop_results`)."""
        return [StopResult(stop.units) for stop in self.run.stop_results]

    def frames(self) -> dict[str, pd.DataFrame]:
        """Return the differences between the runs as a DataFrame."""
        return {"differences": self.differences}

    def report(self, command: str) -> Report:
        """Return the report of the comparison."""
        return build_comparison_report(self, command)


def compare_runs(
    run: RunResults, baseline: RunResults, margin: str | float | None = None
) -> Comparison:
    """Compute the difference (run minus baseline) for every common matchup.

    If the runs have no common matchup, their matchups are compared in order.

    Args:
        run: Results of a run.
        baseline: Results of the baseline run.
        margin: Margin of an equivalence test (`differences.add_verdicts`), or None for no test.

    Returns:
        DataFrame with the columns of the output `differences` (rows.toml).

    Raises:
        ComparisonError: If the runs cannot be compared.
    """
    pairs = list(_iter_common_matchups(run, baseline))
    if not pairs and len(run.matchup_keys) == len(baseline.matchup_keys):
        pairs = list(zip(_all_rows(run), _all_rows(baseline), strict=True))
    if not pairs:
        raise ComparisonError(
            "these runs have no matchup in common and have different numbers of matchups. Compare "
            "runs with the same players."
        )
    units = [UNIT_PLURALS[results.info.unit] for results in (run, baseline)]
    if units[0] != units[1]:
        raise ComparisonError(
            f"the runs use different units ({units[0]} and {units[1]}). Compare runs that use the "
            "same unit."
        )
    names: dict[str, None] = {}
    for played, _ in pairs:
        key = played.matchup
        names |= dict.fromkeys(headline_metrics(key.unit, len(key.players)))
    df = differences.compute_differences(pairs, [*names, *EXTRA_VARIANT_METRICS])
    df = df if margin is None else differences.add_verdicts(df, margin)
    return Comparison(run, baseline, df)


def build_comparison_report(comparison: Comparison, command: str) -> Report:
    """Return the report of a comparison, in which a long table becomes a detail table."""
    run, base, df = comparison.run, comparison.baseline, comparison.differences
    renamed = df.replace({**base.info.display_names, **run.info.display_names})
    same = differences.describe_verdicts(renamed) if "margin" in renamed else []
    table = run_report.build_differences_table(renamed)
    is_short = len(table.rows) <= MAX_UNFOLDED_ROWS
    other_differences = list_other_differences(run, base)
    other_line = (
        f"The runs also differ in: {' '.join(other_differences)}" if other_differences else ""
    )
    return Report(
        comparison.question,
        verdict=[*sentences.describe_differences(renamed), *same, *filter(None, [other_line])],
        tables=[table] * is_short,
        detail_tables=[table] * (not is_short),
        command=command,
        files={"differences.csv": format_csv(df)},
    )


def list_other_differences(run: RunResults, baseline: RunResults) -> list[str]:
    """Return a line for each other difference between two runs, such as a changed strategy."""
    old, new = (
        {key: value for key, value in results.ledger.identity.items() if key not in IGNORED_KEYS}
        for results in (baseline, run)
    )
    for key in ("variants", "strategies"):
        common = old[key].keys() & new[key].keys()
        for identity in (old, new):
            identity[key] = {name: identity[key][name] for name in identity[key] if name in common}
    return ledger.identity_differences(old, new)


def _iter_common_matchups(
    run: RunResults, baseline: RunResults
) -> Iterator[tuple[BatchRows, BatchRows]]:
    """Yield the rows of every matchup that both runs contain, from the same perspective."""
    bases = {_key_names(played.matchup): played for played in _all_rows(baseline)}
    for played in _all_rows(run):
        variant, a, b = names = _key_names(played.matchup)
        same, swapped = bases.get(names), bases.get((variant, b, a))
        if same is not None:
            yield played, same
        elif swapped is not None:
            yield played, swapped.swap_sides()


def _all_rows(run: RunResults) -> list[BatchRows]:
    return [run.batch_rows(i) for i in range(len(run.matchup_keys))]


def _key_names(key: MatchupKey) -> tuple[str, str, str]:
    return key.variant, key.a, key.b
