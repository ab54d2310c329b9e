"""The MCP servers that there are for one user, declared and stored, and questions to ask of them. Pure."""

from collections.abc import Collection, Sequence
from typing import Literal, TypeAlias

from chatd.catalog.mcp.config import AuthType, Availability, McpConfig, McpServerId, Scope, UnreadableServer
from chatd.domain.people.given import is_given
from chatd.errors import BadInput, NotAllowed

Reason: TypeAlias = Literal["disabled", "slug_taken", "secret_missing", "not_given", "not_connected"]


class McpInventory:
    """In an order that stays: declared ones, those for all users, the user's own; the oldest first."""

    def __init__(
        self,
        declared: Sequence[McpConfig],
        stored: Sequence[McpConfig | UnreadableServer],
        member_of: Collection[str] = (),
    ) -> None:
        """`member_of` are the ids of the user's groups."""
        self.servers = (*declared, *(each for each in stored if isinstance(each, McpConfig)))
        self.unreadable = tuple(each for each in stored if isinstance(each, UnreadableServer))
        self._member_of = frozenset(member_of)
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

    def why_unchoosable(self, config: McpConfig) -> Reason | None:
        """The same, and why no chat gets it that does not have it already."""
        return self.why_unusable(config) or (None if self._is_given(config) else "not_given")

    def is_visible(self, config: McpConfig, *, to_admin: bool) -> bool:
        return to_admin or config.scope is Scope.USER or (config.enabled and self._is_given(config))

    def in_use(self, selection: Collection[McpServerId] | None) -> tuple[McpConfig, ...]:
        """The servers of a chat that has chosen these; None: those that are on by default.

        What a chat has chosen it keeps, also when its owner is not given it any more. Raises NotAllowed when
        it cannot be told whether all servers are among them that must be.
        """
        self.check_forced()
        usable = (each for each in self.servers if self.why_unusable(each) is None)
        return tuple(each for each in usable if self._is_chosen(each, selection))

    def to_keep(self) -> tuple[McpServerId, ...] | None:
        """What a new chat that chooses nothing is made with: it keeps what its owner's groups give it.

        None where they give it nothing: it has what is on by default, at any time. Raises as `in_use`.
        """
        usual = self.in_use(None)
        return tuple(each.id for each in usual) if any(each.groups is not None for each in usual) else None

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
        return server.id if server is not None and self.why_unchoosable(server) is None else None

    def _is_chosen(self, config: McpConfig, selection: Collection[McpServerId] | None) -> bool:
        if selection is not None and config.id in selection:
            return True
        without_a_choice = selection is None and config.availability is Availability.DEFAULT_ON
        is_on = config.availability is Availability.FORCE_ON or without_a_choice
        return is_on and self._is_given(config)

    def _is_given(self, config: McpConfig) -> bool:
        return is_given(config.groups, self._member_of)


def _lacks_secret(config: McpConfig) -> bool:
    """It was forgotten, because it could not be unsealed any more."""
    match config.auth_type:
        case AuthType.API_KEY:
            return not config.has_api_key
        case AuthType.CUSTOM_HEADERS:
            return not config.header_names
        case AuthType.NONE | AuthType.OAUTH2:
            return False


def is_managed(config: McpConfig, *, by_admin: bool) -> bool:
    """Whether the user may see all of it, and change it."""
    return by_admin or config.scope is Scope.USER
