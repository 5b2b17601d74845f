"""Pages made for tests, with texts that would be code if they were not escaped."""

from matplotlib.figure import Figure

from simgin.report.report import Picture, Report
from simgin.report.sheet import Sheet

HOSTILE = """a<b>&"c'd.py#x--></script><script>alert(1)</script>{{ 7*7 }}"""


def figure(words="deals won, %"):
    """A small figure in the four inks of all pictures and one colour of data."""
    out = Figure(figsize=(4.8, 2), layout="constrained")
    axes, heat = out.subplots(1, 2)
    heat.imshow([[0, 1], [1, 0]])
    axes.barh([0, 1], [3, 4], color="#0072B2")
    axes.set_title(words, color="#222222")
    axes.set_xlabel("n = 200", color="#666666")
    axes.grid(color="#dddddd")
    axes.set_facecolor("#ffffff")
    axes.text(1, 0, "on data", color="#ffffff")
    return out


def made(name="gold", variants=("standard", "oklahoma+gin_bonus=20"), **more):
    cells = [("2.25 ± 0.10", "0.5"), ("-1,000 ± 3", "–"), ("", "-0.12 (-0.31 to 0.44)")]
    rows = [(variant, f"{name} {i}", *both) for variant in variants for i, both in enumerate(cells)]
    parts = {
        "title": f"Who wins, {name}?",
        "lead": "A hypothesis.",
        "sentences": [f"{name} wins."],
        "pictures": [
            Picture("wins", f"Who wins: {name}", f"{name} wins 3.", figure()),
            *(
                Picture(f"league-{i}", f"League: {one}", "Words.", figure(), one)
                for i, one in enumerate(variants)
            ),
        ],
        "sheets": [
            Sheet("Results", ("variant", "A", "points/deal", "void %"), rows, "How to read it."),
            Sheet("Small", ("place", "who"), [("1", name)]),
        ],
        "facts": [("Seed", "1"), (f"Strategy {name}", "take lower")],
        "command": f"simgin match '{name}'",
    }
    return Report(**(parts | more))
