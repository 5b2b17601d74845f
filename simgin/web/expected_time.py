"""Expected times of commands on this machine.

The catalogue contains the speed of each measured strategy on a reference machine. The speed of this
machine is measured with one strategy. CPU times are in seconds on the reference machine.
"""

from simgin.play.matchup import parse_matchup
from simgin.play.parallel import usable_cpus
from simgin.runs.plan import Plan, measure_unit_seconds
from simgin.strategy.catalogue import read_entry

REFERENCE_STRATEGY = "simple"
DEALS_PER_MATCH = 6  # approximate mean number of deals per match
# time needed to start a command, load compiled code and write the report, in seconds
START_SECONDS = 3.0


def measure_machine() -> float:
    """Return the CPU time of a deal on this machine relative to the reference machine."""
    matchup = parse_matchup(REFERENCE_STRATEGY, REFERENCE_STRATEGY, "eaai", 1, "deal")
    n_games = matchup.key.count_games(1)
    return measure_unit_seconds(matchup) / n_games / _seconds_per_deal(REFERENCE_STRATEGY)


def expected_time(cpu_seconds: float, relative_cpu_time: float) -> float:
    """Return the expected run time of a command on all cores of this machine, in seconds.

    Args:
        cpu_seconds: CPU time on the reference machine, in seconds.
        relative_cpu_time: Relative CPU time of this machine (see `measure_machine`).
    """
    return relative_cpu_time * (START_SECONDS + cpu_seconds / usable_cpus())


def expected_cpu_seconds(plan: Plan) -> float | None:
    """Return the expected CPU time of a plan, or None if the speed of a strategy is unknown."""
    matchup_sizes = [(task.matchup, task.n) for task in plan.tasks]
    if plan.stopping_rules:
        sized_rules = zip(matchup_sizes, plan.stopping_rules, strict=True)
        matchup_sizes = [
            (matchup, min(n, matchup.key.count_games(rule.planned_units)))
            for (matchup, n), rule in sized_rules
        ]
    names_by_matchup = [[player.name for player in matchup.players] for matchup, _ in matchup_sizes]
    if not all(
        "deals_per_second" in read_entry(name)
        for matchup_names in names_by_matchup
        for name in matchup_names
    ):
        return None
    deals_per_unit = 1 if plan.unit == "deal" else DEALS_PER_MATCH
    return sum(
        n * deals_per_unit * sum(map(_seconds_per_deal, matchup_names)) / len(matchup_names)
        for (_, n), matchup_names in zip(matchup_sizes, names_by_matchup, strict=True)
    )


def _seconds_per_deal(name: str) -> float:
    """Return the CPU time of a deal in self-play, in seconds."""
    return 1 / float(read_entry(name)["deals_per_second"])
