"""Recent deals of `simgin play`, which are saved so that `simgin grade --last` can read them."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime
from pathlib import Path

from simgin.text.files import parse_json, read_text, write_file
from simgin.text.messages import SimginError
from simgin.text.user_data import find_user_data_directory

MAX_SAVED_DEALS = 100  # maximum number of stored deals; older deals are deleted
DEAL_FILE_PATTERN = "deal-*.json"  # simgin does not change other files in the directory.


class NoSavedDealsError(SimginError):
    """Error raised if the directory of saved deals is empty."""


def get_deals_directory() -> Path:
    """Return the directory in which finished deals are saved."""
    return find_user_data_directory() / "deals"


def save_deal(content: bytes) -> None:
    """Save a finished deal, and delete the oldest deals if there are too many.

    Raises:
        OSError: If the deal cannot be written.
    """
    folder = get_deals_directory()
    write_file(folder / f"deal-{datetime.now(UTC):%Y%m%d-%H%M%S-%f}.json", content)
    for path in sorted(folder.glob(DEAL_FILE_PATTERN))[:-MAX_SAVED_DEALS]:
        with contextlib.suppress(OSError):
            path.unlink()


def find_last_deals(n_deals: int) -> list[str]:
    """Return the files of the most recent deals, all of the same variant, oldest first.

    Raises:
        NoSavedDealsError: If the directory does not contain any deals.
    """
    folder = get_deals_directory()
    paths = sorted(folder.glob(DEAL_FILE_PATTERN), reverse=True)
    variants = {str(path): variant for path in paths if (variant := _read_variant_spec(path))}
    if not variants:
        raise NoSavedDealsError(f"{folder} contains no deals. To play a deal, run `simgin play`.")
    latest_variant = next(iter(variants.values()))
    return [path for path, variant in variants.items() if variant == latest_variant][:n_deals][::-1]


def _read_variant_spec(path: Path) -> str:
    """Return the variant spec of a saved deal, or "" if the file is corrupt."""
    try:
        return str(parse_json(read_text(path))["rows"][0]["variant"])
    except (OSError, ValueError, LookupError, TypeError):
        return ""
