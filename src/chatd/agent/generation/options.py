"""The options of a chat, as part of a model call (pure)."""

from collections.abc import Mapping

from msgspec.structs import replace

from chatd.domain.setup import NO_OPTIONS, Options
from chatd.providers.model import Named, Request, ToolChoice

_CHOICES: Mapping[str, ToolChoice] = {"auto": "auto", "none": "none", "required": "required"}


def with_options(request: Request, options: Options, *, is_first_step: bool) -> Request:
    """The call as the caller of the API wants it. Not for summaries, which are a task of our own."""
    if options == NO_OPTIONS:
        return request
    return replace(
        request,
        max_output_tokens=options.max_output_tokens,
        temperature=options.temperature,
        top_p=options.top_p,
        response_format=options.response_format,
        tool_choice=_tool_choice(request, options.tool_choice, is_first_step=is_first_step),
    )


def _tool_choice(request: Request, wanted: str | None, *, is_first_step: bool) -> ToolChoice:
    """A model that has to call a tool at every step could never end its turn. A tool that this model is not
    offered cannot be insisted on: its provider would refuse the request.
    """
    if wanted is None:
        return None
    choice = _CHOICES.get(wanted, Named(wanted))
    if choice in ("auto", "none"):
        return choice
    is_offered = any(tool.name == wanted for tool in request.tools) if isinstance(choice, Named) else True
    return choice if is_first_step and is_offered and request.tools else None
