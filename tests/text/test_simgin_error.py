"""Mistakes in the input raise a SimginError, which IPython prints without a traceback."""

import importlib
import pkgutil
from contextlib import suppress

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

import simgin
from simgin.text.messages import SimginError
from simgin.text.notation import CardError


def test_every_error_about_the_input_is_a_simgin_error():
    for module in pkgutil.walk_packages(simgin.__path__, "simgin."):
        if not module.name.endswith("__main__"):
            with suppress(ModuleNotFoundError):  # of an optional package
                importlib.import_module(module.name)
    left, found = [ValueError], []
    while left:
        children = left.pop().__subclasses__()
        left += children
        found += [one for one in children if str(one.__module__).startswith("simgin.")]
    assert len(found) > 20
    assert [one.__name__ for one in found if not issubclass(one, SimginError)] == []


@pytest.fixture
def shell(tmp_path, monkeypatch):
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    yield InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
    InteractiveShell.clear_instance()


def test_ipython_prints_one_short_error(shell, capsys):
    shell.run_cell("import simgin\nsimgin.match('goldd')")
    printed = capsys.readouterr().out
    assert printed.startswith("StrategyError: ") and "gold" in printed
    assert "Traceback" not in printed and len(printed.splitlines()) == 1


def test_control_characters_in_a_message_are_escaped(shell):
    assert CardError("\x1b[2J")._render_traceback_() == [r"CardError: \x1b[2J"]
