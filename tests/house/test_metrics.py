"""Every number of /metrics has one name, one set of labels, and one line in the reference."""

from tests.house.repository import read
from tests.traceability import proves
from tools.metrics import described

PAGE = "docs/reference/metrics.md"

_WHO = ("provider", "model")
_TOOL = (*_WHO, "tool_name")

# Dashboards and alerts are written against these: a change here is a change for everybody who runs chatd.
# Of section 12 of the specification of the loop, the hook_… and the counter of archived chats come with hooks
# and with chats that are archived by themselves.
METRICS = {
    "chatd_advice_seconds": _WHO,
    "chatd_advice_total": (*_WHO, "result"),
    "chatd_agents_active": ("pool",),
    "chatd_agents_queued_for_capacity": ("pool",),
    "chatd_build_info": ("version", "python", "database"),
    "chatd_bus_away": (),
    "chatd_bus_lag_seconds": (),
    "chatd_calls": ("state",),
    "chatd_catalog_cache_entries": ("cache",),
    "chatd_catalog_cache_fill_errors_total": ("cache",),
    "chatd_catalog_cache_fill_seconds_total": ("cache",),
    "chatd_catalog_cache_hits_total": ("cache",),
    "chatd_catalog_cache_invalidations_total": ("cache",),
    "chatd_catalog_cache_misses_total": ("cache",),
    "chatd_chats": ("state",),
    "chatd_chats_left_out": (),
    "chatd_chats_locked_total": (),
    "chatd_compaction_total": (*_WHO, "result"),
    "chatd_cost_micros_total": _WHO,
    "chatd_database_connections": ("state",),
    "chatd_database_failures_total": ("kind",),
    "chatd_database_transactions_waiting": (),
    "chatd_database_wait_seconds": (),
    "chatd_episode_bytes": ("state",),
    "chatd_fetches_total": ("outcome",),
    "chatd_find_tools_activations_total": (),
    "chatd_find_tools_calls_total": (),
    "chatd_find_tools_empty_total": (),
    "chatd_find_tools_match_count": (),
    "chatd_http_request_seconds": ("route", "status"),
    "chatd_http_requests_total": ("method", "route", "status"),
    "chatd_lease_age_seconds": (),
    "chatd_message_count": _WHO,
    "chatd_oldest_call_seconds": ("state",),
    "chatd_prompt_size_bytes": _WHO,
    "chatd_proxy_headers_not_believed_total": (),
    "chatd_provider_errors_unclassified_total": ("provider",),
    "chatd_provider_events_skipped_total": ("provider",),
    "chatd_queued_messages": (),
    "chatd_reply_bytes": (),
    "chatd_steps_total": _WHO,
    "chatd_stream_buffer_dropped_total": (),
    "chatd_stream_retries_total": (*_WHO, "kind"),
    "chatd_takeover_seconds": (),
    "chatd_takeovers_total": ("worker",),
    "chatd_texts_total": (*_WHO, "text", "outcome"),
    "chatd_tokens_total": (*_WHO, "kind"),
    "chatd_tool_errors_total": _TOOL,
    "chatd_tool_result_size_bytes": _TOOL,
    "chatd_tool_result_truncated_total": _TOOL,
    "chatd_ttft_seconds": _WHO,
    "chatd_turns_total": (*_WHO, "outcome"),
    "chatd_viewer_lag_seconds": (),
    "chatd_viewers": ("of", "over"),
    "chatd_work_chats": ("state",),
    "chatd_work_waiting_seconds": (),
    "chatd_workers": (),
}


@proves("loop", 53)
def test_every_metric_is_there_once_with_its_name_and_its_labels() -> None:
    assert [(each.name, each.labels) for each in described()] == sorted(METRICS.items())


def test_every_metric_has_a_line_in_the_reference() -> None:
    rows = [line.split(" | ") for line in read(PAGE).splitlines() if line.startswith("| `")]

    assert [
        (row[0].strip("| `"), tuple(word.strip("`") for word in row[2].split(", ") if word.strip()))
        for row in rows
    ] == sorted(METRICS.items())
