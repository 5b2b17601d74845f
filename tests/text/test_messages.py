"""Other people's texts and errors: neither steers a terminal, nor raises where it is told."""

import pytest

from simgin.strategy import loader
from simgin.strategy.strategy_spec import StrategyError
from simgin.text.messages import describe_error, ensure_printable_error, escape_control_chars

CLASSES = """
class Kind(type):
    @property
    def __name__(cls):
        raise RuntimeError("no name")
class Nameless(Exception, metaclass=Kind):
    pass
class Speechless(Exception):
    def __str__(self):
        raise SystemExit
class Homeless(ValueError):
    __module__ = 7
class Classless(Exception):
    @property
    def __class__(self):
        raise RuntimeError("no class")
class Nothing(BaseException):
    def __getattribute__(self, name):
        raise RuntimeError(name)
"""
NAMES = ["Nameless", "Speechless", "Homeless", "Classless", "Nothing"]


def test_text_does_not_control_the_terminal():
    steering = [*map(chr, [*range(9), *range(11, 32), *range(127, 160), 0x202E, 0x2066, 0xD800])]
    for sign in steering:
        assert escape_control_chars(f"a{sign}b") == f"a{ascii(sign)[1:-1]}b"
    for text in ("a\nb\tc", "Gin, ± 2 – é 🂡", r"\x1b"):
        assert escape_control_chars(text) == text


@pytest.mark.parametrize("name", NAMES)
def test_an_error_of_any_class_is_reported(name):
    found = {}
    exec(CLASSES, found)
    error = ensure_printable_error(found[name]())
    assert isinstance(error, Exception) and name in describe_error(error)


@pytest.mark.parametrize("name", NAMES)
def test_a_strategy_file_may_raise_errors_of_any_class(tmp_path, name):
    path = tmp_path / "mine.py"
    path.write_text(f"{CLASSES}raise {name}()\n")
    with pytest.raises(StrategyError, match=f"mine.py cannot be read.*{name}"):
        loader.find_strategy(str(path))
