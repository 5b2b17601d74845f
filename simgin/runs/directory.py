"""Run directories: their files and manifests, and checks that prevent overwriting other data.

The ledger is created when the run starts. All other files are computed from the ledger. They are
written to temporary files, which are then renamed. A run directory can come from an untrusted
source. Therefore, simgin does not execute any of its files, and does not write or remove files
outside the directory (docs/explanation/threat-model.md).
"""

import contextlib
import fcntl
import hashlib
import json
import os
import shlex
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from simgin.runs import ledger, manifest
from simgin.text import shell
from simgin.text.files import INCOMPLETE_FILE_PREFIX, read_text, write_file
from simgin.text.messages import SimginError, describe_error, quote_text

MANIFEST_FILE = "manifest.json"
DEALS_FILE = "deals.parquet"  # file written by `simgin.runs.parquet`
# exceptions that are raised if a manipulated manifest or ledger contains values of unexpected types
CORRUPTION_ERRORS = (
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    ArithmeticError,
    MemoryError,
)
MAX_PATH_DEPTH = 300  # maximum number of directories in the path of a run directory
MOVE_AWAY_HINT = "Move it away or choose another directory"
# options that specify the size of the run or the output
NON_IDENTIFYING_OPTIONS = {"--deals", "--worlds", "--for", "--run", "-o"}
CHECKSUM_KEY = "seal"  # key of the checksum in the manifest


class ResultsError(SimginError):
    """Exception for a run directory that cannot be read or written."""


class CorruptManifestError(ResultsError):
    """Exception for a run directory whose manifest is corrupt."""


def write_run_directory(
    directory: str | Path,
    manifest_entries: Mapping[str, Any],
    files: Mapping[str, bytes | str],
    *existing_files: str,
    command: str = "",
) -> list[Path]:
    """Write the files and the manifest of a run, and return their paths, manifest first.

    Files that are listed only in an earlier manifest are removed.

    Args:
        directory: Run directory.
        manifest_entries: Contents of the manifest.
        files: File contents by path inside the directory.
        *existing_files: Files of this run that already exist in the directory.
        command: Command that is passed to `check_directory`.  The check is repeated because another
            process could have written files in the meantime.

    Raises:
        ResultsError: If the directory contains other data or cannot be written. After an error,
            each file has either its old contents or its new contents.
    """
    path = _make_directory(directory, check_directory(directory))
    with _lock_directory(path):
        _require_replaceable(directory, path, command)
        _replace_files(directory, path, manifest_entries, files, {*files, *existing_files})
    return [Path(directory) / name for name in (MANIFEST_FILE, *files, *existing_files)]


def _replace_files(
    directory: str | Path,
    path: Path,
    entries: Mapping[str, Any],
    files: Mapping[str, bytes | str],
    run_files: set[str],
) -> None:
    """Replace the files of an earlier run, and delete the files that are no longer written.

    Args:
        directory: Run directory as specified by the user, for error messages.
        path: Absolute path of the directory.
        entries: Contents of the manifest.
        files: File contents by path inside the directory.
        run_files: Names of all files that belong to this run.
    """
    old_files = _list_manifest_files(path) - {MANIFEST_FILE} - run_files
    temporary_files = {
        name for name in _iter_files(path) if Path(name).name.startswith(INCOMPLETE_FILE_PREFIX)
    }
    interim_manifest = {
        **entries,
        "stopped": "while its files were being written",
        "files": sorted(old_files | run_files),
    }
    try:
        # Write the list of files first, so that the list is complete even if the process is killed
        # afterwards.
        write_file(path / MANIFEST_FILE, encode_manifest(interim_manifest))
        for name, content in files.items():
            write_file(path / name, content if isinstance(content, bytes) else content.encode())
        for name in old_files | temporary_files:
            (path / name).unlink(missing_ok=True)
        write_file(path / MANIFEST_FILE, encode_manifest({**entries, "files": sorted(run_files)}))
    except OSError as error:
        raise ResultsError(
            f"{directory} cannot be written ({error.strerror}). Fix the problem and repeat the "
            "command to continue."
        ) from error


@contextlib.contextmanager
def _lock_directory(path: Path) -> Iterator[None]:
    """Lock a directory so that only one process at a time can write to it.

    If a process is killed, its lock is released. If the path is not a directory or the file system
    does not support locks, nothing is locked.
    """
    with contextlib.ExitStack() as exit_stack:
        with contextlib.suppress(OSError):
            descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
            exit_stack.callback(os.close, descriptor)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield


def create_run_directory(directory: str | Path, command: str = "") -> Path:
    """Create a run directory if it does not exist, and return the path of its ledger.

    Raises:
        ResultsError: If `check_directory` rejects the directory.
    """
    path = check_directory(directory, command, writes_ledger=True)
    return _make_directory(directory, path) / ledger.LEDGER_FILE


def _make_directory(directory: str | Path, path: Path) -> Path:
    """Create a directory if it does not exist, and return its absolute path."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ResultsError(
            f"{directory} cannot be written ({error.strerror}). Choose another directory."
        ) from error
    return path


def check_directory(
    directory: str | Path, command: str = "", *, writes_ledger: bool = False
) -> Path:
    """Check that a run can be written to a directory, and return the directory's absolute path.

    Only the files of an earlier run can be overwritten. Both runs must have the same command except
    for the size of the run and the output directory.

    Args:
        directory: Run directory. Symbolic links in its path are followed.
        command: Command of the run, or an empty string to accept any earlier run.
        writes_ledger: True if the command writes a ledger.

    Raises:
        ResultsError: If the directory contains other data or cannot be written.
    """
    path = _resolve_directory(directory)
    # Lock the directory, because other processes create and remove temporary files.
    with _lock_directory(path):
        _require_replaceable(directory, path, command, writes_ledger)
    return path


def _require_replaceable(
    directory: str | Path, path: Path, command: str, writes_ledger: bool = False
) -> None:
    """Raise ResultsError if a command must not replace the contents of a directory."""
    if problem := _describe_problem(path) or _describe_foreign_results(
        path, command, writes_ledger
    ):
        raise ResultsError(f"{directory} {problem}.")


def _describe_foreign_results(path: Path, command: str, writes_ledger: bool) -> str:
    """Return an error message if a directory contains results of another command, or ""."""
    has_ledger = (path / ledger.LEDGER_FILE).exists()
    if command and has_ledger and not writes_ledger:
        return f"contains a run. {MOVE_AWAY_HINT}"
    if not command or not (path / MANIFEST_FILE).exists():
        return ""
    earlier_command = str(read_manifest(path).get("command"))
    arguments = _find_identifying_arguments(command)
    if has_ledger:  # The remaining arguments are compared when the ledger is opened.
        arguments = arguments[:2]
    if _find_identifying_arguments(earlier_command)[: len(arguments)] == arguments:
        return ""
    return f"contains the results of {quote_text(earlier_command)}. {MOVE_AWAY_HINT}"


def _find_identifying_arguments(command: str) -> list[str]:
    """Return the arguments of a command that identify a run, without its size and output."""
    try:
        arguments = shlex.split(command)
    except ValueError:
        return []  # The string is not a valid shell command.
    return [
        argument
        for previous_argument, argument in pairwise(["", *arguments])
        if not NON_IDENTIFYING_OPTIONS & {previous_argument, argument}
    ]


def set_directory_option(command: str, directory: Path) -> str:
    """Return the command of a run with its current directory as the output directory.

    The directory differs from the one in the command if the user has moved or copied it. A command
    that cannot be parsed is returned unchanged.
    """
    with contextlib.suppress(ValueError):
        arguments = shlex.split(command)
        option = "--run" if "--run" in arguments else "-o"  # With --run, -o is a file.
        value_index = arguments.index(option) + 1
        if shell.join_command(arguments) == command and value_index < len(arguments):
            arguments[value_index] = str(directory)
            return shell.join_command(arguments)
    return command


def _describe_problem(directory_path: Path) -> str:
    """Return the reason why a run cannot be written to a directory, or "" if there is none.

    The reason completes an error message that starts with the name of the directory.
    """
    # os.path.exists is used because Path.exists raises an error if access to the path is not
    # permitted.
    existing_parent = next(
        folder for folder in (*directory_path.parents, directory_path) if os.path.exists(folder)
    )
    if not existing_parent.is_dir():
        return f"cannot be written ({existing_parent} is a file). Choose another directory"
    exists = os.path.exists(directory_path)
    if exists and not directory_path.is_dir():
        return "is a file. Specify a directory for the results"
    contains_current = exists and directory_path in (Path.cwd(), *Path.cwd().parents)
    if contains_current and not (directory_path / MANIFEST_FILE).exists():
        return "is or contains the current directory. Choose a new directory inside it"
    folder = directory_path if exists else existing_parent
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        return f"cannot be written (no permission to write to {folder}). Choose another directory"
    files = sorted(_iter_files(directory_path))
    for path in files:
        if (directory_path / path).is_symlink() or not (directory_path / path).is_file():
            return f"contains {path}, which is not a regular file. {MOVE_AWAY_HINT}"
    named_files = _list_manifest_files(directory_path)
    for path in files:
        if not _is_run_file(path) and path not in named_files:
            return f"contains {path}, which simgin did not write. {MOVE_AWAY_HINT}"
    return ""


def _resolve_directory(directory: str | Path) -> Path:
    """Return the absolute path of a directory, with ~ expanded and links resolved.

    Raises:
        ResultsError: If the path is invalid or too deep.
    """
    try:
        path = Path(directory).expanduser().resolve()
    except RuntimeError as error:
        reason = str(error).rstrip(".")
        raise ResultsError(
            f"{directory} is not a valid path ({reason}). Choose another directory."
        ) from None
    # The depth is limited because mkdir creates parent directories recursively.
    if len(path.parts) > MAX_PATH_DEPTH:
        raise ResultsError(
            f"{str(directory)[:100]}... has {len(path.parts)} directory levels, but the "
            f"maximum is {MAX_PATH_DEPTH}. Choose another directory."
        )
    return path


def _is_run_file(path: str) -> bool:
    """Return True if a file is a ledger, contains recorded deals or is a temporary file.

    Files that SQLite adds to a ledger are included.
    """
    is_incomplete = Path(path).name.startswith(INCOMPLETE_FILE_PREFIX)
    return is_incomplete or path == DEALS_FILE or path.startswith(ledger.LEDGER_FILE)


def _list_manifest_files(directory: Path) -> set[str]:
    """Return the names of the manifest and of the files that it lists.

    Raises:
        ResultsError: If the manifest is not valid.
    """
    if not (directory / MANIFEST_FILE).exists():
        return set()
    return {MANIFEST_FILE, *read_manifest(directory).get("files", [])}


def read_manifest(directory: str | Path) -> dict[str, Any]:
    """Return the manifest in a run directory.

    Raises:
        ResultsError: If the manifest was not written by simgin or was changed afterwards.
    """
    directory_path = Path(directory)
    path = directory_path / MANIFEST_FILE
    try:
        contents: Any = json.loads(read_text(path)) if path.is_file() else None
        is_simgin_manifest = isinstance(contents, dict) and "simgin" in contents
        has_valid_checksum = is_simgin_manifest and contents.pop(
            CHECKSUM_KEY, None
        ) == _compute_checksum(contents)
    except (OSError, ValueError, RecursionError):
        is_simgin_manifest = False
    has_ledger = (directory_path / ledger.LEDGER_FILE).is_file()
    if has_ledger and path.is_file() and not is_simgin_manifest:
        raise make_corrupt_manifest_error(path, "the file was not written by simgin")
    if not is_simgin_manifest:
        reason = f"no valid {MANIFEST_FILE}"
        if not directory_path.is_dir():
            reason = "not a directory" if directory_path.is_file() else "not found"
        raise ResultsError(
            f"{directory} does not contain a simgin run ({reason}). Choose another directory."
        )
    if contents.get("form") == manifest.MANIFEST_FORMAT and not has_valid_checksum:
        raise make_corrupt_manifest_error(path, "the checksum does not match")
    files = contents.get("files", [])
    if not isinstance(files, list) or not all(map(_is_inner_path, files)):
        raise make_corrupt_manifest_error(path, "the list of files contains invalid names")
    manifest_entries: dict[str, Any] = contents
    return manifest_entries


def has_recorded_deals(
    directory: Path, manifest_entries: Mapping[str, Any], compared_keys: Iterable[str]
) -> bool:
    """Return True if a directory contains recorded deals of the same run.

    Args:
        directory: Run directory.
        manifest_entries: Contents of the manifest that the run writes.
        compared_keys: Keys of the manifest entries that must be the same in the earlier manifest.
    """
    if not (directory / DEALS_FILE).is_file() or DEALS_FILE not in _list_manifest_files(directory):
        return False
    earlier_entries = read_manifest(directory)
    new_entries = json.loads(json.dumps(manifest_entries))  # JSON turns tuples into lists.
    return all(earlier_entries.get(key) == new_entries.get(key) for key in compared_keys)


@contextlib.contextmanager
def report_corruption(*directories: Path) -> Iterator[None]:
    """Convert unexpected exceptions in a `with` block to errors about a corrupt manifest."""
    try:
        with np.errstate(divide="raise", over="raise", invalid="raise"):
            yield
    except CORRUPTION_ERRORS as error:
        if type(error).__module__.startswith("simgin."):
            raise
        manifest_paths = " or ".join(str(directory / MANIFEST_FILE) for directory in directories)
        raise make_corrupt_manifest_error(manifest_paths, describe_error(error)) from error


def make_corrupt_manifest_error(path: Path | str, problem: str) -> CorruptManifestError:
    """Return the error for a corrupt manifest, with its cause and a suggested fix."""
    return CorruptManifestError(
        f"{path} is corrupt ({problem}). Repeat the run in a new directory. To reuse the finished "
        f"deals, copy {ledger.LEDGER_FILE} to the new directory first."
    )


def _is_inner_path(name: object) -> bool:
    """Return True if a value is a valid path of a file inside a directory."""
    if not isinstance(name, str) or not name.isprintable():
        return False
    path = PurePosixPath(name)
    return bool(path.parts) and not path.is_absolute() and ".." not in path.parts


def _iter_files(directory: Path) -> Iterator[str]:
    """Yield the relative paths of all files and links in a directory, without following links."""
    for folder, folders, names in os.walk(directory):
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        for name in (*names, *links):
            yield Path(folder, name).relative_to(directory).as_posix()


def encode_manifest(contents: Mapping[str, Any]) -> bytes:
    """Encode a manifest and its checksum as JSON."""
    entries_with_checksum = {**contents, CHECKSUM_KEY: _compute_checksum(contents)}
    return f"{json.dumps(entries_with_checksum, indent=2, ensure_ascii=False)}\n".encode()


def _compute_checksum(contents: Mapping[str, Any]) -> str:
    """Return the checksum of a manifest's entries.

    Returns:
        32 hexadecimal digits.

    Raises:
        ValueError: If the manifest contains NaN or infinity.
    """
    return hashlib.sha256(json.dumps(contents, allow_nan=False).encode()).hexdigest()[:32]
