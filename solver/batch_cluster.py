"""The machines of a Dask cluster as joblib's workers."""

import logging
import platform
import warnings
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any, Final

from joblib import parallel_config

from solver import __version__
from solver.batch_files import BatchError

_SECONDS: Final = 10  # to wait for a scheduler, and for the first worker
_PACKAGES: Final = ("distributed", "joblib", "numba", "numpy")


def versions() -> dict[str, str]:
    """Return what a client and its workers must have in common."""
    python = ".".join(platform.python_version_tuple()[:2])
    return {"capsa": __version__, "python": python, **{name: version(name) for name in _PACKAGES}}


@contextmanager
def connected(address: str, shared: object) -> Iterator[None]:
    """Let joblib work on a cluster.

    Parameters
    ----------
    address
        The scheduler's, such as ``tcp://10.0.0.1:8786``.
    shared
        Sent to all workers at the start, as most tasks have it for an argument.

    Raises
    ------
    BatchError
        If there is no such cluster, its versions are others, or it is lost.
    """
    try:
        from distributed import Client, KilledWorker
        from distributed.comm.core import CommClosedError
    except ImportError:
        raise BatchError("--cluster needs Dask: pip install 'capsa-susun[cluster]'") from None
    for logger in ("distributed", "distributed.client", "tornado.application"):
        logging.getLogger(logger).setLevel(logging.CRITICAL)  # what they tell is told below
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # versions are compared below
            client = Client(address, timeout=_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise BatchError(f"{address}: no Dask scheduler answers: {error}") from None
    try:
        _check_workers(client, address)
        with parallel_config(backend="dask", client=client, scatter=[shared]):
            yield
    except KilledWorker as error:
        raise BatchError(f"{address}: the same rows have ended several workers: {error}") from None
    except TimeoutError:
        raise BatchError(f"{address}: the cluster has had no worker for {_SECONDS} s") from None
    except (CancelledError, CommClosedError, ConnectionError):
        raise BatchError(f"{address}: the Dask scheduler is lost") from None
    finally:
        client.close(timeout=1)


def _check_workers(client: Any, address: str) -> None:
    client.wait_for_workers(1, timeout=_SECONDS)
    ours = versions()
    for worker, theirs in client.run(versions, on_error="return").items():
        if isinstance(theirs, Exception):
            raise BatchError(f"{address}: capsa does not run on the worker {worker}: {theirs}")
        differing = [
            f"{name} {theirs.get(name)} there, {ours[name]} here"
            for name in ours
            if theirs.get(name) != ours[name]
        ]
        if differing:
            raise BatchError(
                f"{address}: the worker {worker} has other versions: {'; '.join(differing)}"
            )
