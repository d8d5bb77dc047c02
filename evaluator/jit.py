"""The one place where numba is configured: every compiled function is a ``@kernel``."""

import hashlib
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import numba
import platformdirs
from numba.core import cgutils, types
from numba.core.event import Listener, install_listener
from numba.core.options import DefaultOptions
from numba.extending import intrinsic, register_jitable

_F = TypeVar("_F", bound=Callable[..., Any])
_OPTIONS: Final[dict[str, Any]] = {
    "nogil": True,  # joblib's threads own all parallelism
    "error_model": "numpy",  # no branch for division by zero in every quotient
    "no_cfunc_wrapper": True,  # nothing calls kernels from C; a twentieth of the compile time
}
# Arrays come from Python, which keeps them for as long as a kernel runs: without counting the
# references to them compiling and running take a tenth less. What would have to is refused.
# The option is an internal one, so where numba does not have it references are counted.
_COUNTS: Final = ("_nrt",) if hasattr(DefaultOptions, "_nrt") else ()
_OPTIONS.update(dict.fromkeys(_COUNTS, False))
_HAS_KERNELS: Final = re.compile(rb"^@(?:kernel|inlined|merged|part|allocating)\b", re.MULTILINE)
_IMPORTS: Final = re.compile(rb"^ *from ((?:evaluator|solver)\.\w+) import", re.MULTILINE)
_KEEP_SECONDS: Final = 30 * 24 * 3600


def _fingerprint() -> str:
    """Hash everything that compiled code depends on.

    numba notices edits only in the file that defines a function; a changed helper or table in
    another file would silently go on giving old results. So every module of both packages counts
    that has a kernel or that such a module imports, however far away.
    """
    digest = hashlib.sha256()
    root = Path(__file__).resolve().parents[1]
    sources = {
        f"{package}.{path.stem}".encode(): path.read_bytes()
        for package in ("evaluator", "solver")
        for path in (root / package).glob("*.py")
    }
    wanted = {module for module, text in sources.items() if _HAS_KERNELS.search(text)}
    waiting = list(wanted)
    while waiting:
        imported = set(_IMPORTS.findall(sources[waiting.pop()])) & set(sources) - wanted
        wanted |= imported
        waiting += imported
    for module in sorted(wanted):
        digest.update(module + b"\0" + sources[module])
    flags = sorted((k, v) for k, v in os.environ.items() if k.startswith("NUMBA_"))
    digest.update(repr((numba.__version__, flags, sorted(_OPTIONS.items()))).encode())
    return digest.hexdigest()[:16]


def _choose_cache() -> Path | None:
    """Return the directory for compiled code, or None where nothing can be written.

    Left to itself numba would then write beside the sources, where a stale cache goes unnoticed.
    """
    kernels = platformdirs.user_cache_path("capsa") / "kernels"
    given = os.environ.get("NUMBA_CACHE_DIR")
    directory = Path(given) if given else kernels / _fingerprint()
    try:
        directory.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=directory).close()
    except OSError:
        return None
    with suppress(OSError):  # another process may be pruning as well
        os.utime(directory)
        for old in kernels.iterdir():
            if old != directory and time.time() - old.stat().st_mtime > _KEEP_SECONDS:
                shutil.rmtree(old, ignore_errors=True)
    return directory


CACHE_DIR: Final[Path | None] = _choose_cache()
if CACHE_DIR is not None:
    numba.config.CACHE_DIR = str(CACHE_DIR)


class _Once(Listener):  # type: ignore[misc]
    """Calls a function at the first event."""

    def __init__(self, tell: Callable[[], None]) -> None:
        self._waiting = [tell]

    def on_start(self, _event: Any) -> None:
        while self._waiting:
            self._waiting.pop()()

    def on_end(self, _event: Any) -> None:
        pass


def when_compiling(tell: Callable[[], None]) -> AbstractContextManager[None]:
    """Call a function as soon as something has to be compiled that is not in the cache, but once.

    >>> with when_compiling(lambda: print("compiling")):
    ...     numba.njit(lambda: 1)()
    compiling
    1
    """
    return cast(AbstractContextManager[None], install_listener("numba:compile", _Once(tell)))


def kernel(function: _F) -> _F:
    """Compile a function of integers and arrays with the project's numba options."""
    return cast(_F, numba.njit(cache=CACHE_DIR is not None, **_OPTIONS)(function))


def merged(function: _F) -> _F:
    """Compile only as a part of its callers: spares compiling what one kernel calls once."""
    options = {**_OPTIONS, "inline": "always"}
    return cast(_F, numba.njit(cache=CACHE_DIR is not None, **options)(function))


def part(function: _F) -> _F:
    """Compile for kernels to call and not for Python, which saves half of the compile time.

    Python runs the function as it stands, not compiled.
    """
    return cast(_F, register_jitable(cache=CACHE_DIR is not None, **_OPTIONS)(function))


def allocating(function: _F) -> _F:
    """Compile a `part` that makes arrays for itself."""
    options = _OPTIONS | dict.fromkeys(_COUNTS, True)
    return cast(_F, register_jitable(cache=CACHE_DIR is not None, **options)(function))


def inlined(function: _F) -> _F:
    """Compile like a `part`, into the body of every caller, so that loops around it vectorise."""
    options = {**_OPTIONS, "forceinline": True}
    return cast(_F, register_jitable(cache=CACHE_DIR is not None, **options)(function))


@intrinsic  # type: ignore[untyped-decorator]
def lowest_bit(_context: Any, word: Any) -> Any:
    """Return the position of the lowest set bit of an int64, 64 for none."""

    def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], cgutils.false_bit)

    return types.int64(types.int64), codegen


@intrinsic  # type: ignore[untyped-decorator]
def count_bits(_context: Any, word: Any) -> Any:
    """Return how many bits of an int64 are set."""

    def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), codegen
