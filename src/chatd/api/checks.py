"""What a shape cannot say: rules for the values in a request. Each refusal names its field."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from msgspec import UNSET, Struct
from msgspec.structs import asdict

from chatd.api import bodies
from chatd.api.bodies.fields import LABEL_KEY, LABEL_VALUE_BYTES_MAX, LABELS_MAX, TITLE_LENGTH_MAX
from chatd.catalog.rules.prompts import cleaned
from chatd.domain.ids import FileId
from chatd.domain.part import Content, File, FileReference, Json, Part, Text
from chatd.domain.setup import ClientTool, Options, ResponseFormat, SetupChange
from chatd.errors import BadInput
from chatd.kit.text import is_plain, shortened
from chatd.kit.words import Term, terms_of

# Shorter than the largest that a database can hold.
NUMBER_LENGTH_MAX = 18

# Of one search. In scripts without spaces every two characters count as a word.
SEARCH_WORDS_MAX = 32

# Deeper than JSON of tools usually is; each level costs a stack frame wherever it is read or written.
JSON_DEPTH_MAX = 64


def plain(text: str, field: str) -> str:
    """Text that is a name of something: it must be storable and visible as it is."""
    if not is_plain(text) or not text.strip():
        raise BadInput("bad_value", f"`{field}` must be visible text on one line.", field=field)
    return text


def model(name: str | None) -> str | None:
    return plain(name, "model") if name is not None else None


def key(name: str | None, field: str = "key") -> str | None:
    return plain(name, field) if name is not None else None


def title(text: str, *, field: str = "title") -> str:
    trimmed = text.strip()
    if not 1 <= len(trimmed) <= TITLE_LENGTH_MAX:
        raise BadInput(
            "bad_title",
            f"A title has 1 to {TITLE_LENGTH_MAX} characters; this one has {len(trimmed)}.",
            field=field,
        )
    if not is_plain(trimmed):
        raise BadInput("bad_title", "A title cannot contain control characters.", field=field)
    return trimmed


def search_terms(query: str) -> list[Term]:
    """The words to search for. Whatever else is in the query separates them and means nothing."""
    terms = terms_of(query)
    if not terms:
        raise BadInput("no_words", "There is no word to search for.", field="q")
    if len(terms) > SEARCH_WORDS_MAX:
        raise BadInput(
            "too_many_words", f"At most {SEARCH_WORDS_MAX} words can be searched for at once.", field="q"
        )
    return terms


def labels(given: Mapping[str, str]) -> dict[str, str]:
    if len(given) > LABELS_MAX:
        raise BadInput(
            "too_many_labels",
            f"A chat has at most {LABELS_MAX} labels; these are {len(given)}.",
            field="labels",
        )
    return dict(label(key, value, field="labels") for key, value in given.items())


def label(key: str, value: str, *, field: str) -> tuple[str, str]:
    if not re.fullmatch(LABEL_KEY, key):
        raise BadInput(
            "bad_label",
            f"{shortened(key, 80)!r} cannot be a label's key.",
            field=field,
            hint="A key has 1 to 64 letters, digits, dots, underscores, slashes and hyphens, "
            "and begins with a letter or a digit.",
        )
    # Lone surrogates have no bytes; `is_plain` refuses them first.
    if not is_plain(value) or not 1 <= len(value.encode()) <= LABEL_VALUE_BYTES_MAX:
        raise BadInput(
            "bad_label",
            f"The value of the label {key!r} must be visible text of 1 to {LABEL_VALUE_BYTES_MAX} bytes.",
            field=field,
        )
    return key, value


def mentioned(parts: Sequence[bodies.InputPart]) -> tuple[FileId, ...]:
    """The files that the parts refer to, as far as a file can be called so."""
    return tuple(FileId(p.file_id) for p in parts if isinstance(p, bodies.FileInput) and is_plain(p.file_id))


def content(parts: Sequence[bodies.InputPart], kept: Mapping[FileId, str]) -> Content:
    """The parts as they are stored. `kept` has the type of each file that may be referred to."""
    if not parts:
        raise BadInput("no_content", "A message has at least one part.", field="content")
    return tuple(_part(part, kept, f"content[{index}]") for index, part in enumerate(parts))


def _part(part: bodies.InputPart, kept: Mapping[FileId, str], field: str) -> Part:
    match part:
        case bodies.TextInput(text=text):
            if not text.strip():
                raise BadInput("blank_text", f"The text of `{field}` is blank.", field=field)
            return Text(text=text)
        case bodies.FileInput(file_id=file_id, media_type=media_type, name=name):
            file = FileId(plain(file_id, field))
            return File(file_id=file, media_type=_type_of(file, media_type, kept, field), name=name)
        case bodies.FileReferenceInput(start_line=first, end_line=last):
            if first is not None and last is not None and last < first:
                raise BadInput("bad_lines", f"`{field}` ends before it starts.", field=field)
            name = plain(part.file_name, field)
            return FileReference(file_name=name, start_line=first, end_line=last, content=part.content)


def _type_of(file: FileId, given: str | None, kept: Mapping[FileId, str], field: str) -> str:
    """What the file was kept as. A caller who says otherwise means another file."""
    if file not in kept:
        raise BadInput("file_unavailable", f"There is no file {file!r}.", field=field)
    if given is not None and given.partition(";")[0].strip().lower() != kept[file]:
        raise BadInput(
            "wrong_media_type",
            f"The file {file!r} is of the type {kept[file]}, not {shortened(given, 80)!r}.",
            field=field,
            hint="Leave `media_type` out: the server knows it.",
        )
    return kept[file]


def setup(body: bodies.SetsUp | bodies.CarriedChat, server_tools: Collection[str]) -> SetupChange | None:
    """What the request sets up; None: nothing."""
    tools, instructions = body.client_tools, body.instructions
    change = SetupChange(
        client_tools=client_tools(tools, server_tools) if tools not in (UNSET, None) else UNSET,
        client_deadline_seconds=body.client_deadline_seconds,
        options=options(body.options) if body.options is not UNSET else UNSET,
        instructions=cleaned(instructions, field="instructions") if instructions is not UNSET else UNSET,
        mode=body.mode,
        delegation=body.delegation,
    )
    return change if change != SetupChange() else None


def patched_setup(body: bodies.PatchChat) -> SetupChange | None:
    """What a patch sets up; None: nothing."""
    change = SetupChange(mode=body.mode, delegation=body.delegation)
    return change if change != SetupChange() else None


def options(given: bodies.OptionsInput) -> Options:
    return Options(
        max_output_tokens=given.max_output_tokens,
        temperature=given.temperature,
        top_p=given.top_p,
        tool_choice=plain(given.tool_choice, "options.tool_choice") if given.tool_choice else None,
        response_format=_response_format(given.response_format) if given.response_format else None,
    )


def _response_format(given: bodies.ResponseFormatInput) -> ResponseFormat:
    field = "options.response_format.schema"
    if (given.schema is None) is (given.type == "json_schema"):
        raise BadInput(
            "bad_value", "A `schema` goes with the type `json_schema`, and only with it.", field=field
        )
    not_too_deep(given.schema, field)
    name = plain(given.name, "options.response_format.name")
    return ResponseFormat(type=given.type, name=name, schema=given.schema)


def client_tools(
    tools: Sequence[bodies.ClientToolInput], server_tools: Collection[str]
) -> tuple[ClientTool, ...]:
    seen: set[str] = set()
    for index, tool in enumerate(tools):
        field = f"client_tools[{index}]"
        if plain(tool.name, f"{field}.name") in seen:
            raise BadInput(
                "duplicate_tool", f"Two client tools are called {tool.name!r}.", field=f"{field}.name"
            )
        if tool.name in server_tools:
            raise BadInput(
                "tool_of_the_server",
                f"The server has a tool {tool.name!r} itself, so the client would never be asked.",
                field=f"{field}.name",
                hint="Give the client tool another name.",
            )
        not_too_deep(tool.input_schema, f"{field}.input_schema")
        seen.add(tool.name)
    return tuple(
        ClientTool(name=tool.name, description=tool.description, input_schema=tool.input_schema)
        for tool in tools
    )


def something_to_change(body: Struct) -> dict[str, Any]:
    """The fields that a PATCH names."""
    fields = {name: value for name, value in asdict(body).items() if value is not UNSET}
    if not fields:
        names = ", ".join(body.__struct_fields__)
        raise BadInput(
            "nothing_to_change", "The request names nothing to change.", hint=f"Name some of {names}."
        )
    return fields


def not_too_deep(value: Json, field: str) -> Json:
    if _is_deeper(value, JSON_DEPTH_MAX):
        raise BadInput(
            "too_deep", f"`{field}` is nested more than {JSON_DEPTH_MAX} levels deep.", field=field
        )
    return value


def number(word: str, field: str) -> int:
    """A number in a path."""
    if not (word.isascii() and word.isdecimal()) or len(word) > NUMBER_LENGTH_MAX:
        raise BadInput(
            "bad_value", f"`{field}` must be a whole number, not {shortened(word, 80)!r}.", field=field
        )
    return int(word)


def _is_deeper(value: Json, levels: int) -> bool:
    """Without recursion: what we are afraid of is depth."""
    layer: list[Any] = [value]
    for _ in range(levels + 1):
        below: list[Any] = []
        for node in layer:
            if isinstance(node, dict):
                below.extend(node.values())
            elif isinstance(node, list):
                below.extend(node)
        # Most of what is in there has nothing in it.
        layer = [node for node in below if isinstance(node, dict | list)]
        if not layer:
            return False
    return True
