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
    return f"sum by ({', '.join(by)}) (rate({name}{PER}))" if by else f"sum(rate({name}{PER}))"


def growth(name: str, by: str) -> str:
    """How many more there are, for what is seldom: as a number per second it would be next to nothing."""
    return f"sum by ({by}) (increase({name}{PER}))"


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
                title="Replies per second",
                lines=[(rate("chatd_steps_total", "provider", "model"), "{{provider}}/{{model}}")],
            ),
            Panel(
                title="Attempts to sum up a history, per second",
                lines=[(rate("chatd_compaction_total", "result"), "{{result}}")],
            ),
            Panel(
                title="Texts about chats, per second",
                lines=[(rate("chatd_texts_total", "text", "outcome"), "{{text}} {{outcome}}")],
            ),
            Panel(
                title="Questions to the advisor, per second",
                lines=[(rate("chatd_advice_total", "result"), "{{result}}")],
            ),
            Panel(title="Time to the advisor's answer", lines=quantiles("chatd_advice_seconds"), unit="s"),
            Panel(
                title="What providers say and no rule knows, per second",
                lines=[
                    (rate("chatd_provider_errors_unclassified_total", "provider"), "errors, {{provider}}"),
                    (rate("chatd_provider_events_skipped_total", "provider"), "events, {{provider}}"),
                ],
            ),
        ),
    ),
    (
        "Tools",
        (
            Panel(
                title="Errors of tools per second",
                lines=[(rate("chatd_tool_errors_total", "tool_name"), "{{tool_name}}")],
            ),
            Panel(
                title="Size of results",
                lines=[(quantile(0.99, "chatd_tool_result_size_bytes", "tool_name"), "p99 {{tool_name}}")],
                unit="bytes",
            ),
            Panel(
                title="Results that were cut, per second",
                lines=[(rate("chatd_tool_result_truncated_total", "tool_name"), "{{tool_name}}")],
            ),
            Panel(
                title="Searches for tools, per second",
                lines=[
                    (rate("chatd_find_tools_calls_total"), "searches"),
                    (rate("chatd_find_tools_empty_total"), "that found nothing"),
                    (rate("chatd_find_tools_activations_total"), "tools that models were told of"),
                ],
            ),
            Panel(title="Tools that a search found", lines=quantiles("chatd_find_tools_match_count")),
            Panel(
                title="Pages that were fetched, per second",
                lines=[(rate("chatd_fetches_total", "outcome"), "{{outcome}}")],
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
            Panel(title="Messages in prompts", lines=quantiles("chatd_message_count")),
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
            Panel(
                title="Oldest unanswered call, by state",
                lines=[(highest("chatd_oldest_call_seconds", "state"), "{{state}}")],
                unit="s",
            ),
            Panel(title="Workers", lines=[(highest("chatd_workers"), "workers")]),
            Panel(title="Messages in queues", lines=[(highest("chatd_queued_messages"), "waiting")]),
            Panel(
                title="Takeovers",
                lines=[(growth("chatd_takeovers_total", "worker"), "from one that is {{worker}}")],
            ),
            Panel(
                title="Time until a chat is taken over",
                lines=quantiles("chatd_takeover_seconds"),
                unit="s",
            ),
            Panel(
                title="Chats whose row was locked",
                lines=[(growth("chatd_chats_locked_total", "instance"), "seen by {{instance}}")],
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
                title="Replies too long to be shown live",
                lines=[(growth("chatd_stream_buffer_dropped_total", "instance"), "{{instance}}")],
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
            Panel(
                title="Headers of a proxy that were not believed, per second",
                lines=[(rate("chatd_proxy_headers_not_believed_total", "instance"), "{{instance}}")],
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
                title="Answers of caches per second",
                lines=[
                    (rate("chatd_catalog_cache_hits_total", "cache"), "{{cache}}, from memory"),
                    (rate("chatd_catalog_cache_misses_total", "cache"), "{{cache}}, read"),
                    (rate("chatd_catalog_cache_invalidations_total", "cache"), "{{cache}}, changed"),
                ],
            ),
            Panel(
                title="Entries of caches",
                lines=[(total("chatd_catalog_cache_entries", "cache"), "{{cache}}")],
            ),
            Panel(
                title="Time that caches spend reading",
                lines=[(rate("chatd_catalog_cache_fill_seconds_total", "cache"), "{{cache}}")],
                unit="percentunit",
            ),
            Panel(
                title="Readings of caches that fail, per second",
                lines=[(rate("chatd_catalog_cache_fill_errors_total", "cache"), "{{cache}}")],
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
