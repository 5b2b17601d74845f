"""Compare the engine with the same game in plain C, in deals per second of CPU time.

    python benchmarks/plain.py

The engine and the C programs are measured alternately. Requires gcc. See
docs/explanation/decisions/0051-hands-side-by-side.md.
"""

import re
import subprocess
import tempfile
import time
from pathlib import Path
from statistics import median

from simgin.play import kernel
from simgin.play.matchup import parse_matchup

SOURCE = Path(__file__).with_name("plain.c")
FORMS = {"all eleven discards": (), "only those that may matter": ("-DSMART",)}
DEALS, ROUNDS = 1_000_000, 5


def in_c(program, seed):
    """Return the deals per second of a compiled C program."""
    done = subprocess.run(
        [program, str(DEALS), str(seed)], check=True, capture_output=True, text=True
    )
    return float(re.search(r"(\S+) deals per second", done.stdout)[1])


def in_the_engine(matchup):
    """Return the deals per second of the engine on one thread, without mirrored games."""
    start = time.process_time()
    kernel.play(matchup, 0, matchup.cell.units(DEALS))
    return DEALS / (time.process_time() - start)


def main():
    """Compile the C programs, measure all speeds and print them."""
    matchup = parse_matchup("simple", "simple", "eaai", 1, "deal")
    kernel.play(matchup, 0, 20_000)
    with tempfile.TemporaryDirectory() as folder:
        programs = {name: Path(folder, f"gin{i}") for i, name in enumerate(FORMS)}
        for name, program in programs.items():
            command = ["gcc", "-O3", "-march=native", *FORMS[name], SOURCE, "-o", program]
            subprocess.run(command, check=True)
        engine, plain = [], {name: [] for name in FORMS}
        for seed in range(1, ROUNDS + 1):
            for name, program in programs.items():
                plain[name].append(in_c(program, seed))
            engine.append(in_the_engine(matchup))
    print(f"the engine: {median(engine):,.0f} deals a second")
    for name, speeds in plain.items():
        ratio = median(ours / its for ours, its in zip(engine, speeds, strict=True))
        print(f"C, {name}: {median(speeds):,.0f}; the engine over it {ratio:.2f}")


main()
