"""Expected times of commands on this machine.

The catalogue contains the speed of each measured strategy on a reference machine. The speed of this
machine is measured with one strategy. CPU times are in seconds on the reference machine.
"""

from simgin.play.matchup import parse_matchup
from simgin.play.parallel import count_usable_cpus
from simgin.runs.plan import Plan, measure_unit_seconds
from simgin.strategy.catalogue import read_catalogue_entry

REFERENCE_STRATEGY = "simple"
MEAN_DEALS_PER_MATCH = 6  # approximate mean number of deals per match
# time needed to start a command, load compiled code and write the report, in seconds
STARTUP_SECONDS = 3.0


def measure_relative_cpu_time() -> float:
    """Measure the CPU time per deal, relative to the reference machine."""
    matchup = parse_matchup(REFERENCE_STRATEGY, REFERENCE_STRATEGY, "eaai", 1, "deal")
    seconds_per_deal = measure_unit_seconds(matchup) / matchup.key.count_games(1)
    return seconds_per_deal * float(read_catalogue_entry(REFERENCE_STRATEGY)["deals_per_second"])


def estimate_elapsed_seconds(cpu_seconds: float, relative_cpu_time: float) -> float:
    """Estimate the duration in seconds of a command that uses all cores of this machine.

    Args:
        cpu_seconds: CPU time on the reference machine, in seconds.
        relative_cpu_time: Relative CPU time of this machine (see `measure_relative_cpu_time`).
    """
    return relative_cpu_time * (STARTUP_SECONDS + cpu_seconds / count_usable_cpus())


def estimate_cpu_seconds(plan: Plan) -> float | None:
    """Estimate the CPU time of a plan, or return None if a strategy's speed is unknown."""
    deals_per_game = 1 if plan.unit == "deal" else MEAN_DEALS_PER_MATCH
    rules = plan.stopping_rules or [None] * len(plan.tasks)
    cpu_seconds = 0.0
    for task, rule in zip(plan.tasks, rules, strict=True):
        matchup, n_games = task.matchup, task.n_games
        if rule is not None:
            n_games = min(n_games, matchup.key.count_games(rule.planned_units))
        catalogue_entries = [read_catalogue_entry(player.name) for player in matchup.players]
        if not all("deals_per_second" in catalogue_entry for catalogue_entry in catalogue_entries):
            return None
        seconds_per_deal = sum(1 / float(entry["deals_per_second"]) for entry in catalogue_entries)
        cpu_seconds += n_games * deals_per_game * seconds_per_deal / len(catalogue_entries)
    return cpu_seconds
