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
    """Return the paths of the example experiments, keyed by name in alphabetical order."""
    files = sorted(find_example_folder("experiments").glob("*.toml"))
    return {file.stem: file for file in files}


def find_experiment_file(name_or_path: str | Path) -> Path:
    """Return the path of an example experiment or of a user's experiment file.

    Args:
        name_or_path: Name of an example experiment, or a path. An example takes precedence over a
            file of the same name. To read such a file, use a path such as ./demo.
    """
    path = Path(name_or_path)
    return path if isinstance(name_or_path, Path) else list_experiments().get(name_or_path, path)


def suggest_experiments(missing_file: Path) -> str:
    """Return a hint for a missing experiment file, without a final full stop."""
    matches = difflib.get_close_matches(missing_file.stem, list_experiments(), n=MAX_SUGGESTIONS)
    commands = " or ".join(f"`simgin run {name}`" for name in matches)
    if matches:
        return f"To run an example, use {commands} (`simgin examples` lists all examples)"
    return "Specify an experiment file or an example (`simgin examples` lists all examples)"


def copy_examples(folder: Path) -> list[Path]:
    """Copy all example experiments and notebooks to a folder.

    Links to the documentation are replaced by their text, because the documentation is not copied.
    An interrupted copy is completed.

    Args:
        folder: A new folder.

    Returns:
        The paths of the new files.

    Raises:
        NewFileError: If the folder contains other files, cannot be written, or has the name of an
            example that the user probably wanted to run. In these cases, simgin creates no files.
    """
    if str(folder) in list_experiments():
        raise NewFileError(
            f"{folder} is the name of an example. Run it with `simgin run {folder}`, or copy all "
            f"examples into a new folder with `simgin examples my-{folder}`."
        )
    if len(folder.parts) > MAX_PATH_DEPTH:
        raise NewFileError("The folder is nested too deeply. Choose another folder.")
    contents = dict(_read_examples())
    try:
        if folder.exists() and not (folder.is_dir() and _is_incomplete_copy(folder, contents)):
            raise NewFileError(f"{folder} already exists. Choose a new folder.")
        with _roll_back_on_error(folder):
            for name, content in contents.items():
                write_file(folder / name, content)
        for incomplete_file in folder.rglob(f"{INCOMPLETE_FILE_PREFIX}*"):
            incomplete_file.unlink()
        return [folder / name for name in contents]
    except OSError as error:
        raise NewFileError(
            f"{folder} cannot be written ({error.strerror}). Specify a folder that you "
            "can write to."
        ) from None


@contextlib.contextmanager
def _roll_back_on_error(folder: Path) -> Iterator[None]:
    """Delete copied examples if the `with` block raises an exception."""
    existed_before = folder.exists()
    try:
        yield
    except BaseException:
        for subfolder in EXAMPLE_FOLDERS:
            shutil.rmtree(folder / subfolder, ignore_errors=True)
        if folder.exists() and not existed_before:
            folder.rmdir()
        raise


def _read_examples() -> Iterator[tuple[str, bytes]]:
    """Yield the relative path and the contents of every example file."""
    for folder_name in EXAMPLE_FOLDERS:
        for source_file in sorted(find_example_folder(folder_name).iterdir()):
            if source_file.suffix in COPIED_SUFFIXES:
                content = DOCS_LINK_PATTERN.sub(r"\1", source_file.read_text(encoding="utf-8"))
                yield f"{folder_name}/{source_file.name}", content.encode()


def _is_incomplete_copy(folder: Path, contents: Mapping[str, bytes]) -> bool:
    """Return True if all files in a folder come from an interrupted copy."""
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        if path.name.startswith(INCOMPLETE_FILE_PREFIX) or (
            name in EXAMPLE_FOLDERS and path.is_dir()
        ):
            continue
        if name not in contents or read_bytes(path) != contents[name]:
            return False
    return True
