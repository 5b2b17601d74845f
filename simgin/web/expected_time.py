"""Expected times of commands on this machine.

The catalogue contains the speed of every measured strategy on one machine. The speed of this
machine is measured with one strategy. All CPU times are in seconds on the machine of the catalogue.
"""

from simgin.play.matchup import parse_matchup
from simgin.play.parallel import usable_cpus
from simgin.runs.plan import Plan, measure_unit_seconds
from simgin.strategy.catalogue import read_entry

REFERENCE_STRATEGY = "simple"
DEALS_PER_MATCH = 6  # approximate number
START_SECONDS = 3.0  # time to start a command, load compiled code and write the report


def measure_machine() -> float:
    """Return the CPU time of a deal on this machine, relative to the machine of the catalogue."""
    matchup = parse_matchup(REFERENCE_STRATEGY, REFERENCE_STRATEGY, "eaai", 1, "deal")
    games = matchup.key.count_games(1)
    return measure_unit_seconds(matchup) / games / _seconds_per_deal(REFERENCE_STRATEGY)


def expected_time(cpu_seconds: float, machine: float) -> float:
    """Return the expected run time of a command on all cores of a machine, in seconds.

    Args:
        cpu_seconds: CPU time on the machine of the catalogue.
        machine: Result of `measure_machine`.
    """
    return machine * (START_SECONDS + cpu_seconds / usable_cpus())


def expected_cpu_seconds(plan: Plan) -> float | None:
    """Return the expected CPU time of a plan, or None if the speed of a strategy is unknown."""
    sizes = [(task.matchup, task.n) for task in plan.tasks]
    if plan.stopping_rules:
        rules = zip(sizes, plan.stopping_rules, strict=True)
        sizes = [
            (matchup, min(n, matchup.key.count_games(rule.planned_units)))
            for (matchup, n), rule in rules
        ]
    names = [[player.name for player in matchup.players] for matchup, _ in sizes]
    if not all("deals_per_second" in read_entry(name) for players in names for name in players):
        return None
    deals = 1 if plan.unit == "deal" else DEALS_PER_MATCH
    return sum(
        n * deals * sum(map(_seconds_per_deal, players)) / len(players)
        for (_, n), players in zip(sizes, names, strict=True)
    )


def _seconds_per_deal(name: str) -> float:
    """Return the CPU time of a deal in self-play."""
    return 1 / float(read_entry(name)["deals_per_second"])
