"""Output items that are more than text: calls, of our tools and of the provider's own (pure)."""

import base64
import binascii
from collections.abc import Callable, Mapping
from typing import TypeAlias

from msgspec import Struct

from chatd.domain.part import Json
from chatd.providers.dialects.shared.arguments import read_arguments
from chatd.providers.events import FileMade, StreamEvent

Out: TypeAlias = list[StreamEvent]
# An item as it came.
Whole: TypeAlias = Mapping[str, Json]

_GENERIC_TITLE = "Document"
_IMAGE_TYPES: Mapping[str, str] = {
    "png": "image/png",
    "jpeg": "image/jpeg",
    "webp": "image/webp",
    "gif": "image/gif",
    "svg": "image/svg+xml",
}


class ProviderTool(Struct, frozen=True):
    """A tool that the provider runs: what people see of a call, and whether the item goes back as it is."""

    name: str
    args: Callable[[Whole], Json]
    result: Callable[[Whole], Json]
    kept: bool = True


class ClientTool(Struct, frozen=True):
    """A tool that the provider defines and that is run on our side."""

    name: str
    args: Callable[[Whole], Json]


def _only(*names: str) -> Callable[[Whole], Json]:
    return lambda item: {name: item[name] for name in names if item.get(name) is not None}


def _action(item: Whole) -> Json:
    return {name: value for name, value in _object(item, "action").items() if name != "sources"}


def _searched(item: Whole) -> Json:
    sources = _object(item, "action").get("sources")
    return {"status": item.get("status"), **({"sources": sources} if sources else {})}


def _drawn(item: Whole) -> Json:
    return {"prompt": item["revised_prompt"]} if item.get("revised_prompt") else {}


def _computer_actions(item: Whole) -> Json:
    # One action was the form of the first models that could do this.
    actions = item.get("actions") or [action for action in (item.get("action"),) if action]
    checks = item.get("pending_safety_checks")
    return {"actions": actions, **({"pending_safety_checks": checks} if checks else {})}


def _object(item: Whole, name: str) -> dict[str, Json]:
    value = item.get(name)
    return value if isinstance(value, dict) else {}


PROVIDER_TOOLS: Mapping[str, ProviderTool] = {
    "web_search_call": ProviderTool("web_search", _action, _searched),
    "file_search_call": ProviderTool("file_search", _only("queries"), _only("status", "results")),
    "code_interpreter_call": ProviderTool("code_interpreter", _only("code"), _only("status", "outputs")),
    # The picture is a file of its own, and far too large to be kept twice.
    "image_generation_call": ProviderTool("image_generation", _drawn, _only("status", "error"), kept=False),
    "mcp_call": ProviderTool(
        "mcp", lambda item: read_arguments(item.get("arguments") or ""), _only("status", "output", "error")
    ),
}

CLIENT_TOOLS: Mapping[str, ClientTool] = {
    "computer_call": ClientTool("computer", _computer_actions),
    "local_shell_call": ClientTool("local_shell", lambda item: _object(item, "action")),
    "shell_call": ClientTool("shell", lambda item: _object(item, "action")),
    "apply_patch_call": ClientTool("apply_patch", lambda item: _object(item, "operation")),
}


def failed(item: Whole) -> bool:
    return item.get("status") == "failed" or item.get("error") is not None


def is_search(item: Whole) -> bool:
    """Opening a page that was found is no search, and is not billed as one."""
    return item.get("type") == "web_search_call" and _object(item, "action").get("type", "search") == "search"


def picture(item: Whole) -> FileMade | None:
    """What was drawn, if it can be read."""
    data = item.get("result")
    if item.get("type") != "image_generation_call" or not isinstance(data, str):
        return None
    try:
        decoded = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return None
    return FileMade(_IMAGE_TYPES.get(item.get("output_format") or "png", "image/png"), decoded)


def document_title(title: str | None, filename: str | None, file_id: str | None) -> str:
    return title or filename or file_id or _GENERIC_TITLE
