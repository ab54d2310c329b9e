"""Which models chats have that work for others: set by administrators for all, and by users for their own."""

from typing import Any

from msgspec import UnsetType
from msgspec.structs import replace

from chatd.api.catalog.bodies import ChildModelInput, OwnSubagentsInput, SubagentsInput
from chatd.api.failures import Forbidden
from chatd.api.router import Asked, B, Q
from chatd.catalog.documents import SUBAGENTS, ChildModel, OwnSubagents, Subagents


async def for_all(asked: Asked[Q, B]) -> Subagents:
    return await asked.server.catalog_store.documents.read(SUBAGENTS, Subagents)


async def changed(asked: Asked[Q, B], wanted: SubagentsInput) -> Subagents:
    return replace(await for_all(asked), **await _named(asked, wanted))


async def own(asked: Asked[Q, B]) -> OwnSubagents:
    return await asked.server.catalog_store.documents.subagents_of(asked.user.id)


async def own_changed(asked: Asked[Q, B], wanted: OwnSubagentsInput) -> OwnSubagents:
    """Raises Forbidden when users may not choose."""
    if not (await for_all(asked)).own_allowed:
        raise Forbidden(
            "own_subagents_not_allowed",
            "The models of chats that work for others are the same for all users of this server.",
            field="subagents",
            hint="An administrator can allow it, with subagents.own_allowed in the settings.",
        )
    return replace(await own(asked), **await _named(asked, wanted))


async def _named(asked: Asked[Q, B], wanted: SubagentsInput | OwnSubagentsInput) -> dict[str, Any]:
    """The fields that are named, with models that can be used. Raises BadInput."""
    fields: dict[str, Any] = {}
    for name in wanted.__struct_fields__:
        value = getattr(wanted, name)
        if isinstance(value, ChildModelInput):
            value = await _admitted(asked, value, f"subagents.{name}.model")
        if not isinstance(value, UnsetType):
            fields[name] = value
    return fields


async def _admitted(asked: Asked[Q, B], wanted: ChildModelInput, field: str) -> ChildModel:
    name = await asked.server.catalog_store.admit(wanted.model, asked.user.id, field=field)
    return ChildModel(model=name or wanted.model, reasoning_effort=wanted.reasoning_effort)
