"""A review: the metrics of variants and their differences from the base, as data.

Everything is computed from the ledger: from the batch rows of its cells, and from the results of
its steps. Nothing here plays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.findings.findings import Findings
from simgin.review import knocking
from simgin.review.extras import Extras, from_arrays
from simgin.review.passes import passes
from simgin.review.review_plan import with_bonuses
from simgin.review.review_request import ReviewError, ReviewRequest
from simgin.review.rule_metrics import ONLY_GIN, RuleMetric, measurement
from simgin.review.variant_matches import Measurement, VariantMatches
from simgin.rules import variants
from simgin.runs.manifest import engine_digest
from simgin.stats.differences import holm
from simgin.stats.quantity import Quantity

if TYPE_CHECKING:
    import pandas as pd

    from simgin.runs.steps import Arrays

# Batches of a cell: of more, neighbours are added up, since a deep review would not fit into
# memory, and errors are known to 2 %
MOST_BATCHES = 1_000
METRIC_COLUMNS = ("variant", "metric", "title", "value", "se", "low", "high", "n", "why")
DIFFERENCE_COLUMNS = (
    *("variant", "base_variant", "metric", "title", "difference"),
    *("se", "low", "high", "p", "p_holm", "n"),
)


@dataclass(frozen=True, eq=False)
class Change:
    """The difference of a metric between a variant and the base."""

    difference: Quantity
    p_holm: float

    @property
    def is_none(self) -> bool:
        """Whether every batch came out the same."""
        return self.difference.value == 0 and self.difference.se == 0


@dataclass(frozen=True, eq=False)
class Review:
    """A review that was played, while its ledger is open. extras: results of passes, by variant."""

    request: ReviewRequest
    findings: Findings
    extras: Mapping[str, Extras]

    def __repr__(self) -> str:
        return f"<Review of {', '.join(self.request.variants)}; frames: metrics, differences>"

    @cached_property
    def matches(self) -> dict[str, VariantMatches]:
        """What was played under each variant, in the order of the request."""
        return {variant: self._matches(variant) for variant in self.request.variants}

    def metric(self, key: str) -> RuleMetric:
        """The rule metric of a key. Raises KeyError where there is none."""
        return self._metric_by_key[key]

    @cached_property
    def _metric_by_key(self) -> dict[str, RuleMetric]:
        return {metric.key: metric for metric in self.request.metrics}

    @cached_property
    def measurements(self) -> dict[tuple[str, str], Measurement]:
        """Every metric of every variant, by variant and key."""
        return {
            (variant, metric.key): measurement(metric, matches, deep=self.request.deep)
            for variant, matches in self.matches.items()
            for metric in self.request.metrics
        }

    @cached_property
    def metrics(self) -> pd.DataFrame:
        """The metrics of every variant, METRIC_COLUMNS; `why`: the reason if there is no number."""
        import pandas as pd

        rows = [
            (variant, *_metric_row(self.metric(key), number))
            for (variant, key), number in self.measurements.items()
        ]
        return pd.DataFrame(rows, columns=list(METRIC_COLUMNS))

    @cached_property
    def changes(self) -> dict[tuple[str, str], Change]:
        """Variant minus base of every metric that both have, by variant and key.

        They are one family for Holm's method.
        """
        differences = self._from_base()
        p_holm = holm(np.array([difference.p for difference in differences.values()], float))
        changes = map(Change, differences.values(), p_holm.tolist())
        return dict(zip(differences, changes, strict=True))

    def _from_base(self) -> dict[tuple[str, str], Quantity]:
        others = self.request.others
        base = str(self.request.base)
        differences = {}
        for (variant, key), own in self.measurements.items():
            if variant not in others:
                continue
            of_base = self.measurements[base, key]
            if isinstance(own, Quantity) and isinstance(of_base, Quantity):
                differences[variant, key] = own - of_base
        return differences

    @cached_property
    def differences(self) -> pd.DataFrame:
        """The changes as a frame, DIFFERENCE_COLUMNS."""
        import pandas as pd

        rows = []
        for (variant, key), change in self.changes.items():
            own = change.difference
            what = (variant, self.request.base, key, self.metric(key).column_title)
            rows.append((*what, own.value, own.se, *own.limits, own.p, change.p_holm, own.n))
        return pd.DataFrame(rows, columns=list(DIFFERENCE_COLUMNS))

    def is_copy(self, variant: str) -> bool:
        """Whether every match came out as under the base: the rules differ where nobody went."""
        base = str(self.request.base)
        own_cells = self.matches[variant].cells
        base_cells = self.matches[base].cells
        return own_cells.keys() == base_cells.keys() and all(
            np.array_equal(rows, base_cells[pair]) for pair, rows in own_cells.items()
        )

    def cells(self, variant: str) -> dict[tuple[str, str], np.ndarray]:
        """The batch rows of a variant's cells, by A and B, at most MOST_BATCHES of each."""
        return {
            (cell.a, cell.b): merged(self.findings.rows(i))
            for i, cell in enumerate(self.findings.cells)
            if cell.variant == variant
        }

    def _matches(self, variant: str) -> VariantMatches:
        request = self.request
        measured = dict(self.extras[variant].measured)
        if request.deep and not request.alone:
            measured["break_even"] = self._break_even(variant)
        return VariantMatches(
            variant=variant,
            params=variants.find(variant).row,
            field=request.field,
            players=request.players,
            cells=self.cells(variant),
            measured=measured,
        )

    def _break_even(self, variant: str) -> Measurement:
        """From the cells of the same variant with other undercut bonuses."""
        ks = knocking.limits(variants.find(variant).row)
        if len(ks) < 2:
            return ONLY_GIN
        ends = (ks[0], ks[-1])
        premiums = {
            bonus: knocking.matrix(ends, self.cells(text)).patience()
            for bonus, text in with_bonuses(variant).items()
        }
        return knocking.break_even(premiums)


def merged(rows: np.ndarray) -> np.ndarray:
    """At most MOST_BATCHES batch rows, int64 (batches, columns): neighbours are added up."""
    if len(rows) <= MOST_BATCHES:
        return rows
    starts = np.arange(0, len(rows), -(-len(rows) // MOST_BATCHES))
    return np.asarray(np.add.reduceat(rows, starts, axis=0))


def _metric_row(metric: RuleMetric, number: Measurement) -> tuple[object, ...]:
    """The values of METRIC_COLUMNS after the variant."""
    if isinstance(number, str):
        return metric.key, metric.column_title, *((np.nan,) * 4), 0, number
    return (metric.key, metric.column_title, number.value, number.se, *number.limits, number.n, "")


def read_review(request: ReviewRequest, findings: Findings) -> Review:
    """The review that a ledger holds. LedgerError if some of its steps are missing or damaged."""
    extras = {variant: _read_extras(request, variant, findings) for variant in request.variants}
    return Review(request, findings, extras)


def _read_extras(request: ReviewRequest, variant: str, findings: Findings) -> Extras:
    """What the passes over a variant left in the ledger."""
    arrays: Arrays = {}
    for own in passes(request):
        arrays |= findings.ledger.step(own.step_name(variant), own.size(request))
    return from_arrays(arrays)


def restore_review(entry: Mapping[str, Any], findings: Findings) -> Review:
    """The review of a run directory, from its manifest's entry. It plays nothing.

    Raises ReviewError if another engine played it, or if it is older than such reviews.
    """
    if findings.record.identity["engine"] != engine_digest():
        raise ReviewError(
            "another version of simgin made this review; make it again with this one, in another "
            "directory."
        )
    return read_review(ReviewRequest.from_manifest(entry), findings)
