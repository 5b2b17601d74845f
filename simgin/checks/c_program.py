"""C program that plays the first matchup of the benchmark, for comparison with the engine.

The program is a reference for the speed of the engine. It is available only in a checkout, and only
if a C compiler is installed.
"""

import ctypes
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from simgin.core import batch_columns, batch_kernel
from simgin.core.jit import PACKAGE_DIRECTORY
from simgin.text.messages import print_status

SOURCE_FILE = PACKAGE_DIRECTORY.parent / "benchmarks" / "full.c"
COMPILER_OPTIONS = ("-O3", "-march=native", "-shared", "-fPIC")
BATCH_SIZE = batch_columns.DEAL_BATCH_SIZE


def compile_c_program() -> Callable[[int, int], np.ndarray] | None:
    """Compile the C program, and return a function that plays deals, or None on failure.

    The arguments of the function are the seed and the number of deals. The function returns batch
    rows, which are identical to those of the engine. If there is a compiler, but it cannot be run
    or reports an error, simgin prints the error.
    """
    compiler = shlex.split(os.environ.get("CC") or shutil.which("cc") or "")
    if not compiler or not SOURCE_FILE.exists():
        return None
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder, "full.so")
        Path(folder, "columns.h").write_text(_format_header())
        command = [
            *compiler,
            *COMPILER_OPTIONS,
            f"-I{folder}",
            str(SOURCE_FILE),
            "-o",
            str(library),
        ]
        try:
            subprocess.run(command, check=True, capture_output=True, text=True)
            play = ctypes.CDLL(str(library)).play
        except OSError as error:
            print_status(
                f"warning: the C program cannot be compiled and loaded ({error}). Set the "
                "environment variable CC to a C compiler."
            )
            return None
        except subprocess.CalledProcessError as error:
            print_status(f"warning: {shlex.join(command)} failed:\n{error.stderr}")
            return None
    play.argtypes = (ctypes.c_uint64, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)

    def play_deals(seed: int, n_deals: int) -> np.ndarray:
        rows = np.zeros((-(-n_deals // BATCH_SIZE), batch_columns.N_COLUMNS), np.int64)
        if play(seed, 0, n_deals, rows.ctypes.data):
            raise MemoryError
        return rows

    return play_deals


def _format_header() -> str:
    """Return a C header that defines the columns of batch rows."""
    macro_values = {
        name: number
        for name, number in vars(batch_columns).items()
        if isinstance(number, int) and name.isupper()
    }
    macro_values |= {f"STAT_{name}": index for name, index in batch_columns.STATISTIC_INDEX.items()}
    statistics = batch_kernel.NOT_PER_DEAL_STAT_INDICES[
        : batch_kernel.N_NOT_PER_DEAL_NON_MATCH_STATS
    ]
    macro_lists = {
        "DENOMINATORS": batch_columns.DENOMINATOR_INDICES,
        "STATISTICS_NOT_PER_DEAL": statistics,
    }
    definitions = [f"#define {name} {number}\n" for name, number in macro_values.items()]
    definitions += [
        f"#define {name} {','.join(map(str, numbers))}\n" for name, numbers in macro_lists.items()
    ]
    return "".join(definitions)
