"""The text for a plot: the figures that it shows, in words."""

import pandas as pd

from simgin.findings import run_pictures
from support.made_frames import NAN, a_league, tidy

LEADS = {"lead": [30.0, 40.0, NAN], "lead_low": [28.0, 36.0, NAN], "lead_high": [32.0, 44.0, NAN]}
STANDINGS, CROSS = a_league([(0.51, 0.02), (0.6, 0.02), (0.4, 0.02)])


def test_outcomes_are_described_in_whole_percentages_the_commonest_first():
    shares = {"knock": 0.6, "gin": 0.3969, "void": 0.0031, "undercut": 0.0}
    told = {kind: (share, 0.001) for kind, share in shares.items()}
    assert run_pictures.describe_endings(tidy(("eaai", "gold", "simple", told))).endswith(
        "eaai, gold against simple: knock 60 %, gin 40 %, void under 1 %."
    )
    many = [("eaai", f"s{i}", "simple", told) for i in range(run_pictures.MOST_DESCRIBED + 3)]
    said = run_pictures.describe_endings(tidy(*many))
    assert said.count("against simple") == run_pictures.MOST_DESCRIBED
    assert said.endswith("and 3 more, all in the table of results.")


def test_a_league_is_described_by_its_order_and_most_one_sided_pair():
    said = run_pictures.describe_league(STANDINGS, CROSS, "match")
    assert "matches won by the row against the column, best rating first: 1 a, 2 b, 3 c." in said
    assert said.endswith("Most one-sided: c wins 60.0 ± 2.0 % against b.")
    assert run_pictures.describe_ratings(STANDINGS.assign(**LEADS)) == (
        "Ratings, and leads in Elo over the next, best first: a 30.0 ± 2.0; b 40.0 ± 4.0."
    )


def test_effects_are_described_by_the_least_and_the_largest():
    rows = [
        ("knock=early", "gold", 1.0),
        ("knock=early", "gold v simple", -0.5),
        ("knock=early", "gin-only", NAN),
        ("take=deny", "gold", NAN),
    ]
    frame = pd.DataFrame(rows, columns=["change", "field", "difference"])
    frame = frame.assign(low=frame["difference"] - 0.1, high=frame["difference"] + 0.1)
    assert run_pictures.describe_effects(frame).endswith(
        "one panel per change. knock=early: -0.50 ± 0.10 (gold v simple) to 1.00 ± 0.10 (gold)."
    )
