"""What is offered to operators in deploy/ uses numbers and labels that there are."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]  # it ships no types

from tests.house.repository import SOURCE, read
from tools.metrics import described

ALERTS = "deploy/prometheus/alerts.yml"
DASHBOARD = "deploy/grafana/chatd.json"
# Of Prometheus itself and of its client library.
FOREIGN = {"up", "process_resident_memory_bytes", "process_cpu_seconds_total"}
FOREIGN_LABELS = {"instance", "job", "le"}
FUNCTIONS = {
    "and", "by", "count", "histogram_quantile", "increase", "max", "on", "rate", "sum", "topk",
}  # fmt: skip
SEVERITIES = {"critical", "warning"}
# Metrics that the dashboard leaves out, each with the reason.
NOT_SHOWN: Mapping[str, str] = {}
ALERTED = {
    "chatd_bus_away",
    "chatd_bus_lag_seconds",
    "chatd_lease_age_seconds",
    "chatd_oldest_call_seconds",
    "chatd_queued_messages",
    "chatd_takeover_seconds_bucket",
    "chatd_viewer_lag_seconds_bucket",
    "chatd_work_waiting_seconds",
}


def rules() -> list[dict[str, Any]]:
    (group,) = yaml.safe_load(read(ALERTS))["groups"]
    found: list[dict[str, Any]] = group["rules"]
    return found


def panels() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(read(DASHBOARD))["panels"]
    return found


def expressions() -> Iterator[str]:
    yield from (rule["expr"] for rule in rules())
    yield from (target["expr"] for panel in panels() for target in panel.get("targets", ()))


def exposed() -> dict[str, tuple[str, ...]]:
    """Every name that Prometheus knows, with its labels."""
    found: dict[str, tuple[str, ...]] = {}
    for each in described():
        endings = ("_bucket", "_sum", "_count") if each.kind == "histogram" else ("",)
        found |= {each.name + ending: each.labels for ending in endings}
    return found


def names_in(expression: str) -> tuple[set[str], set[str]]:
    """The numbers that an expression uses, and the labels."""
    selected = re.findall(r"(\w+)\s*(?:=~|!=|=)\s*\"", expression)
    grouped = [
        label for group in re.findall(r"\b(?:by|on) \(([^)]*)\)", expression) for label in group.split(", ")
    ]
    rest = re.sub(r"\{[^}]*\}|\[[^]]*\]|\b(?:by|on) \([^)]*\)", " ", expression)
    words = set(re.findall(r"[a-zA-Z_]\w*", rest)) - FUNCTIONS
    return words, {*selected, *grouped}


@pytest.mark.parametrize("expression", sorted(set(expressions())))
def test_every_number_and_label_exists(expression: str) -> None:
    known = exposed()
    names, labels = names_in(expression)

    assert names
    assert names - FOREIGN <= set(known)
    assert labels <= FOREIGN_LABELS.union(*(known.get(name, ()) for name in names))


@pytest.mark.parametrize("expression", sorted(set(expressions())))
def test_every_expression_closes_what_it_opens(expression: str) -> None:
    for opening, closing in ("()", "[]", "{}"):
        assert expression.count(opening) == expression.count(closing)


def test_what_is_of_the_whole_database_is_never_added_up() -> None:
    whole = [each.name for each in described() if "of the whole database" in each.meaning.lower()]

    assert len(whole) >= 5
    assert [
        expression
        for expression in expressions()
        for name in whole
        if re.search(rf"\bsum\b[^/]*\b{name}\b", expression)
    ] == []


def test_every_alert_says_what_is_wrong_and_what_to_do() -> None:
    names = [rule["alert"] for rule in rules()]

    assert len(names) == len(set(names))
    for rule in rules():
        assert rule["labels"]["severity"] in SEVERITIES
        assert set(rule["annotations"]) == {"summary", "action"}
        assert set(rule) <= {"alert", "expr", "for", "labels", "annotations"}
        assert re.fullmatch(r"\d+m", rule.get("for", "1m"))


def test_what_an_alert_has_one_look_for_is_there() -> None:
    advice = " ".join(rule["annotations"]["action"] for rule in rules())
    source = "".join(path.read_text(encoding="utf-8") for path in sorted(SOURCE.rglob("*.py")))

    events = set(re.findall(r"\b[a-z_]+\.[a-z_]+\b", advice))
    assert len(events) >= 10
    assert [event for event in sorted(events) if f'"{event}"' not in source] == []
    metrics = set(re.findall(r"\b(?:chatd|process)_[a-z_]+\b", advice))
    assert metrics <= FOREIGN | {each.name for each in described()}
    others = set(re.findall(r"\bChatd[A-Z]\w+", advice))
    assert others <= {rule["alert"] for rule in rules()}


def test_the_example_reads_the_alerts_and_asks_chatd() -> None:
    example = yaml.safe_load(read("deploy/prometheus/prometheus.yml"))

    assert example["rule_files"] == ["alerts.yml"]
    (job,) = example["scrape_configs"]
    assert (job["job_name"], job.get("metrics_path", "/metrics")) == ("chatd", "/metrics")


def test_every_number_of_the_server_is_on_the_dashboard() -> None:
    shown = {
        name
        for panel in panels()
        for target in panel.get("targets", ())
        for name in names_in(target["expr"])[0]
    }

    # A histogram is shown by its buckets.
    missing = {
        each.name
        for each in described()
        if (f"{each.name}_bucket" if each.kind == "histogram" else each.name) not in shown
    }

    assert missing == NOT_SHOWN.keys()


@pytest.mark.parametrize("name", sorted(ALERTED))
def test_what_tells_how_a_fleet_fares_has_an_alert(name: str) -> None:
    assert any(name in names_in(rule["expr"])[0] for rule in rules())


def test_no_two_panels_of_the_dashboard_overlap() -> None:
    cells = [
        (x, y)
        for panel in panels()
        for grid in (panel["gridPos"],)
        for x in range(grid["x"], grid["x"] + grid["w"])
        for y in range(grid["y"], grid["y"] + grid["h"])
    ]

    assert len(cells) == len(set(cells))
    assert max(x for x, _ in cells) < 24
    assert len({panel["id"] for panel in panels()}) == len(panels())
