"""A strategy file to start from: it plays as it stands and shows the form of a policy."""

from pathlib import Path

from simgin.strategy.author import NAME
from simgin.strategy.text_form import StrategyError, parse
from simgin.text.files import NewFileError, plain_name
from simgin.text.messages import quoted

STRATEGY = '''\
"""One sentence that says what the strategy does: `simgin strategies` shows it."""

from simgin.strategy import Strategy, discard, knock, param, take
from simgin.toolkit import best_discard, count_after, take_if

# view: what your seat may know; rules: the variant; params: this policy's parameters, in order.
# Cards are 0..51 (13 * suit + rank); sets of cards are 52-bit masks; view.legal holds the legal
# answers as bits.


@take(gain=param(1, 0, 30, "least deadwood that the card must save"))
def thrifty(view, rules, params):
    """Take the card on offer if it lowers the deadwood enough."""
    saved = view.count - count_after(view.hand, view.taken_offer, rules)
    return take_if(saved >= params[0], view.legal)


@discard
def low(view, rules, params):
    """Discard the card that leaves the least deadwood; of several, the one worth most."""
    return best_discard(view.hand, view.legal, rules)


@knock(
    turn=param(6, 0, 500, "turns in which to knock with any legal count"),
    k=param(2, 0, 10, "highest count to knock with after that"),
)
def patient(view, rules, params):
    """Knock at once early in the deal; later, only with little deadwood."""
    return view.own_turn <= params[0] or view.ending_count <= params[1]


# Leave a slot out (take, discard or knock) to use the policy of the strategy `gold` there.
STRATEGY = Strategy("NAME", take=thrifty, discard=low, knock=patient)
'''


def strategy_file(file: Path, name: str | None = None) -> str:
    """The text of a strategy file. The strategy is called `name`, or like the file by default.

    Raises NewFileError for a path that does not end in .py or that a command would read as more
    than a path, and for an impossible name.
    """
    if file.suffix != ".py":
        suggestion = f"{file}.py" if file.name else "mine.py"
        raise NewFileError(f"the name of a strategy file must end in .py: try {suggestion}.")
    if not _is_path(str(file)):
        raise NewFileError(
            f"{quoted(str(file))} would not be read as a path where a strategy is named: use a-z, "
            "0-9 and - in names of files and folders."
        )
    name = name or plain_name(file)
    if not NAME.fullmatch(name):
        raise NewFileError(
            f"{quoted(name)} cannot be the name of a strategy: names consist of a-z, 0-9 and -, at "
            "most 100 of them; give one after the file."
        )
    return STRATEGY.replace("NAME", name)


def _is_path(text: str) -> bool:
    """Whether a text that names a strategy is the path of a file and nothing more."""
    try:
        named = parse(text).strategy.name
    except StrategyError:
        return False
    return named == text and text.isprintable() and "#" not in text
