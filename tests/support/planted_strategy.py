"""A strategy with a known best parameter value: it blunders more often away from that value."""

BEST_PARAMETER_VALUE = 13

STRATEGY_SOURCE = f'''"""Blunders more often, the farther p is from {BEST_PARAMETER_VALUE}."""

from simgin.strategy import Strategy, discard, param
from simgin.toolkit import best_discard, bernoulli, lowest_bit


@discard(noise=True, p=param(START, 0.0, 20.0, "best at {BEST_PARAMETER_VALUE}"))
def blunder(view, rules, params):
    """Throw the first legal card if the lot says so, else the best."""
    if bernoulli(abs(params[0] - {BEST_PARAMETER_VALUE}) / 80, view.noise):
        return lowest_bit(view.legal)
    return best_discard(view.hand, view.legal, rules)


STRATEGY = Strategy("planted", discard=blunder)
'''


def write_planted_strategy(folder, start_value):
    file = folder / "planted.py"
    file.write_text(STRATEGY_SOURCE.replace("START", repr(start_value)))
    return file
