"""What the Dockerfile builds, as far as a machine without Docker can tell: its stages are played here."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from tests.deploy.dockerfile import Stage, copy, instructions, is_sent, stages
from tests.install.checkout import ROOT

MODULES = ROOT / "web" / "node_modules"
# Where the wheel is put, which no test may.
DIST = "/dist"
# What would be fetched from the internet. Here it is there already.
FETCHES = ("npm ", "pip ", "apt-get ")


@pytest.mark.parametrize(
    "path",
    [
        ".git/config",
        ".venv/bin/python",
        "build/site/index.html",
        "src/chatd/__pycache__/errors.cpython-311.pyc",
        "src/chatd/web/index.html",
        "tests/words.py",
        "web/node_modules/vite/package.json",
    ],
)
def test_what_was_installed_or_built_on_this_machine_is_not_sent_to_the_build(path: str) -> None:
    assert not is_sent(path)


def test_everything_that_is_copied_is_sent_to_the_build() -> None:
    copied = [
        source
        for instruction in instructions()
        if instruction.name == "COPY" and not instruction.rest.startswith("--from")
        for source in instruction.rest.split()[:-1]
    ]

    assert copied
    assert [source for source in copied if not (ROOT / source).exists() or not is_sent(source)] == []


def test_the_stages_build_a_wheel_that_has_the_page(tmp_path: Path) -> None:
    if shutil.which("node") is None or not MODULES.exists():
        pytest.skip("there is no Node.js, or nothing that the page is made with: run `make page`")
    page, wheel, _ = stages()
    roots = {page.name: tmp_path / page.name}

    built = play(page, tmp_path, roots)
    played = play(wheel, tmp_path, {**roots, wheel.name: tmp_path / wheel.name})

    assert (len(built), len(played)) == (1, 1)
    (made,) = (tmp_path / "dist").glob("*.whl")
    with zipfile.ZipFile(made) as packed:
        assert {"chatd/web/index.html", "chatd/web/docs.html", "chatd/cli/main.py"} <= set(packed.namelist())


def play(stage: Stage, directory: Path, roots: dict[str, Path]) -> list[str]:
    """Copy and run what the stage says. Returns the commands that ran."""
    ran: list[str] = []
    here = root = roots[stage.name]
    for name, rest in stage.instructions:
        if name == "WORKDIR":
            here = root / rest.lstrip("/")
            here.mkdir(parents=True, exist_ok=True)
        elif name == "COPY":
            copy(rest, here, roots)
        elif name == "RUN" and any(program in rest for program in FETCHES):
            if "npm " in rest:
                (here / "web" / "node_modules").symlink_to(MODULES)
        elif name == "RUN":
            run(rest.replace(DIST, str(directory / "dist")), here)
            ran.append(rest)
    return ran


def run(command: str, directory: Path) -> None:
    ours = command.replace("python ", f"{sys.executable} ", 1)
    path = {"PATH": os.environ["PATH"]}
    done = subprocess.run(
        ["/bin/sh", "-c", ours], cwd=directory, env=path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{ours}: {done.stderr}"


def test_every_extra_of_the_container_exists_and_is_pinned() -> None:
    (extras,) = (rest.removeprefix("EXTRAS=").split(",") for name, rest in instructions() if name == "ARG")
    offered = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    pinned = (ROOT / "constraints/runtime.txt").read_text().splitlines()

    wanted = {re.split(r"[\[><=]", each)[0] for extra in extras for each in offered[extra]}

    assert {"argon2-cffi", "opentelemetry-sdk", "pyjwt"} <= wanted
    assert wanted <= {line.partition("==")[0] for line in pinned}


def test_the_container_is_not_root_by_number_and_keeps_its_data_where_the_volume_is() -> None:
    told = instructions()
    (user,) = (rest for name, rest in told if name == "USER")
    (volume,) = (rest for name, rest in told if name == "VOLUME")
    run = " ".join(rest for name, rest in told if name in ("RUN", "ENV"))

    assert (int(user) > 0, volume) == (True, "/data")
    assert {f"--uid {user}", "CHATD_DATA_DIR=/data"} <= set(re.findall(r"--uid \d+|CHATD_DATA_DIR=\S+", run))


def test_the_container_starts_chatd_itself_so_that_it_hears_the_signal_to_stop() -> None:
    commands = [rest for name, rest in instructions() if name in ("CMD", "ENTRYPOINT")]

    assert [json.loads(command) for command in commands] == [["chatd", "serve"]]
