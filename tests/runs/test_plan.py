"""How long a run will take, from a few units."""

import time

from simgin.play.kernel import play
from simgin.play.matchup import parse_matchup
from simgin.runs.plan import unit_seconds


def test_the_estimated_time_is_that_of_a_processor():
    """Of the whole process: the kernel plays in a thread of its own. Median of five estimates."""
    matchup = parse_matchup("gold", "simple", "standard", 1, "match")
    estimates = sorted(unit_seconds(matchup) for _ in range(5))
    started = time.process_time()
    play(matchup, 0, 5000)
    taken = (time.process_time() - started) / 5000
    assert taken / 3 < estimates[2] < 3 * taken
