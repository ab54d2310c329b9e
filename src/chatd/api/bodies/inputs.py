"""What a caller says, and what a chat is set up with, in requests."""

from typing import Annotated, Any, Literal, TypeAlias

from msgspec import UNSET, Meta, UnsetType

from chatd.api.bodies.fields import CLIENT_TOOLS_MAX, OUTPUT_TOKENS_MAX, ChosenServers, Line, Name, Prompt
from chatd.api.bodies.shared import RequestBody
from chatd.domain.limits import CLIENT_ANSWER_SECONDS_MAX
from chatd.domain.setup import Mode


# Requests with a key leave out what is not named: so their check sum stays the same when a field is added.
class _InputPart(RequestBody, frozen=True, kw_only=True, tag_field="type", omit_defaults=True):
    pass


class TextInput(_InputPart, frozen=True, kw_only=True, tag="text"):
    text: Annotated[str, Meta(description="Not blank.", extra_json_schema={"minLength": 1, "pattern": r"\S"})]


class FileInput(_InputPart, frozen=True, kw_only=True, tag="file"):
    file_id: Name
    media_type: Annotated[
        Name | None, Meta(description="What the file was kept as, or nothing: the server knows it.")
    ] = None
    name: str | None = None


class FileReferenceInput(_InputPart, frozen=True, kw_only=True, tag="file-reference"):
    file_name: Annotated[str, Meta(min_length=1)]
    start_line: Line | None = None
    end_line: Line | None = None
    content: str = ""


InputPart: TypeAlias = TextInput | FileInput | FileReferenceInput


class ClientToolInput(RequestBody, frozen=True, kw_only=True):
    """A tool that the caller runs when the agent asks for it."""

    name: Name
    description: str = ""
    input_schema: Annotated[dict[str, Any] | None, Meta(description="A JSON schema.")] = None


class ResponseFormatInput(RequestBody, frozen=True, kw_only=True, omit_defaults=True):
    """Words, any JSON object, or JSON that fits a schema."""

    type: Literal["text", "json_object", "json_schema"]
    name: Annotated[
        str,
        Meta(pattern="^[a-zA-Z0-9_-]{1,64}$", max_length=64, description="Of the schema, for the model."),
    ] = "reply"
    schema: Annotated[dict[str, Any] | None, Meta(description="Only of `json_schema`.")] = None


class OptionsInput(RequestBody, frozen=True, kw_only=True, omit_defaults=True):
    """How the model replies. What a model or its provider does not take is left out, and logged."""

    max_output_tokens: Annotated[int, Meta(ge=1, le=OUTPUT_TOKENS_MAX)] | None = None
    temperature: Annotated[float, Meta(ge=0, le=2)] | None = None
    top_p: Annotated[float, Meta(gt=0, le=1)] | None = None
    tool_choice: Annotated[
        Name | None,
        Meta(
            description="`auto`, `none`, `required` or the name of a tool. The last two count for the first "
            "step of a turn only: the model could never end it otherwise."
        ),
    ] = None
    response_format: ResponseFormatInput | None = None


class SetsUp(RequestBody, frozen=True, kw_only=True, omit_defaults=True):
    """What the chat is set up with from this request on. What is not named stays as it is."""

    instructions: Annotated[
        Prompt | UnsetType,
        Meta(
            description="A system prompt for this chat, from this turn on, up to 128 KiB. The model reads it "
            "after the prompts of the server and of the user. An empty one clears it."
        ),
    ] = UNSET
    client_tools: Annotated[
        Annotated[tuple[ClientToolInput, ...], Meta(max_length=CLIENT_TOOLS_MAX)] | UnsetType | None,
        Meta(
            description="The tools that the caller runs, from this turn on. They replace the ones of before. "
            "No tool of the server can have the same name."
        ),
    ] = UNSET

    client_deadline_seconds: Annotated[
        Annotated[int, Meta(ge=1, le=CLIENT_ANSWER_SECONDS_MAX)] | UnsetType | None,
        Meta(
            description="How long the caller may take to run its tools, from the next time on that the agent "
            "asks for them: up to 30 days, 300 seconds by default. null: as long as it likes."
        ),
    ] = UNSET

    options: Annotated[
        OptionsInput | UnsetType, Meta(description="They replace the ones of before; {} clears them.")
    ] = UNSET

    mcp_servers: Annotated[
        ChosenServers | UnsetType | None,
        Meta(
            description="The MCP servers of this chat, by id or slug, from this turn on. Those that "
            "administrators force on are added. null: those that are on by default."
        ),
    ] = UNSET

    mode: Annotated[
        Mode | UnsetType | None,
        Meta(
            description="`plan`: from this turn on the agent looks around, asks and proposes a plan, and "
            "changes nothing else. null ends it."
        ),
    ] = UNSET

    delegation: Annotated[
        bool | UnsetType,
        Meta(description="false: from this turn on the agent has no tools to have others work for it."),
    ] = UNSET
