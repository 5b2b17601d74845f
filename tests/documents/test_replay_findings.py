"""The script that replays sentences of the findings: what it reads, and what it finds to be false.

The page's claims stand in comments that nobody sees, so they must all be readable. A figure that
was changed, and a verdict that was turned round, must fail.
"""

import importlib.util
import re
import sys
from pathlib import Path

import pytest

from simgin.runs import experiment_file

ROOT = Path(__file__).resolve().parents[2]
SPEC = importlib.util.spec_from_file_location(
    "replay_findings", ROOT / "benchmarks" / "replay_findings.py"
)
replaying = importlib.util.module_from_spec(SPEC)
sys.modules[SPEC.name] = replaying
SPEC.loader.exec_module(replaying)

PAGE = """# Findings
## One
**Gold wins.** It has 5.50 ±
0.20 points a deal, and nobody knows why. The rest is 1.23 ± 0.45, which no table has.

**Waiting loses to those who knock.**<!-- claim: standard: gold - simple v stubborn: 0 > points -->
Nobody checks this sentence.

| question | answer |
|---|---|
| Knock? | Yes <!-- claim: eaai: gold v simple: matches > 0; eaai: gold v stubborn: points > 0 --> |

<!-- quoted: one -->

| game | A | B | deals won % | points per deal |
| --- | --- | --- | --- | --- |
| eaai | `gold` | `simple` | 50.00 ± 0.10 | -5.50 ± 0.20 |

<!-- end -->

## Two
Against gold the early knock gains 2.00 ± 0.10, against simple 1.50 ± 0.10.

<!-- quoted: two Effects under eaai: points/deal -->

| change | gold | gold v simple | gains, loses |
| --- | --- | --- | --- |
| knock=early | 2.00 ± 0.10 * | 1.50 ± 0.10 * | 2, 0 of 2 |

<!-- end -->
"""


def test_figures_and_verdicts_are_read():
    found = replaying.sentences(PAGE)
    assert [sentence.text[:12] for sentence in found] == [
        "It has 5.50 ",
        "Waiting lose",
        "Knock? | Yes",
        "Against gold",
    ]
    figure, verdict, row, effects = (sentence.claims for sentence in found)
    assert [claim.title for claim in figure] == ["eaai, gold v simple, points/deal"]
    assert figure[0].printed.value == -5.5
    assert [(claim.title, claim.side) for claim in verdict] == [
        ("standard, gold - simple v stubborn, points/deal", "below")
    ]
    assert [claim.side for claim in row] == ["above", "above"] and row[0].beyond_even
    assert [(claim.a, claim.base, claim.b) for claim in effects] == [
        ("gold+knock=early", "", "gold"),
        ("gold+knock=early", "gold", "simple"),
    ]


def test_a_verdict_may_be_about_one_player():
    text = "So it is.<!-- claim: solitaire-gin: solo-lookahead - solo-greedy: deals > 0 -->"
    (sentence,) = replaying.sentences(f"## One\n{text}\n")
    (claim,) = sentence.claims
    assert (claim.a, claim.base, claim.b) == ("solo-lookahead", "solo-greedy", "")
    assert (claim.metric, claim.side, claim.beyond_even) == ("win", "above", False)


def test_a_claim_that_cannot_be_read_is_named():
    with pytest.raises(ValueError, match="gold beats simple"):
        replaying.sentences("## One\nSo it is.<!-- claim: gold beats simple -->\n")


def test_every_claim_of_the_page_names_players_and_a_game():
    hat = replaying.sentences(replaying.PAGE.read_text())
    assert len(hat) >= 20
    for sentence in hat:
        for claim in sentence.claims:
            for text in filter(None, (claim.a, claim.b, claim.base, claim.game)):
                assert experiment_file.canonical(text), (sentence.text, text)


def test_every_comment_of_the_page_is_in_the_hat():
    page = replaying.PAGE.read_text()
    hat = replaying.sentences(page)
    verdicts = sum(1 for sentence in hat if any(claim.side for claim in sentence.claims))
    assert verdicts == len(re.findall("<!-- claim:", page)) >= 8


def test_true_sentences_hold_and_false_ones_fail(monkeypatch, capsys):
    """Gold that waits for gin loses deals to gold; a figure ten points off cannot be chance.

    The share of matches is far from one half, so no true verdict is open.
    """
    monkeypatch.setattr(replaying, "MATCHES", {"fast": 2000, "thorough": 200})
    true = "Said.<!-- claim: eaai: gold v gin-only: 0 > matches -->"
    false = "Said.<!-- claim: eaai: gold v gin-only: matches > 0 -->"
    row = "| game | A | B | points per deal |\n|---|---|---|---|\n"
    table = (
        f"<!-- quoted: x -->\n\n{row}| eaai | `gold` | `gin-only` | 15.0 ± 0.1 |\n\n<!-- end -->"
    )
    page = f"# F\n\n## One\n\n{true}\n\n{false}\n\nIt has 15.0 ± 0.1 points.\n\n{table}\n"
    drawn = replaying.sentences(page)
    verdicts = replaying.replay(drawn, 5)
    assert verdicts == [replaying.HOLDS, replaying.FAILS, replaying.FAILS]
    assert "1 of 3 sentences hold, 0 open, 2 fail" in capsys.readouterr().out


def test_a_difference_is_that_of_the_same_packs(monkeypatch):
    """Its error is much smaller than that of a result; one draw of search helps alone."""
    monkeypatch.setattr(replaying, "MATCHES", {"fast": 1000})
    claim = replaying.Claim("eaai", "gold:k=9", "simple", "margin", base="gold")
    found = replaying.replayed(claim, 5)
    alone = replaying.replayed(replaying.Claim("eaai", "gold:k=9", "simple", "margin"), 5)
    assert 0 < found.se < 0.7 * alone.se
    solo = replaying.Claim("solitaire-gin", "solo-lookahead", "", "win", base="solo-greedy")
    monkeypatch.setattr(replaying, "SOLO_DEALS", 20_000)
    better = replaying.replayed(solo, 5)
    assert 3 < better.value < 12  # per cent of the deals


def test_a_verdict_within_its_error_is_open():
    claim = replaying.Claim("eaai", "gold", "simple", "margin", side="above")
    judged = [
        replaying.judged(claim, replaying.Estimate(value, 1.0), 2.0) for value in (3, 1, -1, -3)
    ]
    assert judged == [replaying.HOLDS, replaying.OPEN, replaying.OPEN, replaying.FAILS]
