"""The dashboard for Grafana, as a table of panels: most of what Grafana wants is the same for each."""

import json
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

COLUMNS, WIDTH, HEIGHT = 24, 8, 7
SOURCE = {"type": "prometheus", "uid": "${source}"}
# Servers that are looked at; and the time over which a rate is taken, which Grafana fits to the width.
HERE = 'instance=~"$instance"'
PER = f"{{{HERE}}}[$__rate_interval]"


class Panel(Struct, frozen=True, kw_only=True):
    title: str
    # What each line says, and what it is called.
    lines: Sequence[tuple[str, str]]
    unit: str = "short"


def rate(name: str, *by: str) -> str:
    return f"sum by ({', '.join(by)}) (rate({name}{PER}))"


def quantile(share: float, name: str, *by: str) -> str:
    return f"histogram_quantile({share}, {rate(name + '_bucket', 'le', *by)})"


def quantiles(name: str, *by: str) -> list[tuple[str, str]]:
    named = "".join(f" {{{{{label}}}}}" for label in by)
    return [(quantile(share, name, *by), f"p{share * 100:.0f}{named}") for share in (0.5, 0.99)]


def highest(name: str, *by: str) -> str:
    """Of the whole database: every server tells the same."""
    return f"max by ({', '.join(by)}) ({name}{{{HERE}}})" if by else f"max({name}{{{HERE}}})"


def total(name: str, *by: str) -> str:
    return f"sum by ({', '.join(by)}) ({name}{{{HERE}}})"


ROWS: Sequence[tuple[str, Sequence[Panel]]] = (
    (
        "Agents",
        (
            Panel(
                title="Turns per second, by how they ended",
                lines=[(rate("chatd_turns_total", "outcome"), "{{outcome}}")],
            ),
            Panel(title="Time to the first word", lines=quantiles("chatd_ttft_seconds", "model"), unit="s"),
            Panel(title="Chats that are driven", lines=[(total("chatd_chats", "state"), "{{state}}")]),
            Panel(
                title="Calls that are made again, by kind",
                lines=[(rate("chatd_stream_retries_total", "provider", "kind"), "{{provider}} {{kind}}")],
            ),
            Panel(
                title="Slots",
                lines=[
                    (total("chatd_agents_active", "pool"), "taken, {{pool}}"),
                    (total("chatd_agents_queued_for_capacity", "pool"), "waiting, {{pool}}"),
                ],
            ),
            Panel(
                title="Errors of tools per second",
                lines=[(rate("chatd_tool_errors_total", "tool_name"), "{{tool_name}}")],
            ),
        ),
    ),
    (
        "Tokens and costs",
        (
            Panel(title="Tokens per second", lines=[(rate("chatd_tokens_total", "kind"), "{{kind}}")]),
            Panel(
                title="Costs per hour",
                lines=[
                    (
                        f"3600 * {rate('chatd_cost_micros_total', 'provider', 'model')} / 1000000",
                        "{{provider}}/{{model}}",
                    )
                ],
            ),
            Panel(title="Size of prompts", lines=quantiles("chatd_prompt_size_bytes"), unit="bytes"),
        ),
    ),
    (
        "Work and leases, of the whole database",
        (
            Panel(
                title="Chats that have work to do",
                lines=[(highest("chatd_work_chats", "state"), "{{state}}")],
            ),
            Panel(
                title="Longest wait for a worker",
                lines=[(highest("chatd_work_waiting_seconds"), "wait")],
                unit="s",
            ),
            Panel(
                title="Quietest worker",
                lines=[(highest("chatd_lease_age_seconds"), "last sign of life")],
                unit="s",
            ),
            Panel(title="Unanswered calls, by state", lines=[(highest("chatd_calls", "state"), "{{state}}")]),
            Panel(title="Messages in queues", lines=[(highest("chatd_queued_messages"), "waiting")]),
            Panel(
                title="Takeovers",
                lines=[
                    (f"sum by (worker) (increase(chatd_takeovers_total{PER}))", "from one that is {{worker}}")
                ],
            ),
            Panel(
                title="Time until a chat is taken over",
                lines=quantiles("chatd_takeover_seconds"),
                unit="s",
            ),
        ),
    ),
    (
        "Viewers and requests",
        (
            Panel(title="Viewers", lines=[(total("chatd_viewers", "of", "over"), "{{of}} over {{over}}")]),
            Panel(title="How far viewers lag behind", lines=quantiles("chatd_viewer_lag_seconds"), unit="s"),
            Panel(
                title="Memory of replies",
                lines=[
                    (total("chatd_episode_bytes", "state"), "for viewers, {{state}}"),
                    (total("chatd_reply_bytes", "instance"), "until saved, {{instance}}"),
                ],
                unit="bytes",
            ),
            Panel(
                title="Requests per second, by status",
                lines=[(rate("chatd_http_requests_total", "status"), "{{status}}")],
            ),
            Panel(
                title="Time to the answer",
                lines=[(quantile(0.99, "chatd_http_request_seconds", "status"), "99 % {{status}}")],
                unit="s",
            ),
            Panel(
                title="Slowest routes",
                lines=[
                    (
                        f"topk(5, {quantile(0.99, 'chatd_http_request_seconds', 'route')})",
                        "{{route}}",
                    )
                ],
                unit="s",
            ),
        ),
    ),
    (
        "Database and process",
        (
            Panel(
                title="Connections to the database",
                lines=[
                    (total("chatd_database_connections", "instance", "state"), "{{instance}} {{state}}"),
                    (total("chatd_database_transactions_waiting", "instance"), "{{instance}} waiting"),
                ],
            ),
            Panel(title="Waits for a connection", lines=quantiles("chatd_database_wait_seconds"), unit="s"),
            Panel(
                title="Transactions that fail per second",
                lines=[(rate("chatd_database_failures_total", "kind"), "{{kind}}")],
            ),
            Panel(
                title="Memory",
                lines=[
                    (
                        f"process_resident_memory_bytes{{{HERE}}} and on (instance) chatd_build_info",
                        "{{instance}}",
                    )
                ],
                unit="bytes",
            ),
            Panel(
                title="CPU",
                lines=[
                    (
                        f"rate(process_cpu_seconds_total{PER}) and on (instance) chatd_build_info",
                        "{{instance}}",
                    )
                ],
                unit="percentunit",
            ),
            Panel(
                title="What runs",
                lines=[("count by (version, database) (chatd_build_info)", "{{version}} on {{database}}")],
            ),
            Panel(title="Chats that cannot be read", lines=[(highest("chatd_chats_left_out"), "left out")]),
            Panel(
                title="Servers that hear nothing of the others",
                lines=[(highest("chatd_bus_away", "instance"), "{{instance}}")],
            ),
            Panel(
                title="Lag of what servers tell one another",
                lines=[(highest("chatd_bus_lag_seconds", "instance"), "{{instance}}")],
                unit="s",
            ),
        ),
    ),
)


def dashboard() -> str:
    panels: list[dict[str, Any]] = []
    top = 0
    for title, row in ROWS:
        panels.append(
            {
                "type": "row",
                "title": title,
                "collapsed": False,
                "panels": [],
                "gridPos": {"x": 0, "y": top, "w": COLUMNS, "h": 1},
            }
        )
        for place, panel in enumerate(row):
            line, column = divmod(place, COLUMNS // WIDTH)
            panels.append(_panel(panel, x=column * WIDTH, y=top + 1 + line * HEIGHT))
        top += 1 + -(-len(row) // (COLUMNS // WIDTH)) * HEIGHT
    whole = {
        "title": "chatd",
        "uid": "chatd",
        "description": "Made by tools/dashboard.py.",
        "tags": ["chatd"],
        "schemaVersion": 39,
        "editable": True,
        "refresh": "30s",
        "time": {"from": "now-3h", "to": "now"},
        "templating": {"list": [_source(), _instances()]},
        "panels": [{"id": number, **panel} for number, panel in enumerate(panels, 1)],
    }
    return json.dumps(whole, indent=2) + "\n"


def _panel(panel: Panel, *, x: int, y: int) -> dict[str, Any]:
    return {
        "type": "timeseries",
        "title": panel.title,
        "datasource": SOURCE,
        "gridPos": {"x": x, "y": y, "w": WIDTH, "h": HEIGHT},
        "fieldConfig": {"defaults": {"unit": panel.unit, "min": 0}, "overrides": []},
        "options": {"legend": {"displayMode": "list", "placement": "bottom"}, "tooltip": {"mode": "multi"}},
        "targets": [
            {"refId": chr(ord("A") + place), "datasource": SOURCE, "expr": expr, "legendFormat": name}
            for place, (expr, name) in enumerate(panel.lines)
        ],
    }


def _source() -> dict[str, Any]:
    return {"name": "source", "label": "Prometheus", "type": "datasource", "query": "prometheus"}


def _instances() -> dict[str, Any]:
    return {
        "name": "instance",
        "label": "Server",
        "type": "query",
        "datasource": SOURCE,
        "query": {"query": "label_values(chatd_build_info, instance)", "refId": "instances"},
        "refresh": 2,
        "includeAll": True,
        "multi": True,
        "allValue": ".*",
        "current": {"text": "All", "value": "$__all"},
    }
