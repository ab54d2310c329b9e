"""What is in deploy/ agrees with the program: settings and paths that exist, routes that answer."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]  # it ships no types

from chatd.api.routes import ROUTES
from chatd.cli.main import COMMANDS
from chatd.settings.sources import CONFIG_VARIABLE
from chatd.settings.spelling import as_variable
from chatd.settings.values import FIELDS
from tests.install.checkout import ROOT, served

DEPLOY = ROOT / "deploy"
DOCKERFILE = (DEPLOY / "container/Dockerfile").read_text()
UNIT = DEPLOY / "systemd/chatd.service"
VARIABLE = re.compile(r"\bCHATD_[A-Z_]+\b")


def manifests() -> list[dict[str, Any]]:
    return list(yaml.safe_load_all((DEPLOY / "kubernetes/chatd.yaml").read_text()))


def compose() -> dict[str, Any]:
    loaded = yaml.safe_load((DEPLOY / "container/compose.yaml").read_text())
    assert isinstance(loaded, dict)
    return loaded


def instructions(name: str) -> list[str]:
    """Those of the Dockerfile with this name, each on one line."""
    whole = DOCKERFILE.replace("\\\n", " ")
    return [line.partition(" ")[2].strip() for line in whole.splitlines() if line.startswith(f"{name} ")]


@pytest.mark.parametrize("path", sorted(p for p in DEPLOY.rglob("*") if p.is_file()), ids=lambda p: p.name)
def test_every_setting_that_a_file_names_exists(path: Path) -> None:
    known = {CONFIG_VARIABLE, *map(as_variable, FIELDS)}

    assert set(VARIABLE.findall(path.read_text())) - known == set()


def test_everything_that_the_container_is_made_of_is_in_the_repository() -> None:
    copied = [
        source
        for line in instructions("COPY")
        if not line.startswith("--from")
        for source in line.split()[:-1]
    ]

    assert copied
    assert [source for source in copied if not (ROOT / source).exists()] == []


def test_the_container_does_not_run_as_root_and_keeps_its_data_where_the_volume_is() -> None:
    assert instructions("USER") == ["chatd"]
    assert instructions("VOLUME") == ["/data"]
    assert "CHATD_DATA_DIR=/data" in DOCKERFILE


def test_the_container_starts_a_command_that_exists() -> None:
    program, command = json.loads(instructions("CMD")[-1])

    assert program == "chatd"
    assert command in COMMANDS


def test_the_check_of_the_container_tells_a_server_that_lives_from_one_that_does_not(tmp_path: Path) -> None:
    (health,) = instructions("HEALTHCHECK")
    command = json.loads(health.partition("CMD ")[2])
    command[0] = shutil.which("python3") or command[0]
    (tmp_path / "home").mkdir()
    start = [sys.executable, "-m", "chatd", "serve", "--port", "0", "--data-dir", "data"]
    with served(start, tmp_path, {"PYTHONPATH": str(ROOT / "src")}) as (address, _):
        port = address.rpartition(":")[2].strip("/")
        while_it_lives = subprocess.run(command, env={"CHATD_PORT": port}, check=False, capture_output=True)
    afterwards = subprocess.run(command, env={"CHATD_PORT": port}, check=False, capture_output=True)

    assert (while_it_lives.returncode, afterwards.returncode != 0) == (0, True)


def test_compose_refuses_to_start_without_its_secrets_and_listens_on_this_machine_alone() -> None:
    chatd = compose()["services"]["chatd"]

    assert all(":?" in chatd["environment"][name] for name in ("CHATD_ADMIN_TOKEN", "CHATD_SECRET_KEY"))
    assert all(port.startswith("127.0.0.1:") for port in chatd["ports"])
    assert (
        (DEPLOY / "container" / chatd["build"]["context"] / chatd["build"]["dockerfile"]).resolve().exists()
    )


def test_the_probes_of_kubernetes_ask_routes_that_the_server_has() -> None:
    deployment = manifests()[0]
    container = deployment["spec"]["template"]["spec"]["containers"][0]
    asked = {name: container[name]["httpGet"]["path"] for name in container if name.endswith("Probe")}

    assert asked == {"startupProbe": "/healthz", "readinessProbe": "/readyz", "livenessProbe": "/healthz"}
    assert set(asked.values()) <= {route.path for route in ROUTES}


def test_the_service_of_kubernetes_finds_its_pods() -> None:
    deployment, service, budget = manifests()
    labels = deployment["spec"]["template"]["metadata"]["labels"]

    assert service["spec"]["selector"] == labels
    assert budget["spec"]["selector"]["matchLabels"] == labels
    assert deployment["spec"]["selector"]["matchLabels"] == labels


def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("there is no systemd on this machine")
    # The program is looked for, and is elsewhere here.
    unit = tmp_path / "chatd.service"
    unit.write_text(UNIT.read_text().replace("/opt/chatd/bin/chatd", shutil.which("true") or "/bin/true"))

    checked = subprocess.run([analyze, "verify", str(unit)], capture_output=True, text=True, check=False)

    assert [line for line in checked.stderr.splitlines() if "chatd.service" in line] == []
