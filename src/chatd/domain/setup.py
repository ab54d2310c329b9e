"""What the caller of the API sets a chat up with: stored as one JSON value, and read only where it is needed.

A field is added to `Setup` and `SetupChange`, to the body of the API and where it is used; storage knows
neither. Rules for change: add fields with a default; never change what a field means.
"""

from typing import Literal, TypeAlias

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import asdict, replace

from chatd.domain.limits import CLIENT_ANSWER_SECONDS
from chatd.domain.part import Json

# What the agent of the chat is to do; None: what it is asked for. A plan changes nothing but itself.
Mode: TypeAlias = Literal["plan"]


class ClientTool(Struct, frozen=True, kw_only=True):
    """A tool that the caller of the API offers and runs."""

    name: str
    description: str = ""
    input_schema: Json = None


class ResponseFormat(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a reply looks like: words, any JSON object, or JSON that fits a schema."""

    type: Literal["text", "json_object", "json_schema"] = "text"
    # Only of `json_schema`.
    name: str = "reply"
    schema: Json = None


class Options(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How the model replies. None leaves it to the model and to what administrators have set for it."""

    max_output_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    # auto, none, required, or the name of a tool.
    tool_choice: str | None = None
    response_format: ResponseFormat | None = None


NO_OPTIONS = Options()


class Setup(Struct, frozen=True, kw_only=True, omit_defaults=True):
    client_tools: tuple[ClientTool, ...] = ()
    # How long the client may take to run its tools; None: as long as it likes.
    client_deadline_seconds: int | None = CLIENT_ANSWER_SECONDS
    # The caller's system prompt; empty: none.
    instructions: str = ""
    options: Options = NO_OPTIONS
    # The directory on the server's machine in which the agent works; None: none.
    workspace: str | None = None
    # The ids of the MCP servers that were chosen; None: those that are on by default. Some are always on.
    mcp_servers: tuple[str, ...] | None = None
    mode: Mode | None = None
    # Whether other chats may be started to work for this one.
    delegation: bool = True


class SetupChange(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The same fields. One that is not set stays as it is."""

    client_tools: tuple[ClientTool, ...] | UnsetType = UNSET
    client_deadline_seconds: int | UnsetType | None = UNSET
    instructions: str | UnsetType = UNSET
    options: Options | UnsetType = UNSET
    workspace: str | UnsetType | None = UNSET
    mcp_servers: tuple[str, ...] | UnsetType | None = UNSET
    mode: Mode | UnsetType | None = UNSET
    delegation: bool | UnsetType = UNSET


NO_SETUP = Setup()


def changed(setup: Setup, change: SetupChange) -> Setup:
    return replace(setup, **{name: value for name, value in asdict(change).items() if value is not UNSET})
