"""Which fields an answer always has, and which are never null.

To msgspec a field with a default is optional, as it is in a request.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec
from msgspec import Struct, inspect

from chatd.api.bodies import ChatView, SharedChatView, SharedSubmitted, Submitted
from chatd.live.kinds import ChatDetails, SharedDetails
from chatd.live.lists.events import ListedChat, SharedListedChat

Schema = dict[str, Any]


# What stands for a struct where less is shown of it: only what is in both is always there.
LEAST: Mapping[type[Struct], type[Struct]] = {
    ChatView: SharedChatView,
    Submitted: SharedSubmitted,
    ChatDetails: SharedDetails,
    ListedChat: SharedListedChat,
}


def mark_required(components: dict[str, Schema], *, answers: Iterable[Any], requests: Iterable[Any]) -> None:
    """Correct the structs that are only ever answers. One that is also sent stays as it is."""
    sent = {struct.cls for struct in _structs_of(requests)}
    for struct in _structs_of(answers):
        if struct.cls in sent:
            continue
        described = components[struct.cls.__name__]
        described["required"] = [
            *([struct.tag_field] if struct.tag_field is not None else []),
            *(field.encode_name for field in struct.fields if _is_always_there(struct.cls, field)),
        ]
        for field in struct.fields:
            if field.default is None and struct.cls.__struct_config__.omit_defaults:
                # It is left out instead.
                described["properties"][field.encode_name] = not_null(
                    described["properties"][field.encode_name]
                )


def not_null(schema: Schema) -> Schema:
    """The same without null among its alternatives."""
    alternatives = [each for each in schema.get("anyOf", ()) if each.get("type") != "null"]
    rest = {keyword: value for keyword, value in schema.items() if keyword != "anyOf"}
    if not alternatives:
        return schema
    return {**alternatives[0], **rest} if len(alternatives) == 1 else {**rest, "anyOf": alternatives}


def _is_always_there(struct: type[Struct], field: inspect.Field) -> bool:
    """One that is UNSET by default has no default here; it is left out until it is set."""
    if field.name not in LEAST.get(struct, struct).__struct_fields__:
        return False
    has_default = field.default is not msgspec.NODEFAULT or field.default_factory is not msgspec.NODEFAULT
    return field.required or (has_default and not struct.__struct_config__.omit_defaults)


def _structs_of(types: Iterable[Any]) -> Iterator[inspect.StructType]:
    """All structs that these types are made of, each once."""
    seen: set[type] = set()
    waiting = list(inspect.multi_type_info(types))
    while waiting:
        type_ = waiting.pop()
        if isinstance(type_, inspect.StructType):
            if type_.cls in seen:
                continue
            seen.add(type_.cls)
            yield type_
        waiting += _inside(type_)


def _inside(type_: inspect.Type) -> list[inspect.Type]:
    match type_:
        case inspect.StructType(fields=fields):
            return [field.type for field in fields]
        case inspect.Metadata(type=inner):
            return [inner]
        case inspect.UnionType(types=types):
            return list(types)
        case inspect.VarTupleType(item_type=item) | inspect.ListType(item_type=item):
            return [item]
        case inspect.TupleType(item_types=items):
            return list(items)
        case inspect.DictType(value_type=value):
            return [value]
        case _:
            return []
