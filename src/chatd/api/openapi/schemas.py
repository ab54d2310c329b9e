"""Shapes as JSON Schema, written so that generators of clients in many languages read them alike.

msgspec makes the schemas; what generators disagree about is said otherwise here:

- a set of words has a type beside it, and one word alone is a constant;
- an object that may have any fields says so;
- unions that programs handle have names, and their discriminator stands beside `oneOf`;
- no field has a `default`: some generators take it for a promise that the field is always there. What the
  server does without the field is told in words.
"""

from collections.abc import Mapping, Sequence
from typing import Any, get_args

import msgspec
from msgspec import Struct

from chatd.api.bodies import InputPart
from chatd.api.openapi.always_present import mark_required
from chatd.domain.part import Part
from chatd.live.episodes.episode import LivePart
from chatd.live.events import PartSpoken, ViewerEvent
from chatd.live.guests.events import GuestEvent, GuestPartSpoken
from chatd.live.guests.parts import GuestLivePart, GuestPart
from chatd.live.lists.events import FeedEvent

Schema = dict[str, Any]

REFERENCE = "#/components/schemas/{name}"


class Union(Struct, frozen=True):
    type: Any
    # What its members are called beyond their own name, which may be too general.
    called: str = "{}"


UNIONS: Mapping[str, Union] = {
    "InputPart": Union(InputPart),
    "Part": Union(Part, "{}Part"),
    "LivePart": Union(LivePart),
    "ViewerEvent": Union(ViewerEvent, "{}Event"),
    "ListEvent": Union(FeedEvent, "List{}Event"),
    "GuestPart": Union(GuestPart, "{}Part"),
    "GuestLivePart": Union(GuestLivePart),
    "GuestEvent": Union(GuestEvent, "{}Event"),
}

# In a generated client all shapes are side by side.
RENAMED: Mapping[str, str] = {
    **{
        member.__name__: union.called.format(member.__name__)
        for union in UNIONS.values()
        if union.called != "{}"
        for member in get_args(union.type)
    },
    "Attempt": "DebugAttempt",
    "AuthType": "McpAuthType",
    "Availability": "McpAvailability",
    "ChangeLink": "ChangePublicLink",
    "Decision": "ApprovalDecision",
    "Deed": "FileDeed",
    "GuestPage": "GuestMessagePage",
    "Included": "IncludedForGuests",
    "Keep": "KeptRole",
    "Level": "ProtectionLevel",
    "LinkList": "PublicLinkList",
    "LinkView": "PublicLinkView",
    "MakeLink": "MakePublicLink",
    "Method": "SignInMethod",
    "NewLinkView": "NewPublicLinkView",
    "Operation": "ModelOperation",
    "Reason": "TurnEndReason",
    "Role": "MessageRole",
    "Scope": "McpServerScope",
    "Status": "ChatStatus",
    "Step": "DebugStep",
    "Transport": "McpTransport",
}

# Fields whose type does not tell what they hold: it was written before, or two kinds of it have the same tag.
WRITTEN: Mapping[tuple[type[Struct], str], str] = {
    (PartSpoken, "part"): "LivePart",
    (GuestPartSpoken, "part"): "GuestLivePart",
}

_TYPES: Mapping[type, str] = {str: "string", bool: "boolean", int: "integer"}


def schemas_of(
    *, answers: Sequence[Any], requests: Sequence[Any]
) -> tuple[Mapping[Any, Schema], dict[str, Schema]]:
    """The schema of each type, and what they refer to, by name."""
    types = list(dict.fromkeys([*requests, *answers]))
    members = [member for union in UNIONS.values() for member in get_args(union.type)]
    schemas, components = msgspec.json.schema_components([*types, *members], ref_template=REFERENCE)
    mark_required(components, answers=[*answers, *members], requests=requests)
    for (struct, field), name in WRITTEN.items():
        components[struct.__name__]["properties"][field] = {"$ref": REFERENCE.format(name=name)}
    schema_of = {type_: plain(schema) for type_, schema in zip(types, schemas, strict=False)}
    named = {RENAMED.get(name, name): plain(schema) for name, schema in components.items()}
    unions = {name: _union(get_args(union.type)) for name, union in UNIONS.items()}
    return schema_of, dict(sorted((named | unions).items()))


def plain(schema: Schema) -> Schema:
    """The same, as generators take it."""
    about = {"description": _one_paragraph(schema["description"])} if "description" in schema else {}
    if "$ref" in schema:
        return about | {"$ref": _renamed(schema["$ref"])}
    if (name := _BY_MEMBERS.get(_references(schema))) is not None:
        return about | {"$ref": REFERENCE.format(name=name)}
    inside = {keyword: _inside(keyword, value) for keyword, value in schema.items() if keyword not in _UNSAID}
    if not inside.get("required", True):
        del inside["required"]
    if "properties" in schema and schema.get("additionalProperties") is False:
        # What is not a field of it is refused: it is sent by callers, who may want to know what is left out.
        inside["properties"] = {
            name: _with_default(inside["properties"][name], field.get("default"))
            for name, field in schema["properties"].items()
        }
    if schema.get("type") == "object" and not schema.keys() & {"properties", "additionalProperties"}:
        inside["additionalProperties"] = True
    return about | _typed(inside)


# What `plain` leaves out, or writes anew.
_UNSAID = frozenset({"title", "description", "default"})


def _inside(keyword: str, value: Any) -> Any:
    """What a keyword holds, if there are schemas in it."""
    match keyword, value:
        case "properties", dict():
            return {name: _field(plain(each)) for name, each in value.items()}
        case (("items" | "additionalProperties"), dict()):
            return plain(value)
        case (("anyOf" | "prefixItems"), list()):
            return [plain(each) for each in value]
        case _:
            return value


def _field(schema: Schema) -> Schema:
    """One that can be null and nothing else is an alternative: generators know null as such only."""
    if schema.get("type") != "null":
        return schema
    return {**{key: value for key, value in schema.items() if key != "type"}, "anyOf": [{"type": "null"}]}


def _typed(schema: Schema) -> Schema:
    """Words and numbers that are listed, with their type."""
    if "enum" not in schema:
        return schema
    listed: list[Any] = schema.pop("enum")
    types = {_TYPES[type(each)] for each in listed}
    assert len(types) == 1, f"generators take values of one type: {listed}"
    return {**schema, "type": types.pop(), **({"const": listed[0]} if len(listed) == 1 else {"enum": listed})}


def _with_default(schema: Schema, default: Any) -> Schema:
    """The field, and in words what it is if it is left out and that is more than nothing."""
    if not default:
        return schema
    words = f"By default `{default if isinstance(default, str) else msgspec.json.encode(default).decode()}`."
    return {"description": " ".join(filter(None, (schema.get("description"), words)))} | {
        keyword: value for keyword, value in schema.items() if keyword != "description"
    }


def _one_paragraph(text: str) -> str:
    return " ".join(text.split())


def _union(members: tuple[type[Struct], ...]) -> Schema:
    references = [{"$ref": _renamed(REFERENCE.format(name=member.__name__))} for member in members]
    tags = {
        str(member.__struct_config__.tag): each["$ref"]
        for member, each in zip(members, references, strict=True)
    }
    if len(tags) < len(members):
        # Two have the same tag, so that it does not tell them apart.
        return {"anyOf": references}
    field = members[0].__struct_config__.tag_field
    return {"oneOf": references, "discriminator": {"propertyName": field, "mapping": tags}}


def _renamed(reference: str) -> str:
    folder, _, name = reference.rpartition("/")
    return f"{folder}/{RENAMED.get(name, name)}"


def _references(schema: Schema) -> frozenset[str]:
    """What a union is made of, whatever the order."""
    return frozenset(each.get("$ref", "") for each in schema.get("anyOf", ()))


_BY_MEMBERS: Mapping[frozenset[str], str] = {
    frozenset(REFERENCE.format(name=member.__name__) for member in get_args(union.type)): name
    for name, union in UNIONS.items()
}
