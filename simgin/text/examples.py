"""The experiments and notebooks that come with simgin: found by name, and copied to work on."""

import contextlib
import difflib
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from simgin.text.files import WRITING, NewFileError, read_bytes, write_file

PACKAGE = Path(__file__).resolve().parent.parent
FOLDERS = ("experiments", "notebooks")
MOST_NEAR = 3  # names that are like one that is not there
MOST_FOLDERS = 200  # in one another; pathlib makes them one by one
ENDINGS = (".toml", ".py", ".md")
TO_DOCUMENTS = re.compile(r"\[([^\]]+)\]\(\.\./docs/[^)]+\)")  # links to what is not copied


def folder(name: str) -> Path:
    """Where the experiments or the notebooks lie."""
    installed = PACKAGE.parent / "simgin_examples"  # as a wheel installs them
    top = installed if installed.is_dir() else PACKAGE.parent  # source tree and editable install
    return top / name


def experiments() -> dict[str, Path]:
    """The files of simgin's own experiments by name, in alphabetical order."""
    files = sorted(folder("experiments").glob("*.toml"))
    return {file.stem: file for file in files}


def experiment_file(text: str | Path) -> Path:
    """Return the experiment file that a text names.

    A name of one of simgin's own experiments is that, even if a file here has the same name. Write
    ./demo for the file.
    """
    path = Path(text)
    return path if isinstance(text, Path) else experiments().get(text, path)


def remedy(missing: Path) -> str:
    """What to do about an experiment file that is not there, for the end of a sentence."""
    near = difflib.get_close_matches(missing.stem, experiments(), n=MOST_NEAR)
    commands = " or ".join(f"`simgin run {name}`" for name in near)
    if near:
        return f"{commands} plays one that comes with simgin (`simgin examples` lists all)"
    return "name an experiment file, or one that comes with simgin (`simgin examples` lists them)"


def copy(place: Path) -> list[Path]:
    """Copy every experiment and notebook into a folder, and return the new files.

    Links to documents, which are not copied, become their words. A copy that was killed is
    completed. Raises NewFileError, and writes nothing, if the folder holds anything else, or has
    the name of an experiment, which is more likely meant to be played.
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
    """Leave a folder as it was if the block fails, so that the same command can begin anew."""
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
    """Yield every file of a copy: its path in the folder, and its bytes."""
    for name in FOLDERS:
        for source in sorted(folder(name).iterdir()):
            if source.suffix in ENDINGS:
                text = TO_DOCUMENTS.sub(r"\1", source.read_text(encoding="utf-8"))
                yield f"{name}/{source.name}", text.encode()


def _is_part(place: Path, contents: Mapping[str, bytes]) -> bool:
    """Return True if a folder holds nothing but what a killed copy leaves."""
    for path in place.rglob("*"):
        name = path.relative_to(place).as_posix()
        if path.name.startswith(WRITING) or (name in FOLDERS and path.is_dir()):
            continue
        if name not in contents or read_bytes(path) != contents[name]:
            return False
    return True
