"""A strategy file to begin with: the contract's form, commented, playable as it stands."""

import contextlib
import os
import re
import secrets
from pathlib import Path

_NAME = re.compile(r"[a-z0-9-]+")

TEMPLATE = '''\
"""What the idea is, and where it comes from: the first sentence stands in the lists."""

from simgin.strategy import Strategy, discard, knock, param, take
from simgin.toolkit import best_discard, count_after, take_if

# view: what your seat may know; rules: the game; params: this policy's numbers, in the order in which they are declared.
# Cards are 0..51 (13 * suit + rank), sets of cards are 52-bit masks, and view.legal has the legal answers as bits.


@take(gain=param(1, 0, 30, "points of deadwood that a card must save"))
def thrifty(view, rules, params):
    """Takes the card on offer if that lowers the deadwood by enough."""
    saved = view.count - count_after(view.hand, view.taken_offer, rules)
    return take_if(saved >= params[0], view.legal)


@discard
def low(view, rules, params):
    """Throws the card that leaves least deadwood; of several the dearest."""
    return best_discard(view.hand, view.legal, rules)


@knock(turn=param(6, 0, 500, "own turns in which any legal knock is good"), k=param(2, 0, 10, "later, the most deadwood to knock with"))
def patient(view, rules, params):
    """Ends the deal early with whatever is legal, later only with little deadwood."""
    return view.own_turn <= params[0] or view.ending_count <= params[1]


# A slot left out (take, discard or knock) gets the default: what the strategy `gold` does.
STRATEGY = Strategy("NAME", take=thrifty, discard=low, knock=patient)
'''


class ScaffoldError(ValueError):
    """A file that cannot be written, or a name that no strategy can have; the message is a sentence with the remedy."""


def write(file: Path, name: str | None = None) -> None:
    """Write a strategy called `name` (default: as the file) to a new .py file; ScaffoldError if that cannot be done."""
    if file.suffix != ".py":
        raise ScaffoldError(f"a strategy file ends in .py: say {file.with_name(file.name + '.py')}.")
    name = name or re.sub("[^a-z0-9]+", "-", file.stem.lower()).strip("-")
    if not _NAME.fullmatch(name):
        raise ScaffoldError(f"a strategy's name is made of a-z, 0-9 and -, and {name!r} is not; give one after the file.")
    if file.exists():
        raise ScaffoldError(f"{file} is there already and stays as it is; name another file.")
    beside = file.with_name(f".{file.name}.{secrets.token_hex(4)}")
    try:
        beside.write_text(TEMPLATE.replace("NAME", name), encoding="utf-8")
        os.replace(beside, file)
    except OSError as error:
        raise ScaffoldError(f"{file} cannot be written: {error.strerror}; name a file in a folder that can be written.") from None
    finally:
        with contextlib.suppress(OSError):
            beside.unlink()
