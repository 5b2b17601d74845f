"""Lookup and copying of example experiments and notebooks."""

import contextlib
import difflib
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from simgin.text.files import INCOMPLETE_FILE_PREFIX, NewFileError, read_bytes, write_file

PACKAGE_ROOT = Path(__file__).resolve().parent.parent
EXAMPLE_FOLDERS = ("experiments", "notebooks")
MAX_SUGGESTIONS = 3  # maximum number of similar names in an error message
MAX_PATH_DEPTH = 200  # maximum nesting depth, because pathlib creates parent folders recursively
COPIED_SUFFIXES = (".toml", ".py", ".md")
# Pattern of links to the docs folder, which is not copied
DOCS_LINK_PATTERN = re.compile(r"\[([^\]]+)\]\(\.\./docs/[^)]+\)")


def find_example_folder(name: str) -> Path:
    """Return the folder that contains the example experiments or the example notebooks."""
    installed_root = PACKAGE_ROOT.parent / "simgin_examples"  # location in an installed package
    source_root = PACKAGE_ROOT.parent
    return (installed_root if installed_root.is_dir() else source_root) / name


def list_experiments() -> dict[str, Path]:
    """Return the paths of the example experiments by name, in alphabetical order."""
    files = sorted(find_example_folder("experiments").glob("*.toml"))
    return {file.stem: file for file in files}


def find_experiment_file(name_or_path: str | Path) -> Path:
    """Return the path of a user's experiment file or of an example experiment.

    Args:
        name_or_path: Name of an example experiment, or a path. An example takes precedence over a
            file of the same name. To read such a file, use a path such as ./demo.
    """
    path = Path(name_or_path)
    return path if isinstance(name_or_path, Path) else list_experiments().get(name_or_path, path)


def suggest_experiments(missing_file: Path) -> str:
    """Return a suggestion for a missing experiment file, without a final full stop."""
    matches = difflib.get_close_matches(missing_file.stem, list_experiments(), n=MAX_SUGGESTIONS)
    commands = " or ".join(f"`simgin run {name}`" for name in matches)
    if matches:
        return f"To run an example, use {commands} (`simgin examples` lists all examples)"
    return "Specify an experiment file or an example (`simgin examples` lists all examples)"


def copy_examples(target: Path) -> list[Path]:
    """Copy all example experiments and notebooks to a folder.

    Links to the documentation are replaced by their text, because the documentation is not copied.
    An interrupted copy is completed.

    Args:
        target: A new folder.

    Returns:
        The paths of the new files.

    Raises:
        NewFileError: If the folder contains other files, cannot be written, or has the name of an
            example that the user probably wanted to run. In these cases, simgin creates no files.
    """
    if str(target) in list_experiments():
        raise NewFileError(
            f"{target} is the name of an example. Run it with `simgin run {target}`, or copy all "
            f"examples into a new folder with `simgin examples my-{target}`."
        )
    if len(target.parts) > MAX_PATH_DEPTH:
        raise NewFileError("The folder is nested too deeply. Choose another folder.")
    contents = dict(_read_examples())
    try:
        if target.exists() and not (target.is_dir() and _is_incomplete_copy(target, contents)):
            raise NewFileError(f"{target} already exists. Choose a new folder.")
        with _roll_back_on_error(target):
            for name, content in contents.items():
                write_file(target / name, content)
        for incomplete_file in target.rglob(f"{INCOMPLETE_FILE_PREFIX}*"):
            incomplete_file.unlink()
        return [target / name for name in contents]
    except OSError as error:
        raise NewFileError(
            f"{target} cannot be written ({error.strerror}). Specify a folder that you "
            "can write to."
        ) from None


@contextlib.contextmanager
def _roll_back_on_error(target: Path) -> Iterator[None]:
    """Restore the contents of a folder if the body of the `with` statement raises an exception."""
    target_existed = target.exists()
    try:
        yield
    except BaseException:
        for name in EXAMPLE_FOLDERS:
            shutil.rmtree(target / name, ignore_errors=True)
        if target.exists() and not target_existed:
            target.rmdir()
        raise


def _read_examples() -> Iterator[tuple[str, bytes]]:
    """Yield the relative path and the contents of every example file."""
    for name in EXAMPLE_FOLDERS:
        for source in sorted(find_example_folder(name).iterdir()):
            if source.suffix in COPIED_SUFFIXES:
                text = DOCS_LINK_PATTERN.sub(r"\1", source.read_text(encoding="utf-8"))
                yield f"{name}/{source.name}", text.encode()


def _is_incomplete_copy(target: Path, contents: Mapping[str, bytes]) -> bool:
    """Return True if all files in a folder come from an interrupted copy."""
    for path in target.rglob("*"):
        name = path.relative_to(target).as_posix()
        if path.name.startswith(INCOMPLETE_FILE_PREFIX) or (
            name in EXAMPLE_FOLDERS and path.is_dir()
        ):
            continue
        if name not in contents or read_bytes(path) != contents[name]:
            return False
    return True
