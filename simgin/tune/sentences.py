"""What came of a search, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from simgin.play.names import own_names
from simgin.report import numbers
from simgin.stats.estimate import Estimate
from simgin.tune import scores
from simgin.tune.request import TuneRequest
from simgin.tune.search import Generation
from simgin.tune.tuned import Tuned
from simgin.tune.wording import TUNING, Found


def plan_sentence(request: TuneRequest) -> str:
    """What will be played."""
    names = ", ".join(knob.name for knob in request.knobs)
    return (
        f"{request.generations} generations of {request.candidates} strategies that differ in "
        f"{names} play {request.matches:,} matches each against {pool_names(request)} "
        f"({request.variant.text}). Then {request.confirmed:,} matches on {TUNING.unseen} confirm "
        "what was found."
    )


def course_line(request: TuneRequest, generations: Sequence[Generation]) -> str:
    """How far a search has come, in a line."""
    if not generations:
        return f"generation 1 of {request.generations}"
    last = generations[-1]
    metric = scores.metric_of(request.objective)
    gain = numbers.estimate(last.gain.value, last.gain.low, last.gain.high, metric.factor)
    moved = []
    for knob, value in zip(request.knobs, last.middle.values, strict=True):
        text = knob.text(value)
        moved.append(f"{knob.name}={text}")
    listed = ", ".join(moved)
    return f"generation {last.number} of {request.generations}: gain {gain}; {listed}"


def result_sentences(tuned: Tuned) -> list[str]:
    """Whether tuning gained anything, and what it is worth against the default."""
    if not tuned.is_moved:
        return ["The search ended where it began: nothing is gained, and the defaults stay."]
    return gain_sentences(tuned)


def gain_sentences(tuned: Found) -> list[str]:
    """Whether a search or a training gained anything, and what it is worth head to head."""
    return [_verdict(tuned), *_direct(tuned)]


def _verdict(tuned: Found) -> str:
    words = tuned.wording
    line = tuned.confirmation.objective
    gain = interval(tuned, line.gain)
    before = _value(tuned, line.default)
    after = _value(tuned, line.tuned)
    measure = _measure(tuned.request)
    unit = "points" if tuned.request.objective == "points" else "percentage points"
    size = f"on {tuned.request.confirmed:,} matches of {words.unseen}"
    change = f"{before} become {after} {measure}, {size}"
    if line.gain.low > 0:
        return f"{words.doing} gained {gain} {unit}: {change}."
    if line.gain.high < 0:
        return f"{words.doing} gained nothing: {change}. {words.advice}"
    return f"No gain is shown, {gain} {unit}: {change}. {words.advice}"


def _direct(tuned: Found) -> Iterator[str]:
    """Where the tuned strategy is no better than the default as such."""
    gained = tuned.confirmation.objective.gain.low > 0
    direct = tuned.confirmation.direct
    if not gained or direct.gain.high >= 0:
        return
    figure = interval(tuned, direct.tuned)
    unit = "points per deal" if tuned.request.objective == "points" else "% of the matches"
    before = tuned.wording.before
    yield (
        f"But against the {before} itself it makes only {figure} {unit}: it is fitted to its "
        "opponents, and not the better player."
    )


def _measure(request: TuneRequest) -> str:
    """What is counted, against whom."""
    opponents = pool_names(request)
    if request.objective == "points":
        return f"points per deal against {opponents}"
    if request.objective == "worst" and len(request.pool) > 1:
        return f"% of the matches against the hardest of {opponents}"
    return f"% of the matches against {opponents}"


def pool_names(request: TuneRequest) -> str:
    """The opponents by their own names."""
    names = shown_names(request)
    *first, last = [names[opponent.text] for opponent in request.pool]
    if not first:
        return last
    begun = ", ".join(first)
    return f"{begun} and {last}"


def shown_names(request: TuneRequest) -> dict[str, str]:
    """What the default and its opponents are called, by their texts."""
    matchups = request.matchups(request.strategy, request.seed)
    names = own_names(matchups)
    shown = {}
    for strategy in (request.strategy, *request.pool):
        shown[strategy.text] = names.get(strategy.text, strategy.text)
    return shown


def interval(tuned: Found, estimate: Estimate) -> str:
    """A figure with its interval; one half against oneself has none."""
    metric = scores.metric_of(tuned.request.objective)
    if estimate.se == 0:
        value = metric.factor * estimate.value
        return f"{value:g}"
    return numbers.estimate(estimate.value, estimate.low, estimate.high, metric.factor)


def _value(tuned: Found, estimate: Estimate) -> str:
    """A figure without its interval."""
    metric = scores.metric_of(tuned.request.objective)
    value = metric.factor * estimate.value
    span = metric.factor * (estimate.high - estimate.low)
    return numbers.number(value, span / 2)
