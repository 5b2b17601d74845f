"""Read experiment files from strings, and report their errors."""

from simgin.runs.plan import plan_experiment


def read_plan(tmp_path, text):
    path = tmp_path / "waiting.toml"
    path.write_text(text, encoding="utf-8")
    return plan_experiment(path)


def list_matchups(plan):
    """Return the variant, A and B of every cell; B is empty in solitaire games."""
    return [(cell.variant, cell.a, cell.b) for cell in plan.matchup_keys]


def read_sweep(tmp_path, text, rest=""):
    return read_plan(tmp_path, f'question = "?"\n{rest}\n[sweep]\n{text}')
