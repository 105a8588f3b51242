"""What the figures depend on: processor, threads, versions, and the kernels of the linear algebra."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

LIBRARIES = ("numpy", "scipy", "torch", "jax", "jaxlib", "autograd", "micrograd", "sympy")
# Settings for one library's threads or for the kernels it picks. What a shell happens to have set would change one
# contender and not the other, so a worker starts without any of them and gets its number of threads from here.
TUNING = ("OMP_", "GOMP_", "KMP_", "OPENBLAS_", "GOTO_", "BLIS_", "MKL_", "VECLIB_", "DNNL_", "ONEDNN_", "XLA_", "JAX_")


def worker_environment(threads: int) -> dict[str, str]:
    """The environment of a worker: this one without any tuning, and with a number of threads for every library."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith(TUNING)}
    counts = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), str(threads))
    eigen = "true" if threads > 1 else "false"
    flags = f"--xla_cpu_multi_thread_eigen={eigen} intra_op_parallelism_threads={threads}"
    return {**plain, **counts, "XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu"}


def keep_to_cores(process: int, threads: int) -> None:
    """Lets a process run on so many cores only, where the system can: XLA has threads that no setting reaches."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(process, sorted(os.sched_getaffinity(0))[:threads])


def linear_algebra() -> list[str]:
    """The linear algebra and thread libraries this process has loaded: "openblas 0.3.30 SkylakeX, 1 thread"."""
    try:
        from threadpoolctl import threadpool_info
    except ModuleNotFoundError:
        return ["unknown: threadpoolctl is not installed"]
    return sorted({" ".join(_described(pool)) for pool in threadpool_info()})


def _described(pool: dict[str, object]) -> Iterator[str]:
    yield str(pool["internal_api"])
    yield from (str(pool[key]) for key in ("version", "architecture") if pool.get(key))
    yield f"({pool['num_threads']} threads)"


def describe() -> dict[str, object]:
    """The machine and what is installed on it."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "versions": dict(_versions()),
    }


def load() -> float:
    """How many processes wanted a core in the last minute."""
    return os.getloadavg()[0]


def _processor() -> str:
    """The model's name, as far as the system tells."""
    information = Path("/proc/cpuinfo")
    lines = information.read_text().splitlines() if information.exists() else []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or "unknown")


def _versions() -> Iterator[tuple[str, str]]:
    for name in LIBRARIES:
        try:
            yield name, version(name)
        except PackageNotFoundError:
            yield name, "not installed"
