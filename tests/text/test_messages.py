"""Tests that control characters and hostile exceptions are printed safely."""

import pytest

from simgin.strategy import loader
from simgin.strategy.strategy_spec import StrategyError
from simgin.text.messages import describe_error, ensure_printable_error, escape_control_chars

HOSTILE_ERRORS_CODE = """
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
HOSTILE_ERROR_NAMES = ["Nameless", "Speechless", "Homeless", "Classless", "Nothing"]


def test_control_characters_are_escaped():
    control_characters = [
        *map(chr, [*range(9), *range(11, 32), *range(127, 160), 0x202E, 0x2066, 0xD800])
    ]
    for character in control_characters:
        assert escape_control_chars(f"a{character}b") == f"a{ascii(character)[1:-1]}b"
    for text in ("a\nb\tc", "Gin, ± 2 – é 🂡", r"\x1b"):
        assert escape_control_chars(text) == text


@pytest.mark.parametrize("name", HOSTILE_ERROR_NAMES)
def test_hostile_error_is_described(name):
    namespace = {}
    exec(HOSTILE_ERRORS_CODE, namespace)
    error = ensure_printable_error(namespace[name]())
    assert isinstance(error, Exception) and name in describe_error(error)


@pytest.mark.parametrize("name", HOSTILE_ERROR_NAMES)
def test_hostile_error_in_a_strategy_file_is_reported(tmp_path, name):
    path = tmp_path / "mine.py"
    path.write_text(f"{HOSTILE_ERRORS_CODE}raise {name}()\n")
    with pytest.raises(StrategyError, match=f"mine.py cannot be read.*{name}"):
        loader.find_strategy(str(path))
