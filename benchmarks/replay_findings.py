"""Replays sentences of docs/findings.md, drawn by lot, with other seeds, and says which hold.

    python benchmarks/replay_findings.py [--sentences 10] [--seed 1] [--list]

In the hat are all sentences whose claims can be replayed. They are of two kinds.

A *figure*, `4.660 ± 0.042`, is looked up, up to its sign, in the tables quoted in its section, and
then in those of the effects by field; the row says who played whom and the column what was
measured. It holds if the new figure differs by no more than both errors allow.

A *verdict* has its claims in a comment behind the sentence, or in the row of a table:

    <!-- claim: standard: gold+discard=high-first v gold: 0 > points -->
    <!-- claim: eaai: gold+take=deny - gold v simple: matches > 0; standard: ... -->
    <!-- claim: solitaire-gin: solo-lookahead - solo-greedy: deals > 0 -->

Points and matches are A's beyond those of equal players, or beyond BASE's in `A - BASE v B`, on the
same packs. Games for one player have no B; they are judged by deals or score, against a BASE. A
verdict holds if the new figure is clear of zero on its side, fails if it is clear of zero on the
other side, and is open otherwise.

All tests of a run share a level of 5 % (Bonferroni): a page whose every sentence is true has a
sentence fail in at most one run of twenty. The exit code is 1 if a sentence fails.
"""

import argparse
import json
import math
import random
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist

import simgin
from simgin.report import numbers
from simgin.stats import table
from simgin.stats.estimate import Z95
from simgin.stats.metrics import BY_NAME
from simgin.strategy import catalogue, loader

PAGE = Path(__file__).resolve().parent.parent / "docs" / "findings.md"
LEVEL = 0.05  # that some sentence of a true page fails
FIRST_SEED = 1000  # above those of all experiments
MATCHES = {"fast": 30_000, "thorough": 15_000}  # by speed of the slowest player; mc is left out
SOLO_DEALS = 60_000
QUOTED = re.compile(r"<!-- quoted: (?P<words>[^>]*) -->\n(?P<table>.*?)<!-- end -->", re.S)
GENERATED = re.compile(r"<!-- \w+: [^>]* -->\n.*?<!-- end -->", re.S)
COMMENT = re.compile(r"<!-- claim: (?P<claims>.*?) -->", re.S)
FIGURE = re.compile(r"-?\d+(?:\.\d+)? ± \d+(?:\.\d+)?")
VERDICT = re.compile(
    r"(?P<game>\S+): (?P<a>\S+)(?: - (?P<base>\S+))?(?: v (?P<b>\S+))?: "
    r"(?:(?P<more>\w+) > 0|0 > (?P<less>\w+))"
)
SENTENCE_END = re.compile(r"(?<=[.?!])\**\s+(?=[A-Z`*])")
METRICS = {
    "deals won %": "deal_win",
    "points per deal": "margin",
    "points/deal": "margin",
    "score per deal": "score",
    "matches won %": "match_win",
    "points": "margin",
    "matches": "match_win",
    "deals": "win",
    "score": "score",
}
EVEN = {"margin": 0.0, "match_win": 0.5}
EFFECTS = "Effects under "  # how the titles of the tables of effects begin
HOLDS, FAILS, OPEN = "holds", "FAILS", "open"


@dataclass(frozen=True)
class Estimate:
    """A number and its standard error, as they are printed (shares in per cent)."""

    value: float
    se: float

    def __str__(self) -> str:
        half = Z95 * self.se
        return numbers.estimate(self.value, self.value - half, self.value + half)


@dataclass(frozen=True)
class Claim:
    """What a sentence says of one measurement: a figure, or on which side of zero it lies."""

    game: str
    a: str
    b: str  # empty for one player
    metric: str
    base: str = ""  # whose result is subtracted
    beyond_even: bool = False  # whether that of equal players is subtracted
    is_effect: bool = False  # whether it is of a change in a field
    printed: Estimate | None = None
    side: str = ""  # "above" or "below" zero, for a verdict

    @property
    def title(self) -> str:
        """Who played whom at what, and what was measured."""
        player = f"{self.a} - {self.base}" if self.base else self.a
        pair = f"{player} v {self.b}" if self.b else player
        return f"{self.game}, {pair}, {BY_NAME[self.metric].title}"


@dataclass(frozen=True)
class Sentence:
    """A sentence of the page and what it claims."""

    section: str
    text: str
    claims: tuple[Claim, ...]


# Reading the page


def sentences(page: str) -> list[Sentence]:
    """Every sentence whose claims can all be replayed, in the order of the page."""
    found = []
    effects = [cell for cell in _cells(page) if cell[1].is_effect]
    for section in re.split(r"^## ", page, flags=re.M)[1:]:
        title, _, body = section.partition("\n")
        cells = [*_cells(body), *effects]
        for text in _texts(GENERATED.sub("", body)):
            claims = (*_verdicts(text), *_figures(text, cells))
            if claims and all(map(_can_be_replayed, claims)):
                plain = COMMENT.sub("", text).replace("**", "").strip(" |")
                found.append(Sentence(title, plain, claims))
    return found


def _texts(section: str) -> Iterator[str]:
    """The sentences of a section, and the rows of its tables, each on one line."""
    for paragraph in re.split(r"\n\s*\n", section.strip()):
        if paragraph.startswith("|"):
            yield from paragraph.splitlines()
            continue
        for item in re.split(r"\n(?=\* )", paragraph):
            line = " ".join(item.split())
            # A claim belongs to the sentence before it
            line = re.sub(r"\s+(<!-- claim)", r"\1", line)
            yield from SENTENCE_END.split(line)


def _verdicts(text: str) -> Iterator[Claim]:
    """The claims in the comments of a sentence; ValueError for one that cannot be read."""
    for comment in COMMENT.finditer(text):
        for words in comment["claims"].split(";"):
            claim = VERDICT.fullmatch(words.strip())
            if claim is None:
                raise ValueError(f"{words.strip()!r} is no claim.")
            yield Claim(
                game=claim["game"],
                a=claim["a"],
                b=claim["b"] or "",
                metric=METRICS[claim["more"] or claim["less"]],
                base=claim["base"] or "",
                beyond_even=claim["base"] is None,
                side="above" if claim["more"] else "below",
            )


def _figures(text: str, cells: Sequence[tuple[str, Claim]]) -> Iterator[Claim]:
    """What the tables of the section say of every figure in a sentence."""
    for figure in FIGURE.findall(COMMENT.sub("", text)):
        for printed, claim in cells:
            if printed.lstrip("-") == figure.lstrip("-"):
                yield claim
                break


def _cells(section: str) -> Iterator[tuple[str, Claim]]:
    """Every figure in the quoted tables of a section, and what it claims."""
    for block in QUOTED.finditer(section):
        _, _, title = block["words"].partition(" ")
        lines = []
        for line in block["table"].splitlines():
            if line.startswith("|"):
                columns = line.strip("| ").split("|")
                lines.append([cell.strip(" `*") for cell in columns])
        head, _, *rows = lines
        for row in rows:
            named = dict(zip(head, row, strict=True))
            cells = _effect_cells(title, named) if title.startswith(EFFECTS) else _row_cells(named)
            yield from cells


def _row_cells(row: dict[str, str]) -> Iterator[tuple[str, Claim]]:
    """The figures of a matchup."""
    for heading, text in row.items():
        if heading in METRICS and "A" in row and FIGURE.fullmatch(text):
            metric = METRICS[heading]
            claim = Claim(row["game"], row["A"], row.get("B", ""), metric, printed=_printed(text))
            yield text, claim


def _effect_cells(title: str, row: dict[str, str]) -> Iterator[tuple[str, Claim]]:
    """The figures of a change, field by field."""
    game, _, heading = title.removeprefix(EFFECTS).partition(": ")
    metric = METRICS[heading]
    for field, text in row.items():
        if not FIGURE.fullmatch(text):
            continue
        base, _, opponent = field.partition(" v ")
        changed = loader.find(f"{base}+{row['change']}").text
        claim = Claim(
            game=game,
            a=changed,
            b=opponent or base,
            metric=metric,
            base=base if opponent else "",
            beyond_even=not opponent,
            is_effect=True,
            printed=_printed(text),
        )
        yield text, claim


def _printed(text: str) -> Estimate:
    value, half = map(float, text.split(" ± "))
    return Estimate(value, half / Z95)


def _can_be_replayed(claim: Claim) -> bool:
    return claim.b == "" or _speed(claim) in MATCHES


def _speed(claim: Claim) -> str:
    """The speed of the slowest player, as the catalogue has it."""
    speeds = []
    for text in (claim.a, claim.b):
        name = re.split(r"[:+]", text)[0]
        speeds.append(catalogue.speed(name))
    return max(speeds, key=("fast", "thorough", "searching").index)


# Replaying


def replayed(claim: Claim, seed: int) -> Estimate:
    """The same measurement on other packs."""
    if claim.base:
        return _difference(claim, seed)
    found = _measured(claim, seed)
    if claim.beyond_even:
        even = EVEN[claim.metric] * BY_NAME[claim.metric].factor
        return Estimate(found.value - even, found.se)
    return found


def _difference(claim: Claim, seed: int) -> Estimate:
    """What A has beyond its base, on the same packs."""
    players = json.dumps([claim.base, claim.a])
    lines = [f"question = {json.dumps(claim.title)}", f"variants = [{json.dumps(claim.game)}]"]
    if claim.b:
        lines += [f"matches = {MATCHES[_speed(claim)]}", "[panel]", f"strategies = {players}"]
        lines.append(f"against = {json.dumps(claim.b)}")
    else:
        lines += [f"deals = {SOLO_DEALS}", f"solo = {players}"]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "replayed.toml"
        file.write_text("\n".join(lines))
        frame = simgin.findings_of(file, seed=seed).differences
    row = frame[frame["metric"] == claim.metric].iloc[0]
    factor = BY_NAME[claim.metric].factor
    return Estimate(factor * row["difference"], factor * row["se"])


def _measured(claim: Claim, seed: int) -> Estimate:
    if claim.b:
        matches = MATCHES[_speed(claim)]
        frame = simgin.match(claim.a, claim.b, claim.game, matches=matches, seed=seed)
    else:
        frame = simgin.match(claim.a, None, claim.game, deals=SOLO_DEALS, seed=seed)
    _, rows = next(table.matchups(frame))
    row = rows.loc[claim.metric]
    factor = BY_NAME[claim.metric].factor
    return Estimate(factor * row["value"], factor * row["se"])


def judged(claim: Claim, found: Estimate, z: float) -> str:
    """Whether a claim holds in the light of a new figure, at z standard errors."""
    if claim.printed is not None:
        error = math.hypot(found.se, claim.printed.se)
        return HOLDS if abs(found.value - claim.printed.value) <= z * error else FAILS
    sign = 1 if claim.side == "above" else -1
    if sign * found.value > z * found.se:
        return HOLDS
    return FAILS if sign * found.value < -z * found.se else OPEN


def replay(drawn: Sequence[Sentence], seed: int) -> list[str]:
    """Replays sentences, prints what comes of each claim, and returns the verdict on each."""
    tests = sum(len(sentence.claims) for sentence in drawn)
    z = NormalDist().inv_cdf(1 - LEVEL / tests / 2)
    verdicts = []
    for number, sentence in enumerate(drawn, start=1):
        lines = []
        found = set()
        for claim in sentence.claims:
            new = replayed(claim, seed)
            verdict = judged(claim, new, z)
            found.add(verdict)
            printed = claim.printed or f"{claim.side} 0"
            lines.append(f"   {verdict}: {claim.title}: printed {printed}, now {new}")
        worst = FAILS if FAILS in found else OPEN if OPEN in found else HOLDS
        verdicts.append(worst)
        print(f"{number}. {worst}. [{sentence.section}] {sentence.text}", *lines, sep="\n")
    print(
        f"{verdicts.count(HOLDS)} of {len(drawn)} sentences hold, {verdicts.count(OPEN)} open, "
        f"{verdicts.count(FAILS)} fail; {tests} tests at {z:.2f} standard errors, seed {seed}. "
        f"If all are true, one or more fail in at most {LEVEL:.0%} of such runs."
    )
    return verdicts


def main() -> int:
    """Draw sentences by lot and replay them, or list the hat."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sentences", type=int, default=10, help="how many are drawn")
    parser.add_argument("--seed", type=int, default=1, help="of the lot and of the packs")
    parser.add_argument("--list", action="store_true", help="print the hat and stop")
    asked = parser.parse_args()
    hat = sentences(PAGE.read_text())
    print(f"{len(hat)} sentences of {PAGE.name} can be replayed.")
    if asked.list:
        for sentence in hat:
            print(f"[{sentence.section}] {sentence.text} ({len(sentence.claims)})")
        return 0
    lot = random.Random(asked.seed)
    drawn = lot.sample(hat, min(asked.sentences, len(hat)))
    return int(FAILS in replay(drawn, FIRST_SEED + asked.seed))


if __name__ == "__main__":
    sys.exit(main())
