"""The MCP servers that there are for one user, declared and stored, and questions to ask of them. Pure."""

from collections.abc import Collection, Sequence
from typing import Literal, TypeAlias

from chatd.catalog.mcp.config import AuthType, Availability, McpConfig, McpServerId, Scope, UnreadableServer
from chatd.errors import BadInput, NotAllowed

Reason: TypeAlias = Literal["disabled", "slug_taken", "secret_missing", "not_connected"]


class McpInventory:
    """In an order that stays: declared ones, those for all users, the user's own; the oldest first."""

    def __init__(self, declared: Sequence[McpConfig], stored: Sequence[McpConfig | UnreadableServer]) -> None:
        self.servers = (*declared, *(each for each in stored if isinstance(each, McpConfig)))
        self.unreadable = tuple(each for each in stored if isinstance(each, UnreadableServer))
        self._by_id = {each.id: each for each in self.servers}
        first = {each.slug: each.id for each in reversed((*declared, *stored))}
        # Those that a new server cannot have.
        self.slugs = frozenset(first)
        self._shadowed = frozenset(each.id for each in self.servers if first[each.slug] != each.id)

    def server(self, server_id: McpServerId) -> McpConfig | None:
        return self._by_id.get(server_id)

    def called(self, wanted: str) -> McpConfig | None:
        """The server of this id, or else of this slug."""
        named = (each for each in self.servers if each.slug == wanted and each.id not in self._shadowed)
        return self._by_id.get(wanted) or next(named, None)

    def why_unusable(self, config: McpConfig) -> Reason | None:
        """Why no chat can use it; as far as it is not for the user to sign in."""
        if not config.enabled:
            return "disabled"
        if config.id in self._shadowed:
            # The names of its tools would be taken for those of another server.
            return "slug_taken"
        return "secret_missing" if _lacks_secret(config) else None

    def in_use(self, selection: Collection[McpServerId] | None) -> tuple[McpConfig, ...]:
        """The servers of a chat that has chosen these; None: those that are on by default.

        Raises NotAllowed when it cannot be told whether all servers are among them that must be.
        """
        self.check_forced()
        return tuple(
            each for each in self.servers if self.why_unusable(each) is None and _is_chosen(each, selection)
        )

    def check_forced(self) -> None:
        for each in self.unreadable:
            if each.owner_id is None and each.availability == Availability.FORCE_ON:
                raise NotAllowed(
                    "mcp_server_unreadable",
                    f"This version of chatd cannot read the MCP server {each.slug}, without which no chat "
                    "may run.",
                    hint="An administrator can update chatd, or delete the server.",
                )

    def choice(
        self, wanted: Sequence[str], chosen_before: Collection[McpServerId]
    ) -> tuple[McpServerId, ...]:
        """As a chat keeps it: ids, each once, and those that must be there.

        What the chat has already is kept, whatever became of it. Raises BadInput, with all that cannot be
        chosen, and NotAllowed as `in_use`.
        """
        self.check_forced()
        found = {each: self._choosable(each, chosen_before) for each in wanted}
        if wrong := [each for each, id_ in found.items() if id_ is None]:
            raise BadInput(
                "mcp_server_unavailable",
                f"These MCP servers cannot be used: {', '.join(map(repr, wrong))}.",
                field="mcp_servers",
                hint="GET /api/v1/mcp-servers lists those that can.",
            )
        forced = [each.id for each in self.in_use(()) if each.availability is Availability.FORCE_ON]
        return tuple(dict.fromkeys([*(id_ for id_ in found.values() if id_ is not None), *forced]))

    def _choosable(self, wanted: str, chosen_before: Collection[McpServerId]) -> McpServerId | None:
        if wanted in chosen_before:
            return wanted
        server = self.called(wanted)
        return server.id if server is not None and self.why_unusable(server) is None else None


def _is_chosen(config: McpConfig, selection: Collection[McpServerId] | None) -> bool:
    if config.availability is Availability.FORCE_ON:
        return True
    if selection is None:
        return config.availability is Availability.DEFAULT_ON
    return config.id in selection


def _lacks_secret(config: McpConfig) -> bool:
    """It was forgotten, because it could not be unsealed any more."""
    match config.auth_type:
        case AuthType.API_KEY:
            return not config.has_api_key
        case AuthType.CUSTOM_HEADERS:
            return not config.header_names
        case AuthType.NONE | AuthType.OAUTH2:
            return False


def is_visible(config: McpConfig, *, to_admin: bool) -> bool:
    """Of the servers in a user's inventory."""
    return config.enabled or to_admin or config.scope is Scope.USER


def is_managed(config: McpConfig, *, by_admin: bool) -> bool:
    """Whether the user may see all of it, and change it."""
    return by_admin or config.scope is Scope.USER
