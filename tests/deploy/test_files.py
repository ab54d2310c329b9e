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
from chatd.app.serve import STOP_SECONDS
from chatd.cli.main import MISUSED
from chatd.settings import load
from chatd.settings.sources import CONFIG_VARIABLE
from chatd.settings.spelling import as_variable
from chatd.settings.values import FIELDS
from tests.deploy.dockerfile import instructions
from tests.install.checkout import ROOT, served

DEPLOY = ROOT / "deploy"
UNIT = DEPLOY / "systemd/chatd.service"
VARIABLE = re.compile(r"\bCHATD_[A-Z_]+\b")


def manifests() -> list[dict[str, Any]]:
    return list(yaml.safe_load_all((DEPLOY / "kubernetes/chatd.yaml").read_text()))


def compose() -> dict[str, Any]:
    loaded = yaml.safe_load((DEPLOY / "container/compose.yaml").read_text())
    assert isinstance(loaded, dict)
    return loaded


@pytest.mark.parametrize("path", sorted(p for p in DEPLOY.rglob("*") if p.is_file()), ids=lambda p: p.name)
def test_every_setting_that_a_file_names_exists(path: Path) -> None:
    known = {CONFIG_VARIABLE, *map(as_variable, FIELDS)}

    assert set(VARIABLE.findall(path.read_text())) - known == set()


def test_the_check_of_the_container_tells_a_server_that_lives_from_one_that_does_not(tmp_path: Path) -> None:
    (health,) = (rest for name, rest in instructions() if name == "HEALTHCHECK")
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


def in_the_unit(name: str) -> list[str]:
    lines = (line.partition("=") for line in UNIT.read_text().splitlines())
    return [value for key, _, value in lines if key == name]


def test_the_unit_starts_without_a_settings_file_and_reads_the_one_in_etc(tmp_path: Path) -> None:
    environment = dict(each.split("=", 1) for each in in_the_unit("Environment"))
    assert environment["XDG_CONFIG_HOME"] == "/etc"
    # Another /etc, in which there is nothing at first.
    environment["XDG_CONFIG_HOME"] = str(tmp_path)

    without = load(flags={}, environment=environment, directory=tmp_path)
    (tmp_path / "chatd").mkdir()
    (tmp_path / "chatd/chatd.toml").write_text("port = 8001\n")
    with_it = load(flags={}, environment=environment, directory=tmp_path)

    assert (without.port, with_it.port) == (8787, 8001)


def test_the_unit_is_started_again_unless_its_settings_are_wrong() -> None:
    assert in_the_unit("Restart") == ["always"]
    # systemd would give up after five tries within ten seconds.
    assert in_the_unit("StartLimitIntervalSec") == ["0"]
    assert in_the_unit("RestartPreventExitStatus") == [str(MISUSED)]


@pytest.mark.parametrize("option", ["ProtectKernelTunables", "ProcSubset", "RestrictNamespaces"])
def test_the_unit_leaves_out_what_keeps_bubblewrap_from_making_a_sandbox(option: str) -> None:
    assert in_the_unit(option) == []


def test_everything_that_stops_a_server_waits_longer_than_a_stop_can_take() -> None:
    pod = manifests()[0]["spec"]["template"]["spec"]
    _, seconds_before = pod["containers"][0]["lifecycle"]["preStop"]["exec"]["command"]

    assert float(in_the_unit("TimeoutStopSec")[0]) > STOP_SECONDS
    assert float(compose()["services"]["chatd"]["stop_grace_period"].removesuffix("s")) > STOP_SECONDS
    assert pod["terminationGracePeriodSeconds"] > float(seconds_before) + STOP_SECONDS


def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("there is no systemd on this machine")
    # The program is looked for, and is elsewhere here.
    unit = tmp_path / "chatd.service"
    unit.write_text(UNIT.read_text().replace("/opt/chatd/bin/chatd", shutil.which("true") or "/bin/true"))

    checked = subprocess.run([analyze, "verify", str(unit)], capture_output=True, text=True, check=False)

    assert [line for line in checked.stderr.splitlines() if "chatd.service" in line] == []
