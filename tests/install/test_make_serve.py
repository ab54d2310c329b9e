"""`make serve` in a fresh checkout, with Node.js and without it."""

import json
import shutil
from pathlib import Path

import pytest

from tests.install.checkout import ROOT, environment, fetched, fresh_checkout, make, path_with, served

SERVE = make("serve", "ARGS=--port 0 --data-dir data")
MODULES = ROOT / "web" / "node_modules"
# What the Makefile and the shell scripts of npm look for.
BASICS = ("bash", "find", "make", "sh", "touch")


def test_without_node_the_api_is_served_and_one_sentence_says_how_to_get_the_page(tmp_path: Path) -> None:
    checkout = fresh_checkout(tmp_path)
    no_node = {"PATH": path_with(tmp_path / "programs", *BASICS)}
    assert shutil.which("node", path=environment(checkout, no_node)["PATH"]) is None

    with served(SERVE, checkout, no_node) as (address, said):
        # All else is the log.
        (told,) = (line for line in said.splitlines() if not line.startswith("{"))
        assert told == (
            "The API is served without the web page, which needs Node.js 20.19 or newer with npm: "
            "install it, and run make serve again."
        )
        assert json.loads(fetched(f"{address}/healthz")) == {"status": "ok"}
        assert "install Node.js 20.19 or newer and run `make serve`" in fetched(address)


def test_with_node_the_page_is_built_before_it_is_served(tmp_path: Path) -> None:
    if shutil.which("npm") is None or not MODULES.exists():
        pytest.skip("there is no Node.js, or nothing that the page is made with: run `make page`")
    checkout = fresh_checkout(tmp_path)
    # As `npm ci` would install them from the internet.
    (checkout / "web" / "node_modules").symlink_to(MODULES)
    node = {"PATH": path_with(tmp_path / "programs", *BASICS, "node", "npm")}

    with served(SERVE, checkout, node) as (address, said):
        assert "web page" not in said
        assert '<div id="root">' in fetched(address)
