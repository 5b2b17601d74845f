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
from simgin.review.extras import Extras, from_arrays, joined
from simgin.review.knocking import KnockMatrix
from simgin.review.passes import passes
from simgin.review.plan import with_bonuses
from simgin.review.request import ReviewError, ReviewRequest
from simgin.review.rule_metrics import ONLY_GIN, RuleMetric, measurement
from simgin.review.variant_matches import Measurement, VariantMatches
from simgin.rules import variants
from simgin.runs.ledger import LedgerError
from simgin.runs.manifest import engine_digest
from simgin.stats.differences import holm
from simgin.stats.quantity import Quantity

if TYPE_CHECKING:
    import pandas as pd

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

    @cached_property
    def matches(self) -> dict[str, VariantMatches]:
        """What was played under each variant, in the order of the request."""
        return {variant: self._matches(variant) for variant in self.request.variants}

    def metric(self, key: str) -> RuleMetric:
        """The rule metric of a key."""
        return next(metric for metric in self.request.metrics if metric.key == key)

    @cached_property
    def measurements(self) -> dict[tuple[str, str], Measurement]:
        """Every metric of every variant, by variant and key."""
        measurements = {}
        for variant, matches in self.matches.items():
            for metric in self.request.metrics:
                number = measurement(metric, matches, deep=self.request.deep)
                measurements[variant, metric.key] = number
        return measurements

    @cached_property
    def metrics(self) -> pd.DataFrame:
        """The metrics of every variant, METRIC_COLUMNS; `why`: the reason if there is no number."""
        import pandas as pd

        rows = []
        for (variant, key), number in self.measurements.items():
            rows.append((variant, *_metric_row(self.metric(key), number)))
        return pd.DataFrame(rows, columns=list(METRIC_COLUMNS))

    @cached_property
    def changes(self) -> dict[tuple[str, str], Change]:
        """Variant minus base of every metric that both have, by variant and key.

        They are one family for Holm's method.
        """
        differences = {}
        for (variant, key), own in self.measurements.items():
            if variant not in self.request.others:
                continue
            base = self.measurements[str(self.request.base), key]
            if isinstance(own, Quantity) and isinstance(base, Quantity):
                differences[variant, key] = own - base
        p_holm = holm(np.array([difference.p for difference in differences.values()], float))
        changes = {}
        for (pair, difference), p in zip(differences.items(), p_holm, strict=True):
            changes[pair] = Change(difference, float(p))
        return changes

    @cached_property
    def differences(self) -> pd.DataFrame:
        """The changes as a frame, DIFFERENCE_COLUMNS."""
        import pandas as pd

        rows = []
        for (variant, key), change in self.changes.items():
            by = change.difference
            head = (variant, self.request.base, key, self.metric(key).heading)
            rows.append((*head, by.value, by.se, *by.limits, by.p, change.p_holm, by.n))
        return pd.DataFrame(rows, columns=list(DIFFERENCE_COLUMNS))

    def is_copy(self, variant: str) -> bool:
        """Whether every match came out as under the base: the rules differ where nobody went."""
        own = self.matches[variant].cells
        base = self.matches[str(self.request.base)].cells
        if own.keys() != base.keys():
            return False
        return all(np.array_equal(own[pair], base[pair]) for pair in own)

    def cells(self, variant: str) -> dict[tuple[str, str], np.ndarray]:
        """The batch rows of a variant's cells, by A and B, at most MOST_BATCHES of each."""
        cells = {}
        for i, cell in enumerate(self.findings.cells):
            if cell.variant == variant:
                cells[cell.a, cell.b] = merged(self.findings.rows(i))
        return cells

    def _matches(self, variant: str) -> VariantMatches:
        request = self.request
        measured = dict(self.extras[variant].measured)
        if request.deep and not request.alone:
            measured["break_even"] = self._break_even(variant)
        params = variants.find(variant).row
        cells = self.cells(variant)
        return VariantMatches(variant, params, request.field, request.players, cells, measured)

    def _break_even(self, variant: str) -> Measurement:
        """From the cells of the same variant with other undercut bonuses."""
        ks = knocking.limits(variants.find(variant).row)
        if len(ks) < 2:
            return ONLY_GIN
        premiums = {}
        for bonus, text in with_bonuses(variant).items():
            premiums[bonus] = self._waiting(text, (ks[0], ks[-1]))
        return knocking.break_even(premiums)

    def _waiting(self, variant: str, ends: tuple[int, int]) -> Quantity:
        """What the lowest limit scores against the highest."""
        cells = self.cells(variant)
        rows = {}
        for k, j in (ends, ends[::-1]):
            pair = (knocking.player(k), knocking.player(j))
            if pair in cells:
                rows[k, j] = cells[pair]
        return KnockMatrix(ends, rows).patience()


def merged(rows: np.ndarray) -> np.ndarray:
    """At most MOST_BATCHES batch rows, int64 (batches, columns): neighbours are added up."""
    if len(rows) <= MOST_BATCHES:
        return rows
    together = -(-len(rows) // MOST_BATCHES)
    return np.asarray(np.add.reduceat(rows, np.arange(0, len(rows), together), axis=0))


def _metric_row(metric: RuleMetric, number: Measurement) -> tuple[object, ...]:
    if isinstance(number, str):
        return metric.key, metric.heading, np.nan, np.nan, np.nan, np.nan, 0, number
    numbers = (number.value, number.se, *number.limits, number.n)
    return metric.key, metric.heading, *numbers, ""


def read_review(request: ReviewRequest, findings: Findings) -> Review:
    """The review that a ledger holds. Raises ReviewError if some of its steps were never played."""
    extras = {}
    try:
        for variant in request.variants:
            parts = []
            for own in passes(request):
                arrays = findings.ledger.step(own.step_name(variant), own.size(request))
                parts.append(from_arrays(arrays))
            extras[variant] = joined(parts)
    except LedgerError:
        raise ReviewError(
            "this review was made before reviews kept all that they play; make it again with its "
            "command, in another directory."
        ) from None
    return Review(request, findings, extras)


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
