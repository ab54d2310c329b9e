"""The groups that an MCP server is given to: by id or name in requests, with both in answers."""

from collections.abc import Mapping, Sequence
from typing import Any

from chatd.accounts.groups import group_names
from chatd.api.catalog.mcp_bodies import GivenGroupView
from chatd.api.router import Asked, B, Q
from chatd.catalog.mcp.config import McpConfig
from chatd.domain.people.deeds import Deed
from chatd.errors import BadInput


async def with_group_ids(asked: Asked[Q, B], fields: dict[str, Any]) -> dict[str, Any]:
    """The fields of a server for all users, with ids instead of names. Raises BadInput."""
    wanted = fields.get("groups")
    if not wanted:
        return fields
    names = await group_names(asked.store.db)
    ids = {name.casefold(): id_ for id_, name in names.items()} | {id_: id_ for id_ in names}
    found = {each: ids.get(each, ids.get(each.casefold())) for each in wanted}
    if unknown := [each for each, id_ in found.items() if id_ is None]:
        raise BadInput(
            "group_not_found",
            f"There are no such groups: {', '.join(map(repr, unknown))}.",
            field="groups",
            hint="GET /api/v1/groups lists them.",
        )
    return {**fields, "groups": tuple(dict.fromkeys(found.values()))}


async def names_for(asked: Asked[Q, B], servers: Sequence[McpConfig]) -> Mapping[str, str]:
    """Of groups that these servers are given to, for administrators; not looked for without need."""
    if not asked.may(Deed.POLICY_CHANGE) or all(each.groups is None for each in servers):
        return {}
    return await group_names(asked.store.db)


def groups_shown(server: McpConfig, names: Mapping[str, str]) -> tuple[GivenGroupView, ...] | None:
    """Without those that were deleted."""
    if server.groups is None:
        return None
    return tuple(GivenGroupView(id=each, name=names[each]) for each in server.groups if each in names)
