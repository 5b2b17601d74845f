"""Measure how the CPU time of a matchup is divided between the engine and the policies.

    python benchmarks/cpu_shares.py champion champion
    python benchmarks/cpu_shares.py marjj simple --deals 100k

The script needs Linux and `perf`. It plays with the generic kernel, and assigns every sample to the
compiled function with the nearest lower address. The share of the engine limits what a faster
engine can gain: a matchup becomes at most 1 / (1 - share) times as fast.
"""

import argparse
import os
import signal
import subprocess
import tempfile
from bisect import bisect
from collections import Counter
from pathlib import Path

from simgin.play import kernel, specialized_kernel
from simgin.play.matchup import Matchup, parse_matchup
from simgin.strategy import SLOTS
from simgin.text.amounts import parse_count

MAX_FUNCTION_BYTES = 1 << 17  # maximum size of a compiled function in bytes
SAMPLES_PER_SECOND = 2000


def sample_code_addresses(matchup: Matchup, n_deals: int) -> list[int]:
    """Play deals, and return the address of the instruction that runs at regular intervals."""
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory, "perf.data")
        options = f"-q -e cpu-clock -F {SAMPLES_PER_SECOND} -o {file} -p {os.getpid()}"
        with subprocess.Popen(["perf", "record", *options.split()]) as recorder:
            kernel.play_batches(matchup, 0, n_deals)
            recorder.send_signal(signal.SIGINT)
        words = ["perf", "script", "-i", str(file), "-F", "ip"]
        script = subprocess.run(words, capture_output=True, text=True, check=True)
    return [int(line, 16) for line in script.stdout.split()]


def label_code_addresses(matchup: Matchup) -> dict[int, str]:
    """Return labels of the engine and of each policy, by the start address of the code."""
    policies = kernel.compile_policies(matchup)
    slots = [slot for _ in matchup.players for slot in SLOTS]
    names = [player.spec for player in matchup.players for _ in SLOTS]
    labels = [f"{slot} of {name}" for slot, name in zip(slots, names, strict=True)]
    addresses = {kernel.compile_batch_kernel(len(matchup.players)).code_address: "engine"}
    for policy, label in zip(policies, labels, strict=True):
        addresses.setdefault(policy.code_address, label)
    return addresses


def main() -> None:
    """Run the command-line interface."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("strategy")
    parser.add_argument("opponent")
    parser.add_argument("--deals", type=parse_count, default=100_000)
    args = parser.parse_args()
    matchup = parse_matchup(args.strategy, args.opponent, "eaai", 1, "deal")
    labels_by_address = label_code_addresses(matchup)
    starts = sorted(labels_by_address)
    with specialized_kernel.disable_specialized_kernels():
        kernel.play_batches(matchup, 0, 100)
        samples = sample_code_addresses(matchup, args.deals)
    counts: Counter[str] = Counter()
    for address in samples:
        index = bisect(starts, address) - 1
        is_known = index >= 0 and address - starts[index] < MAX_FUNCTION_BYTES
        counts[labels_by_address[starts[index]] if is_known else "libraries and system"] += 1
    for label, count in counts.most_common():
        print(f"{label:40} {100 * count / len(samples):5.1f} %")


if __name__ == "__main__":
    main()
