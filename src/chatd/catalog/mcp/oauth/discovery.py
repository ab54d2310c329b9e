"""Finding out where users of an MCP server sign in, and registering chatd there as a client.

Asked when a server is saved. Everything that is told is looked at like what a user would have written: it
must be an address, with TLS, and not in a private network, unless it is on the very host and port that an
administrator has named.
"""

from collections.abc import Iterable, Mapping
from typing import TypeVar
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from chatd.catalog.mcp.config import ClientAuth, McpConfig, OAuth
from chatd.catalog.mcp.oauth.metadata import (
    ISSUERS_MAX,
    SCOPES_MAX,
    AuthorizationServer,
    ProtectedResource,
    RegisteredClient,
    challenge_in,
    covers,
    decoded,
    issuer_documents,
    origin_of,
    resource_documents,
)
from chatd.catalog.mcp.oauth.trust import is_named
from chatd.catalog.mcp.rules.checks import problem_of_reach
from chatd.catalog.mcp.rules.values import VALUES
from chatd.errors import BadInput
from chatd.kit.outbound.exchange import Exchange, HttpAnswer, NoAnswer
from chatd.kit.outbound.pkce import S256

T = TypeVar("T", bound=Struct)

CLIENT_NAME = "chatd"
FIELDS = ("client_id", "auth_url", "token_url", "revocation_url", "scopes")
_UNAUTHORIZED = 401


class Discovered(Struct, frozen=True, kw_only=True):
    oauth: OAuth
    client_secret: str | None

    def __repr__(self) -> str:
        return f"Discovered({self.oauth!r})"


class Discovery:
    def __init__(self, exchange: Exchange, *, private_hosts: bool) -> None:
        self._exchange = exchange
        self._private_hosts = private_hosts

    async def discover(self, config: McpConfig, redirect_uri: str) -> Discovered:
        """What is still missing of `config.oauth`. Raises BadInput, which says at which step it failed."""
        search = _Search(self._exchange, config, private_hosts=self._private_hosts)
        resource, scopes = await search.resource()
        server = await search.authorization_server(resource)
        client = await search.registered(server, redirect_uri)
        given = config.oauth or OAuth()
        oauth = OAuth(
            client_id=client.client_id,
            auth_url=server.authorization_endpoint,
            token_url=server.token_endpoint,
            revocation_url=given.revocation_url or server.revocation_endpoint,
            scopes=given.scopes or scopes,
            issuer=server.issuer,
            resource=resource.resource if resource is not None else None,
            client_auth=_client_auth(client),
        )
        told = tuple(name for name in FIELDS if getattr(oauth, name) and not getattr(given, name))
        return Discovered(oauth=replace(oauth, discovered=told), client_secret=client.client_secret)


class _Search:
    def __init__(self, exchange: Exchange, config: McpConfig, *, private_hosts: bool) -> None:
        assert config.url is not None
        self._exchange = exchange
        self._config = config
        self._url = config.url
        self._private_hosts = private_hosts

    async def resource(self) -> tuple[ProtectedResource | None, str]:
        """What the MCP server tells, and the scopes that it asks for. Older servers tell nothing."""
        told = await self._challenge()
        places = [told["resource_metadata"]] if "resource_metadata" in told else resource_documents(self._url)
        resource = await self._first(places, ProtectedResource)
        if resource is not None and not covers(resource.resource, self._url):
            raise _failed("The server says that it is another one (`resource` in its metadata).")
        if resource is None and "resource_metadata" in told:
            raise _failed("What the server tells about signing in cannot be read.")
        scopes = told.get("scope") or " ".join((resource.scopes_supported if resource else ())[:SCOPES_MAX])
        return resource, scopes if scopes and VALUES["oauth2_scopes"](scopes) is None else ""

    async def _challenge(self) -> dict[str, str]:
        """Asked for nothing in particular, it refuses, and tells where to sign in."""
        try:
            answer = await self._ask("GET", self._url)
        except NoAnswer as error:
            raise _failed(f"The server was asked where to sign in, and {error}.") from None
        if answer.status != _UNAUTHORIZED:
            return {}
        return challenge_in(answer.headers.get("www-authenticate", ""))

    async def authorization_server(self, resource: ProtectedResource | None) -> AuthorizationServer:
        # Older servers are their own authorization servers.
        told = resource.authorization_servers[:ISSUERS_MAX] if resource is not None else ()
        for issuer in told or (origin_of(self._url),):
            self._check(issuer, "issuer")
            found = await self._first(issuer_documents(issuer), AuthorizationServer)
            if found is not None:
                return self._checked(found, issuer)
        raise _failed("No authorization server of this MCP server describes itself.")

    def _checked(self, server: AuthorizationServer, issuer: str) -> AuthorizationServer:
        if server.issuer.rstrip("/") != issuer.rstrip("/"):
            raise _failed("The authorization server says that it is another one (`issuer` in its metadata).")
        methods = server.code_challenge_methods_supported
        if methods is not None and S256 not in methods:
            raise _failed("The authorization server does not support PKCE with S256.")
        named = {
            "authorization_endpoint": server.authorization_endpoint,
            "token_endpoint": server.token_endpoint,
            "registration_endpoint": server.registration_endpoint,
            "revocation_endpoint": server.revocation_endpoint,
        }
        for name, url in named.items():
            if url is not None:
                self._check(url, name)
        return server

    async def registered(self, server: AuthorizationServer, redirect_uri: str) -> RegisteredClient:
        if server.registration_endpoint is None:
            raise _failed("The authorization server registers no clients by itself.")
        supported = server.token_endpoint_auth_methods_supported or (ClientAuth.BASIC,)
        method = next((each for each in ClientAuth if each in supported), ClientAuth.BASIC)
        wanted = {
            "client_name": CLIENT_NAME,
            "redirect_uris": [redirect_uri],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": method.value,
        }
        try:
            answer = await self._ask("POST", server.registration_endpoint, json=wanted)
        except NoAnswer as error:
            raise _failed(f"The authorization server was asked to register a client, and {error}.") from None
        client = decoded(answer.body, RegisteredClient) if answer.is_well else None
        if client is None:
            raise _failed(f"The authorization server did not register a client (HTTP {answer.status}).")
        secret = client.client_secret
        if VALUES["oauth2_client_id"](client.client_id) or not client.client_id:
            raise _failed("The authorization server has registered a client whose id cannot be sent.")
        if secret is not None and VALUES["oauth2_client_secret"](secret):
            raise _failed("The authorization server has registered a client whose secret cannot be sent.")
        return client

    async def _first(self, places: Iterable[str], type_: type[T]) -> T | None:
        for place in places:
            self._check(place, "address")
            try:
                answer = await self._ask("GET", place)
            except NoAnswer as error:
                raise _failed(f"The server was asked for its metadata, and {error}.") from None
            found = decoded(answer.body, type_) if answer.is_well else None
            if found is not None:
                return found
        return None

    async def _ask(self, method: str, url: str, *, json: Mapping[str, object] | None = None) -> HttpAnswer:
        return await self._exchange.ask(method, url, trusted=is_named(self._config, url), json=json)

    def _check(self, url: str, what: str) -> None:
        if VALUES["url"](url) is not None:
            raise _failed(f"The {what} that the server tells is no address.")
        private = self._private_hosts or is_named(self._config, url)
        if problem_of_reach(url, what, private=private) is not None:
            host = urlsplit(url).hostname
            raise _failed(
                f"The {what} that the server tells, at {host}, is in a private network, or has no TLS."
            )


def _client_auth(client: RegisteredClient) -> ClientAuth:
    if client.client_secret is None:
        return ClientAuth.NONE
    told = client.token_endpoint_auth_method
    return ClientAuth.POST if told == ClientAuth.POST else ClientAuth.BASIC


def _failed(what: str) -> BadInput:
    return BadInput(
        "discovery_failed",
        what,
        field="auth_type",
        hint="Make a client there by hand, and give oauth2_client_id, oauth2_auth_url and oauth2_token_url.",
    )
