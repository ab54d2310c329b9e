"""What was sent to models, and what came back."""

from typing import Any

from msgspec import Struct


class DebugRequest(Struct, frozen=True, kw_only=True):
    method: str
    url: str
    headers: dict[str, str] = {}
    body: Any = None


class DebugResponse(Struct, frozen=True, kw_only=True):
    status: int
    headers: dict[str, str] = {}
    body: Any = None


class DebugAttempt(Struct, frozen=True, kw_only=True):
    """One round trip. Without a response, there was none."""

    started_at: str
    duration_ms: int
    request: DebugRequest
    response: DebugResponse | None = None
    error: str | None = None


class DebugStep(Struct, frozen=True, kw_only=True):
    """One model call, however often it had to be tried."""

    number: int
    operation: str
    status: str
    model: str = ""
    provider: str = ""
    history_version: int = 0
    started_at: str = ""
    finished_at: str | None = None
    request: Any = None
    response: Any = None
    usage: dict[str, int] | None = None
    error: dict[str, Any] | None = None
    assistant_message_id: int | None = None
    attempts: tuple[DebugAttempt, ...] = ()


class DebugRun(Struct, frozen=True, kw_only=True):
    """The record of a turn. A list has it without its steps."""

    id: str
    chat_id: str
    kind: str
    status: str
    provider: str = ""
    model: str = ""
    parent_chat_id: str | None = None
    root_chat_id: str | None = None
    trigger_message_id: int = 0
    tip_message_id: int = 0
    summary: dict[str, Any] = {}
    started_at: str = ""
    updated_at: str = ""
    finished_at: str | None = None
    steps: tuple[DebugStep, ...] = ()


class DebugRunList(Struct, frozen=True, kw_only=True):
    runs: tuple[DebugRun, ...]
