"""What the engine writes to a view before a discard is asked, for views made by hand."""

from typing import Any

from simgin.core.deadwood import best_discards


def with_best(view: Any, rules: Any) -> Any:
    """The view with its fields `least` and `best` filled in, unless the engine's own has them."""
    if view.flags.writeable and int(view.hand).bit_count() == 11:
        view.least, view.best = best_discards(view.hand, view.legal, rules)
    return view
