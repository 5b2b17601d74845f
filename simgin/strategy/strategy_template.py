"""A strategy file to start from: it plays as it stands and shows the form of a policy."""

from pathlib import Path

from simgin.strategy.author import NAME
from simgin.strategy.text_form import StrategyError, parse
from simgin.text.files import NewFileError, plain_name
from simgin.text.messages import quoted

FILE = Path(__file__).with_name("strategy.py.j2")


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
    return FILE.read_text(encoding="utf-8").replace("{{ name }}", name)


def _is_path(text: str) -> bool:
    """Whether a text that names a strategy is the path of a file and nothing more."""
    try:
        named = parse(text).strategy.name
    except StrategyError:
        return False
    return named == text and text.isprintable() and "#" not in text
