"""MCP servers: for all users, set by administrators, and of one user."""

from collections.abc import Mapping
from contextlib import AbstractContextManager

from msgspec import UNSET
from msgspec.structs import asdict, replace

from chatd.api.bodies import Nothing
from chatd.api.catalog.bodies import UnreadableView
from chatd.api.catalog.mcp_bodies import (
    CallbackQuery,
    ConnectionView,
    CreateMcpServer,
    FinishSignIn,
    McpServerList,
    McpServerView,
    PatchMcpServer,
    SignIn,
)
from chatd.api.catalog.mcp_groups import groups_shown, names_for, with_group_ids
from chatd.api.checks import something_to_change
from chatd.api.failures import Forbidden
from chatd.api.router import Asked, B, Download, Q
from chatd.api.serving import plain_page
from chatd.api.serving.limits.admission import Heavy
from chatd.catalog.mcp.config import McpConfig, OAuth, Scope, UnreadableServer
from chatd.catalog.mcp.edit import ServerEdit
from chatd.catalog.mcp.inventory import McpInventory, is_managed
from chatd.catalog.mcp.oauth.grants import Grant
from chatd.catalog.mcp.oauth.sign_in import SIGN_IN_SECONDS, Returned
from chatd.catalog.mcp.probe import McpProbe
from chatd.catalog.mcp.services import Disconnected
from chatd.catalog.models.lookup import declared_elsewhere
from chatd.domain.people.deeds import Deed
from chatd.errors import NotAllowed, NotFound


async def list_(asked: Asked[Nothing, Nothing]) -> McpServerList:
    """Users get those that are on and given to them, and their own; administrators all but others' own."""
    inventory = await _inventory(asked)
    is_admin = asked.may(Deed.POLICY_CHANGE)
    unreadable = tuple(
        UnreadableView(id=each.id, name=each.slug, reason=each.reason)
        for each in inventory.unreadable
        if is_admin or each.owner_id is not None
    )
    grants = await asked.server.mcp.grants.of_user(asked.user.id)
    names = await names_for(asked, inventory.servers)
    return McpServerList(
        mcp_servers=tuple(
            _view(asked, inventory, each, grants.get(each.id), names)
            for each in inventory.servers
            if inventory.is_visible(each, to_admin=is_admin)
        ),
        unreadable=unreadable or UNSET,
    )


async def show(asked: Asked[Nothing, Nothing]) -> McpServerView:
    return await _shown(asked, _visible(asked, await _inventory(asked)))


async def add(asked: Asked[Nothing, CreateMcpServer]) -> McpServerView:
    fields = asdict(asked.body)
    slug, scope = fields.pop("slug"), fields.pop("scope")
    if scope is Scope.DEPLOYMENT and not asked.may(Deed.POLICY_CHANGE):
        raise Forbidden(
            "not_permitted",
            "Only administrators add MCP servers for all users.",
            field="scope",
            hint="Leave `scope` out to add it for yourself.",
        )
    owner_id = asked.user.id if scope is Scope.USER else None
    if owner_id is None:
        fields = await with_group_ids(asked, fields)
    with _calling(asked):
        added = await asked.server.mcp.administration.add(owner_id, slug, ServerEdit(**fields), by=asked.by)
    return await _shown(asked, added)


async def patch(asked: Asked[Nothing, PatchMcpServer]) -> McpServerView:
    fields = something_to_change(asked.body)
    server = _changeable(asked, _visible(asked, await _inventory(asked)))
    if server.owner_id is None:
        fields = await with_group_ids(asked, fields)
    with _calling(asked):
        changed = await asked.server.mcp.administration.change(server, ServerEdit(**fields), by=asked.by)
    return await _shown(asked, changed)


async def delete(asked: Asked[Nothing, Nothing]) -> None:
    inventory = await _inventory(asked)
    found: McpConfig | UnreadableServer | None = next(
        (each for each in inventory.unreadable if each.id == asked.path["server_id"]), None
    )
    if found is not None and found.owner_id is None and not asked.may(Deed.POLICY_CHANGE):
        raise _not_found(asked)
    server = found or _changeable(asked, _visible(asked, inventory))
    await asked.server.mcp.store.delete(server, by=asked.by)


async def test(asked: Asked[Nothing, Nothing]) -> McpProbe:
    """One connection. That it fails is an answer, not an error."""
    server = _visible(asked, await _inventory(asked))
    with _calling(asked):
        return await asked.server.mcp_prober.probe(server, asked.user.id)


async def connect(asked: Asked[Nothing, Nothing]) -> SignIn:
    """Users sign in for themselves; an administrator, too, for no one else."""
    server = _visible(asked, await _inventory(asked))
    if server.oauth is None:
        raise NotAllowed("no_sign_in", f"Users do not sign in at {server.slug}.")
    url = await asked.server.mcp.sign_ins.begin(server, asked.user.id)
    return SignIn(authorization_url=url, expires_in_seconds=SIGN_IN_SECONDS)


async def finish(asked: Asked[Nothing, FinishSignIn]) -> McpServerView:
    server = _visible(asked, await _inventory(asked))
    await asked.server.mcp.sign_ins.finish(server, asked.user.id, asked.body.code)
    return await _shown(asked, server)


async def disconnect(asked: Asked[Nothing, Nothing]) -> Disconnected:
    """Also from a server that is switched off by now: what is a user's own they can take back."""
    server = (await _inventory(asked)).server(asked.path["server_id"])
    with _calling(asked):
        return await asked.server.mcp.disconnect(asked.path["server_id"], server, asked.user.id)


async def callback(asked: Asked[CallbackQuery, Nothing]) -> Download:
    query = asked.query
    returned = Returned(state=query.state, code=query.code, issuer=query.iss, error=query.error)
    code = await asked.server.mcp.sign_ins.come_back(asked.path["server_id"], returned)
    return Download(
        data=CONFIRM.format(code=code).encode(), media_type=plain_page.MEDIA_TYPE, headers=plain_page.HEADERS
    )


CONFIRM = """\
You have signed in. To finish, enter this code where you began, within 10 minutes:

    {code}

Enter it only if you have begun this yourself, in the settings of chatd or with `chatd mcp connect`.
If another person sent you here, close this page: with the code they could use your account.
"""


def _calling(asked: Asked[Q, B]) -> AbstractContextManager[None]:
    """Servers are called for the user, and not too many at once."""
    return asked.admitted(Heavy.CALL)


async def _shown(asked: Asked[Q, B], server: McpConfig) -> McpServerView:
    grant = await asked.server.mcp.grants.of(server.id, asked.user.id)
    return _view(asked, await _inventory(asked), server, grant, await names_for(asked, [server]))


async def _inventory(asked: Asked[Q, B]) -> McpInventory:
    return await asked.server.mcp.store.inventory(asked.user.id)


def _visible(asked: Asked[Q, B], inventory: McpInventory) -> McpConfig:
    """The server that the path names. One that the caller is not shown does not exist for them."""
    wanted = asked.path["server_id"]
    if any(
        each.id == wanted and (asked.may(Deed.POLICY_CHANGE) or each.owner_id)
        for each in inventory.unreadable
    ):
        raise NotAllowed(
            "unreadable",
            "This version of chatd cannot read this MCP server.",
            hint="Update chatd, or delete the server and add it again. The list of them says why.",
        )
    server = inventory.server(wanted)
    if server is None or not inventory.is_visible(server, to_admin=asked.may(Deed.POLICY_CHANGE)):
        raise _not_found(asked)
    return server


def _not_found(asked: Asked[Q, B]) -> NotFound:
    return NotFound(
        "mcp_server_not_found",
        f"There is no MCP server {asked.path['server_id']!r}.",
        hint="GET /api/v1/mcp-servers lists them.",
    )


def _changeable(asked: Asked[Q, B], server: McpConfig) -> McpConfig:
    if not is_managed(server, by_admin=asked.may(Deed.POLICY_CHANGE)):
        raise Forbidden("not_permitted", "Only administrators change MCP servers for all users.")
    if server.declared:
        raise declared_elsewhere(server.slug)
    return server


def _view(
    asked: Asked[Q, B],
    inventory: McpInventory,
    server: McpConfig,
    grant: Grant | None,
    names: Mapping[str, str],
) -> McpServerView:
    is_connected = server.oauth is None or (grant is not None and grant.is_for(server))
    view = McpServerView(
        id=server.id,
        slug=server.slug,
        scope=server.scope,
        display_name=server.display_name,
        description=server.description,
        icon_url=server.icon_url,
        transport=server.transport,
        auth_type=server.auth_type,
        availability=server.availability,
        enabled=server.enabled,
        model_intent=server.model_intent,
        allow_in_plan_mode=server.allow_in_plan_mode,
        declared=server.declared,
        auth_connected=is_connected,
        unavailable_reason=inventory.why_unchoosable(server) or (None if is_connected else "not_connected"),
        connection=_connection(asked, server),
        has_api_key=server.has_api_key,
        has_custom_headers=bool(server.header_names),
        has_env=bool(server.env_names),
        has_oauth2_secret=server.has_client_secret,
    )
    if not is_managed(server, by_admin=asked.may(Deed.POLICY_CHANGE)):
        return view
    return replace(_in_full(view, server), groups=groups_shown(server, names))


def _connection(asked: Asked[Q, B], server: McpConfig) -> ConnectionView | None:
    if asked.server.chat_servers is None:
        return None
    state = asked.server.chat_servers.connections.state_by_id(asked.user.id, server.id)
    return ConnectionView(connected=state.connected, tools=state.tools, problem=state.problem)


def _in_full(view: McpServerView, server: McpConfig) -> McpServerView:
    oauth = server.oauth or OAuth()
    return replace(
        view,
        url=server.url,
        command=server.command,
        env_names=server.env_names,
        api_key_header=server.api_key_header,
        custom_header_names=server.header_names,
        oauth2_client_id=oauth.client_id or None,
        oauth2_auth_url=oauth.auth_url or None,
        oauth2_token_url=oauth.token_url or None,
        oauth2_revocation_url=oauth.revocation_url,
        oauth2_scopes=oauth.scopes,
        tool_allow_list=server.allow,
        tool_deny_list=server.deny,
        forward_identity=server.forward_identity,
        connect_seconds=server.connect_seconds,
        call_seconds=server.call_seconds,
    )
