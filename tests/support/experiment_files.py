"""Read experiment files from strings."""

from simgin.runs.plan import plan_experiment


def read_plan(tmp_path, experiment_toml):
    """Return the plan of an experiment file with this content."""
    path = tmp_path / "waiting.toml"
    path.write_text(experiment_toml, encoding="utf-8")
    return plan_experiment(path)


def list_matchups(plan):
    """Return (variant, strategy A, strategy B) of every matchup in a plan."""
    return [(cell.variant, cell.a, cell.b) for cell in plan.matchup_keys]


def read_sweep_plan(tmp_path, sweep_toml, experiment_toml=""):
    """Return the plan of an experiment file with this [sweep] table."""
    return read_plan(tmp_path, f'question = "?"\n{experiment_toml}\n[sweep]\n{sweep_toml}')
