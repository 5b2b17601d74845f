"""Base class for the results of commands and Python functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, cast

from simgin.play import parallel
from simgin.renamed import RenamedAttributes
from simgin.runs import directory, ledger
from simgin.runs.manifest import build_identity, build_manifest
from simgin.runs.stopping import StopResult
from simgin.stats.table import to_records
from simgin.text.messages import SimginError, format_value, print_status

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from simgin.play.matchup import Matchup
    from simgin.report.report import Plot, Report

# Maximum number of plots in a notebook. Plots are drawn for every result that a notebook displays.
MAX_INLINE_PLOTS = 1


class Result(RenamedAttributes):
    """Base class for results, which Python displays as a sentence and a table.

    A subclass defines `played_matchups`. A subclass whose identity has further entries defines
    `identity` and `stop_results` instead.

    Attributes:
        call: Python call that repeats the result, for saved reports.
        plots_folder: Folder for plots in the output directory.
    """

    call = ""
    plots_folder = "plots/"

    def __repr__(self) -> str:
        return self.overview().to_text()

    def _repr_html_(self) -> str:
        from simgin.report.html_report import render_result

        return render_result(self.overview(), islice(self.plots(), MAX_INLINE_PLOTS))

    @property
    def frame(self) -> pd.DataFrame:
        """Main DataFrame of the result."""
        return next(iter(self.frames().values()))

    def summary(self) -> str:
        """Return the verdict of the result, one sentence per line."""
        return "\n".join(self.overview().verdict)

    def plot(self) -> Figure:
        """Return the first plot of the report as a matplotlib figure.

        Raises:
            SimginError: If the report has no plot.
        """
        for plot in self.plots():
            return plot.figure
        raise SimginError(
            f"{type(self).__name__} has no plot. Use the DataFrame `.frame` to draw a plot."
        )

    def save(self, output: str | Path) -> Path:
        """Write the HTML report, the tables and the plots to a directory.

        Args:
            output: Output directory. If the directory contains earlier results of the same call,
                they are overwritten.

        Returns:
            Path of the HTML report.

        Raises:
            SimginError: If `output` is not a path.
            ResultsError: If the directory contains other files or cannot be written.
        """
        from simgin.report.html_report import HTML_FILE_NAME

        if not isinstance(output, str | PathLike):
            raise SimginError(f"`output` must be a string or a path, not {format_value(output)}.")
        question = self.call
        if self.run_ledger is not None:
            self.run_ledger.save(directory.create_run_directory(output, self.call), self.call)
            question = ""  # An empty string lets save_report accept the new ledger.
        start_time = datetime.now(UTC)
        report = self.extend_report(self.report(self.call), self.call)
        save_report(Path(output), report, self, start_time, question=question)
        return Path(output) / HTML_FILE_NAME

    # Hide the method from type checkers, which would otherwise accept any attribute.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            try:
                super().__getattr__(name)
            except AttributeError as error:
                if name.startswith("_") or hasattr(type(self), name):
                    raise
                full_stop = "" if str(error).endswith("?") else "."
                raise AttributeError(
                    f"{error}{full_stop} Use `.frame` for the DataFrame."
                ) from None

        def __getitem__(self, key: object) -> NoReturn:
            raise TypeError(f"{type(self).__name__} is not a DataFrame. Use `.frame[{key!r}]`.")

    @property
    def run_ledger(self) -> ledger.Ledger | None:
        """Ledger of the run, or None if the result has no ledger."""
        return None

    @property
    def played_matchups(self) -> Sequence[tuple[Matchup, int]]:
        """Matchups, each with the number of units played."""
        raise NotImplementedError

    @property
    def identity(self) -> Mapping[str, Any]:
        """Entries of `manifest.json` that determine the results at a given sample size."""
        return build_identity([matchup for matchup, _ in self.played_matchups])

    @property
    def stop_results(self) -> Sequence[StopResult]:
        """Number of units played and reason for stopping, for each matchup."""
        return [StopResult(units) for _, units in self.played_matchups]

    @property
    def stop_reason(self) -> str:
        """Distinct reasons for stopping, such as "complete"."""
        return "; ".join(dict.fromkeys(stop.reason for stop in self.stop_results))

    @property
    def manifest_entries(self) -> Mapping[str, Any]:
        """Additional entries for `manifest.json`."""
        return {}

    def frames(self) -> Mapping[str, pd.DataFrame]:
        """Return the results as DataFrames keyed by name, starting with the main DataFrame."""
        raise NotImplementedError

    def records(self) -> list[dict[str, Any]]:
        """Return the rows for `--json`, by default those of the main DataFrame."""
        return to_records(next(iter(self.frames().values())))

    def report(self, command: str) -> Report:
        """Return the report of the result, with the command that repeats it."""
        raise NotImplementedError

    def extend_report(self, report: Report, command: str) -> Report:
        """Return a report with the additional files that a saved result needs."""
        return report

    def overview(self) -> Report:
        """Return a short report, which contains the verdict and the main table."""
        return self.report(self.call)

    def plots(self) -> Iterable[Plot]:
        """Return the plots of the report, each of which is drawn when it is first accessed."""
        return self.report(self.call).plots


def save_report(
    output: Path,
    report: Report,
    result: Result,
    started: datetime,
    *,
    question: str = "",
    workers: int | None = None,
    record_deals: bool = False,
    **request: Any,
) -> list[Path]:
    """Write the report of a finished request to a directory, and return the paths of its files.

    A file of recorded deals is kept if it belongs to the same run.

    Args:
        output: Output directory.
        report: Report to write.
        result: Result that the report describes.
        started: Time of the start.
        question: Command whose earlier results can be overwritten, or "" to accept any earlier
            results.
        workers: Number of threads.
        record_deals: True to write the recorded deals of a run.
        **request: Additional entries of `manifest.json`.

    Returns:
        Paths of the written files.
    """
    from simgin.report import html_report

    manifest_arguments = {
        "workers": workers or parallel.count_usable_cpus(),
        "started": started,
        "command": report.command,
        "stopped": result.stop_reason,
        **result.manifest_entries,
        **request,
    }
    manifest = build_manifest(result.identity, result.stop_results, **manifest_arguments)
    files = html_report.render_report_files(report, result.plots_folder)
    existing_files = []
    if record_deals:
        from simgin.runs import parquet

        existing_files = [directory.DEALS_FILE]
        parquet.write_deals(output / directory.DEALS_FILE, cast(Any, result).iter_deals())
    elif directory.has_recorded_deals(output, manifest, [*result.identity, "stopped"]):
        existing_files = [directory.DEALS_FILE]
    elif (output / directory.DEALS_FILE).exists():
        print_status(
            f"{directory.DEALS_FILE} was removed because it does not contain all deals of this "
            "run. To write it again, repeat the command with --record."
        )
    return directory.write_run_directory(output, manifest, files, *existing_files, command=question)
