"""The experiments and notebooks that simgin ships: finding and copying them."""

import contextlib
import difflib
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from simgin.text.files import WRITING, NewFileError, read_bytes, write_file

PACKAGE = Path(__file__).resolve().parent.parent
FOLDERS = ("experiments", "notebooks")
MOST_NEAR = 3  # similar names in an error message
MOST_FOLDERS = 200  # nesting depth; pathlib creates parent folders recursively
ENDINGS = (".toml", ".py", ".md")
TO_DOCUMENTS = re.compile(r"\[([^\]]+)\]\(\.\./docs/[^)]+\)")  # the documentation is not copied


def folder(name: str) -> Path:
    """Return the folder of the experiments or of the notebooks."""
    installed = PACKAGE.parent / "simgin_examples"  # location in a wheel
    top = installed if installed.is_dir() else PACKAGE.parent  # location in a source tree
    return top / name


def experiments() -> dict[str, Path]:
    """Return the files of the shipped experiments by name, in alphabetical order."""
    files = sorted(folder("experiments").glob("*.toml"))
    return {file.stem: file for file in files}


def experiment_file(text: str | Path) -> Path:
    """Return the path of an experiment file.

    Args:
        text: Name of a shipped experiment, or a path. The name takes precedence over a file of that
            name in the working directory; write ./demo for the file.
    """
    path = Path(text)
    return path if isinstance(text, Path) else experiments().get(text, path)


def remedy(missing: Path) -> str:
    """Return a hint for a missing experiment file, as the end of a sentence."""
    near = difflib.get_close_matches(missing.stem, experiments(), n=MOST_NEAR)
    commands = " or ".join(f"`simgin run {name}`" for name in near)
    if near:
        return f"{commands} plays one that comes with simgin (`simgin examples` lists all)"
    return "name an experiment file, or one that comes with simgin (`simgin examples` lists them)"


def copy(place: Path) -> list[Path]:
    """Copy all experiments and notebooks into a folder.

    Links to the documentation, which is not copied, are replaced by their text. An interrupted copy
    is completed.

    Args:
        place: A new folder.

    Returns:
        The paths of the new files.

    Raises:
        NewFileError: If the folder contains other files, cannot be written to, or has the name of
            an experiment, which the user probably wanted to run. No file is left behind.
    """
    if str(place) in experiments():
        raise NewFileError(
            f"{place} is an experiment: `simgin run {place}` plays it, and "
            f"`simgin examples my-{place}` copies all experiments into a new folder."
        )
    if len(place.parts) > MOST_FOLDERS:
        raise NewFileError("that folder lies too deep; name a new folder.")
    contents = dict(_contents())
    try:
        if place.exists() and not (place.is_dir() and _is_part(place, contents)):
            raise NewFileError(f"{place} is there already; name a new folder.")
        with _all_or_nothing(place):
            for name, content in contents.items():
                write_file(place / name, content)
        for half_written in place.rglob(f"{WRITING}*"):
            half_written.unlink()
        return [place / name for name in contents]
    except OSError as error:
        raise NewFileError(
            f"{place} cannot be written: {error.strerror}; name a folder you can write to."
        ) from None


@contextlib.contextmanager
def _all_or_nothing(place: Path) -> Iterator[None]:
    """Restore a folder to its previous state if the block fails."""
    was_there = place.exists()
    try:
        yield
    except BaseException:
        for name in FOLDERS:
            shutil.rmtree(place / name, ignore_errors=True)
        if place.exists() and not was_there:
            place.rmdir()
        raise


def _contents() -> Iterator[tuple[str, bytes]]:
    """Yield the relative path and the content of every file to copy."""
    for name in FOLDERS:
        for source in sorted(folder(name).iterdir()):
            if source.suffix in ENDINGS:
                text = TO_DOCUMENTS.sub(r"\1", source.read_text(encoding="utf-8"))
                yield f"{name}/{source.name}", text.encode()


def _is_part(place: Path, contents: Mapping[str, bytes]) -> bool:
    """Return True if a folder contains only files of an interrupted copy."""
    for path in place.rglob("*"):
        name = path.relative_to(place).as_posix()
        if path.name.startswith(WRITING) or (name in FOLDERS and path.is_dir()):
            continue
        if name not in contents or read_bytes(path) != contents[name]:
            return False
    return True
