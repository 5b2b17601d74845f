"""Construct HTML reports with strings that would run as code if they were not escaped."""

import pandas as pd
from matplotlib.figure import Figure

from simgin.report.report import Plot, Report
from simgin.report.report_table import Column, ScoreCell, Table, describe_frame

HOSTILE_TEXT = """a<b>&"c'd.py#x--></script><script>alert(1)</script>{{ 7*7 }}"""


def make_figure(title="deals won, %"):
    """Return a small figure with the grey tones of all plots and one data colour."""
    out = Figure(figsize=(4.8, 2), layout="constrained")
    axes, heat = out.subplots(1, 2)
    heat.imshow([[0, 1], [1, 0]])
    axes.barh([0, 1], [3, 4], color="#0072B2")
    axes.set_title(title, color="#222222")
    axes.set_xlabel("n = 200", color="#666666")
    axes.grid(color="#dddddd")
    axes.set_facecolor("#ffffff")
    axes.text(1, 0, "on data", color="#ffffff")
    return out


def make_text_table(title, headings, rows, note=""):
    """Return a table of strings."""
    columns = [Column(str(k), heading) for k, heading in enumerate(headings)]
    frame = pd.DataFrame(list(rows), columns=[column.name for column in columns], dtype=object)
    return Table(title, frame, columns, note)


WINS_FRAME = pd.DataFrame({"who": ["a", "b", "c"], "won": [3, 5, 4]})
WINS_COLUMNS = [Column("who", "player"), Column("won", "wins")]
SCORE_TONES = ("base", "little", "much", "same", "depends", "unclear")
VERDICTS = ("", "▲ a little more", "▼ much less", "same", "depends on the players", "unclear")
SCORECARD_ROWS = ("Turns in a match", "Minutes a match, 8 s a turn", "Deals ending in gin", "Skill")


def make_score_cell(column_index, row_index):
    """Return a cell of the scorecard. Cells of the baseline have no verdict."""
    kind = (column_index + row_index) % len(SCORE_TONES) if column_index else 0
    return ScoreCell(
        f"{83 + column_index + row_index} %", VERDICTS[kind], "79 to 87", SCORE_TONES[kind]
    )


def make_scorecard(variants):
    """Return a scorecard with a column per rule set and cells of every tone."""
    cells = {
        str(i): [make_score_cell(i, k) for k in range(len(SCORECARD_ROWS))]
        for i in range(len(variants))
    }
    columns = [Column("row", "measure"), *(Column(str(i), one) for i, one in enumerate(variants))]
    return Table(
        "At a glance", pd.DataFrame({"row": SCORECARD_ROWS, **cells}), columns, "Between equals."
    )


def make_report(name="gold", variants=("standard", "oklahoma+gin_bonus=20"), **changes):
    """Return a report with plots and tables about a strategy with this name."""
    cells = [("2.25 ± 0.10", "0.5"), ("-1,000 ± 3", "–"), ("", "-0.12 (-0.31 to 0.44)")]
    rows = [(variant, f"{name} {i}", *both) for variant in variants for i, both in enumerate(cells)]
    described = describe_frame(WINS_FRAME, WINS_COLUMNS)
    parts = {
        "question": f"Who wins, {name}?",
        "rules": [(variant, f"Differs, says {name}.") for variant in variants],
        "verdict": [f"{name} wins.", f"{variants[0]}: matches are longer."],
        "plots": [
            Plot("wins", f"Who wins: {name}", f"{name} wins 3.", make_figure()),
            *(
                Plot(f"league-{i}", f"League: {one}?", described, make_figure(), frame=WINS_FRAME)
                for i, one in enumerate(variants)
            ),
        ],
        "tables": [
            make_scorecard(variants),
            make_text_table(
                "Results", ("variant", "A", "points/deal", "dead hand %"), rows, "How to read it."
            ),
        ],
        "detail_tables": [make_text_table("Small", ("place", "who"), [("1", name)])],
        "facts": [("Seed", "1"), (f"Strategy {name}", "take lower")],
        "command": f"simgin match '{name}'",
        "files": {"table.csv": "a,b\n"},
    }
    return Report(**(parts | changes))
