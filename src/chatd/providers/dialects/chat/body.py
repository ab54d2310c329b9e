"""A request of Chat Completions, around its messages (pure)."""

import json
from collections.abc import Sequence

from chatd.domain.message import Effort
from chatd.domain.part import Json
from chatd.domain.setup import ResponseFormat
from chatd.kit.codec import encode
from chatd.providers.capabilities.target import Quirks, Target
from chatd.providers.dialect import Body, Head
from chatd.providers.dialects.chat.options import extra_fields, option_fields, pinned_limit
from chatd.providers.dialects.chat.thinking import effort_fields
from chatd.providers.dialects.chat.tools import function_tool, tool_choice, web_search
from chatd.providers.dialects.chat.turns import joined, marked, system_role


def write_body(items: bytes, head: Head, target: Target) -> Body:
    warnings: list[str] = []
    fields = _fields(head, target, warnings)
    extra = extra_fields(target)
    if "messages" in extra:
        warnings.append("extra_body cannot replace the messages.")
    fields |= {name: value for name, value in extra.items() if name != "messages"}
    messages = _with_system(items, head.system, target, warnings)
    # The messages are bytes already, and stay as they are.
    body = b'{"messages":[%b],%b' % (messages, encode(fields)[1:])
    return Body(body, warnings=tuple(warnings))


def _fields(head: Head, target: Target, warnings: list[str]) -> dict[str, Json]:
    quirks = target.quirks
    fields: dict[str, Json] = {"model": target.model, "stream": True}
    if not quirks.no_stream_options:
        fields["stream_options"] = {"include_usage": True}
    if quirks.usage_include:
        fields["usage"] = {"include": True}
    limit = pinned_limit(target) or head.max_output_tokens
    if limit is not None:
        fields[quirks.token_field] = limit
    fields |= option_fields(target, warnings)
    effort = _effort(head, quirks, warnings)
    if effort is not None:
        _add_effort(effort_fields(effort, target, warnings), fields)
    if head.response_format is not None:
        fields["response_format"] = _response_format(head.response_format)
    fields |= _tool_fields(head, target, warnings)
    if not head.tools or quirks.no_parallel_flag:
        fields.pop("parallel_tool_calls", None)
    return fields


def _tool_fields(head: Head, target: Target, warnings: list[str]) -> dict[str, Json]:
    tools = [*(function_tool(tool) for tool in head.tools), *_search(head, target)]
    fields: dict[str, Json] = {"tools": tools} if tools else {}
    if head.tools and head.tool_choice is not None:
        if target.quirks.no_tool_choice:
            warnings.append("The server takes no tool_choice; it was left out.")
        else:
            fields["tool_choice"] = tool_choice(head.tool_choice, head.tools, target.quirks)
    return fields


def _search(head: Head, target: Target) -> list[Json]:
    """Where no tool is to be called, it is not offered: whether a choice counts for it is not said."""
    options = target.options.openrouter
    is_wanted = options is not None and options.web_search_enabled and head.provider_tools
    if options is None or not is_wanted or target.type != "openrouter" or head.tool_choice == "none":
        return []
    return [web_search(options)]


def _response_format(wanted: ResponseFormat) -> Json:
    if wanted.type != "json_schema":
        return {"type": wanted.type}
    return {"type": "json_schema", "json_schema": {"name": wanted.name, "schema": wanted.schema}}


def _effort(head: Head, quirks: Quirks, warnings: list[str]) -> Effort | None:
    if not (head.tools and quirks.no_effort_with_tools):
        return head.effort
    if head.effort not in (None, Effort.NONE):
        warnings.append("With tools, this model thinks only in the Responses API; reasoning_effort is none.")
    # Said, because it would think by itself, and refuse.
    return Effort.NONE


def _add_effort(effort: dict[str, Json], fields: dict[str, Json]) -> None:
    """A budget that is pinned beats the effort of the call; the two cannot be sent together."""
    set_already = fields.get("reasoning", {})
    if "reasoning" not in effort:
        fields |= effort
    elif "max_tokens" not in set_already:
        fields["reasoning"] = {**set_already, **effort["reasoning"]}


def _with_system(items: bytes, system: Sequence[str], target: Target, warnings: list[str]) -> bytes:
    said = [words for words in system if words.strip()]
    if len(said) < len(system):
        warnings.append("A system message without words was left out.")
    role = system_role(target)
    if not said:
        return items
    if role == "none":
        warnings.append("The model takes no system messages; they were left out.")
        return items
    if role == "merged":
        return _merged("\n\n".join(said), items)
    messages: list[dict[str, Json]] = [{"role": role, "content": words} for words in said]
    if target.quirks.cache_marks:
        messages[-1]["content"] = marked(messages[-1]["content"])
    written = b",".join(encode(message) for message in messages)
    return b"%b,%b" % (written, items) if items else written


def _merged(words: str, items: bytes) -> bytes:
    """The system's words at the beginning of the first message, which is the user's; or as such a message."""
    text = items.decode("utf-8")
    if text:
        first, end = json.JSONDecoder().raw_decode(text)
        if first["role"] == "user":
            first["content"] = joined(words, first["content"])
            return encode(first) + text[end:].encode("utf-8")
    alone = encode({"role": "user", "content": words})
    return b"%b,%b" % (alone, items) if items else alone
