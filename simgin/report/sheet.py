"""A table of text that was made elsewhere: gone once every subject names its columns."""

from __future__ import annotations

from collections.abc import Sequence

from simgin.report.table import Column, Table


class Sheet(Table):
    """Headings and rows of text as a table."""

    def __init__(
        self, title: str, headings: Sequence[str], rows: Sequence[Sequence[str]], note: str = ""
    ) -> None:
        import pandas as pd

        columns = [Column(str(k), heading) for k, heading in enumerate(headings)]
        frame = pd.DataFrame(list(rows), columns=[column.name for column in columns], dtype=object)
        super().__init__(title, frame, columns, note)
