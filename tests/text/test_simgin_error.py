"""Tests that errors in the input raise a SimginError, which IPython prints in one line."""

import importlib
import pkgutil
from contextlib import suppress

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

import simgin
from simgin.text.messages import SimginError
from simgin.text.notation import CardError


def test_every_value_error_is_a_simgin_error():
    for module in pkgutil.walk_packages(simgin.__path__, "simgin."):
        if not module.name.endswith("__main__"):
            with suppress(ModuleNotFoundError):  # of an optional package
                importlib.import_module(module.name)
    open_classes, simgin_errors = [ValueError], []
    while open_classes:
        children = open_classes.pop().__subclasses__()
        open_classes += children
        simgin_errors += [
            error_class
            for error_class in children
            if str(error_class.__module__).startswith("simgin.")
        ]
    assert len(simgin_errors) > 20
    assert [
        error_class.__name__
        for error_class in simgin_errors
        if not issubclass(error_class, SimginError)
    ] == []


@pytest.fixture
def ipython_shell(tmp_path, monkeypatch):
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    yield InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
    InteractiveShell.clear_instance()


def test_ipython_prints_an_error_without_traceback(ipython_shell, capsys):
    ipython_shell.run_cell("import simgin\nsimgin.match('goldd')")
    output = capsys.readouterr().out
    assert output.startswith("StrategyError: ") and "gold" in output
    assert "Traceback" not in output and len(output.splitlines()) == 1


def test_control_characters_in_a_message_are_escaped(ipython_shell):
    assert CardError("\x1b[2J")._render_traceback_() == [r"CardError: \x1b[2J"]
