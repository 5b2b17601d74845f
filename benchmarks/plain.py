"""Compare the speed of the engine with the same game in plain C, in deals per second.

    python benchmarks/plain.py

The engine and the C programs are measured alternately. Requires gcc. See
docs/explanation/decisions/0004-speed.md.
"""

import re
import subprocess
import tempfile
import time
from pathlib import Path
from statistics import median

from simgin.play import kernel
from simgin.play.matchup import parse_matchup
from simgin.play.specialized_kernel import only_generic_kernels

SOURCE = Path(__file__).with_name("plain.c")
PROGRAMS = {"all eleven discards": (), "only discards that can be best": ("-DSMART",)}
N_DEALS, N_ROUNDS = 1_000_000, 5


def measure_c(program, seed):
    """Return how many deals per second a compiled C program plays."""
    process = subprocess.run(
        [program, str(N_DEALS), str(seed)], check=True, capture_output=True, text=True
    )
    return float(re.search(r"(\S+) deals per second", process.stdout)[1])


def measure_engine(matchup):
    """Return how many deals per second the engine plays on one thread."""
    start_time = time.process_time()
    with only_generic_kernels():
        kernel.play_batches(matchup, 0, matchup.count_units(N_DEALS))
    return N_DEALS / (time.process_time() - start_time)


def main():
    """Compile the C programs, and print the measured speeds."""
    matchup = parse_matchup("simple", "simple", "eaai", 1, "deal")
    kernel.play_batches(matchup, 0, 20_000)
    with tempfile.TemporaryDirectory() as folder:
        programs = {name: Path(folder, f"gin{i}") for i, name in enumerate(PROGRAMS)}
        for name, program in programs.items():
            command = ["gcc", "-O3", "-march=native", *PROGRAMS[name], SOURCE, "-o", program]
            subprocess.run(command, check=True)
        engine_speeds, c_speeds = [], {name: [] for name in PROGRAMS}
        for seed in range(1, N_ROUNDS + 1):
            for name, program in programs.items():
                c_speeds[name].append(measure_c(program, seed))
            engine_speeds.append(measure_engine(matchup))
    print(f"The engine plays {median(engine_speeds):,.0f} deals per second.")
    for name, speeds in c_speeds.items():
        ratio = median(
            engine_speed / c_speed
            for engine_speed, c_speed in zip(engine_speeds, speeds, strict=True)
        )
        print(f"The C program that tries {name} plays {median(speeds):,.0f} deals per second.")
        print(f"    The engine plays {ratio:.2f} times as many.")


main()
