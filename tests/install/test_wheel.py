"""The wheel: it has the web page, and cannot be built without it by mistake."""

import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.install.checkout import ROOT, environment, fetched, fresh_checkout, make, path_with, served

PAGE = ROOT / "src" / "chatd" / "web"
NOTHING: Mapping[str, str] = {}


def build(
    source: Path, directory: Path, *, target: str = "wheel", more: Mapping[str, str] = NOTHING
) -> subprocess.CompletedProcess[str]:
    """As pip and other tools do it that know nothing of our Makefile."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", str(directory)]
    return subprocess.run(
        command, cwd=source, capture_output=True, text=True, check=False, env=environment(source, more)
    )


def names_in(directory: Path) -> set[str]:
    (wheel,) = directory.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        return set(packed.namelist())


def test_a_server_that_was_unpacked_from_the_wheel_serves_the_whole_page(tmp_path: Path) -> None:
    if not PAGE.exists():
        pytest.skip("the web page is not built: run `make page`, which needs Node.js 20")
    built = build(ROOT, tmp_path / "dist")
    assert built.returncode == 0, built.stderr
    unpacked = tmp_path / "src"
    (tmp_path / "home").mkdir()
    with zipfile.ZipFile(next((tmp_path / "dist").glob("*.whl"))) as packed:
        packed.extractall(unpacked)

    assert contents(unpacked / "chatd" / "web") == contents(PAGE)
    command = [sys.executable, "-m", "chatd", "serve", "--port", "0", "--data-dir", "data"]
    with served(command, tmp_path, {}) as (address, _):
        assert fetched(address) == (PAGE / "index.html").read_text()
        assert "API of chatd" in fetched(f"{address}/api/docs")


def contents(directory: Path) -> dict[str, bytes]:
    files = (path for path in directory.rglob("*") if path.is_file())
    return {path.relative_to(directory).as_posix(): path.read_bytes() for path in files}


def test_where_the_page_is_not_built_no_wheel_is_built_and_it_is_said_how(tmp_path: Path) -> None:
    checkout = fresh_checkout(tmp_path)

    refused = build(checkout, tmp_path / "dist")

    assert refused.returncode != 0
    assert "The web page is not built: run `make wheel`" in refused.stderr
    assert list((tmp_path / "dist").glob("*.whl")) == []


def test_make_wheel_without_node_says_that_it_is_needed(tmp_path: Path) -> None:
    checkout = fresh_checkout(tmp_path)
    no_node = {"PATH": path_with(tmp_path / "programs", "bash", "find", "make")}

    refused = subprocess.run(
        make("wheel"),
        cwd=checkout,
        capture_output=True,
        text=True,
        check=False,
        env=environment(checkout, no_node),
    )

    assert refused.returncode != 0
    assert refused.stderr.startswith("The web page needs Node.js 20.19 or newer")


def test_a_wheel_without_the_page_has_to_be_asked_for(tmp_path: Path) -> None:
    checkout = fresh_checkout(tmp_path)

    built = build(checkout, tmp_path / "dist", more={"CHATD_BUILD_WITHOUT_PAGE": "1"})

    assert built.returncode == 0, built.stderr
    assert "chatd/app/browsers.py" in names_in(tmp_path / "dist")


def test_an_installation_that_points_at_a_checkout_needs_no_page(tmp_path: Path) -> None:
    checkout = fresh_checkout(tmp_path)

    built = build(checkout, tmp_path / "dist", target="wheel:editable")

    assert built.returncode == 0, built.stderr
