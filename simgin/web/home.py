"""Home page: the tasks and the latest results."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from simgin.web.pages import render_page
from simgin.web.saved_runs import list_saved_runs

MAX_LATEST_RUNS = 6
# path, title and description of each task
HOME_TASKS = (
    ("/play", "Play", "Play against a strong opponent, and see what each decision costs."),
    ("/analyse", "Analyse", "Enter the cards of a position, and find the best action."),
    ("/review", "Review rules", "Change a rule, and see how the game changes."),
    ("/compare", "Compare strategies", "Let strategies play, and see which one wins."),
)


def show_home(request: Request) -> Response:
    """Show the home page with the tasks and the latest results."""
    runs = list_saved_runs(request.app.state.site.jobs)[:MAX_LATEST_RUNS]
    return render_page(request, "home", tasks=HOME_TASKS, runs=runs)
