"""An MCP server that asks for tokens, and its authorization server: real HTTP, as strict as the standards.

async with SignInServer() as there:
    ...  # there.url is the MCP server; a browser is `there.visit(authorization_url)`

What it does wrong is set on it: `documents` replaces what is told at a path, `refuse` what a path answers.
"""

import asyncio
import base64
import hashlib
import json
import secrets
from collections.abc import Awaitable, Callable, Mapping
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, parse_qsl, unquote, urlencode, urlsplit

import aiohttp
from aiohttp import web
from msgspec import Struct


class Asked(Struct, frozen=True):
    method: str
    path: str
    headers: Mapping[str, str]
    body: str

    @property
    def form(self) -> dict[str, str]:
        return dict(parse_qsl(self.body))


class SignInServer:
    def __init__(self, host: str = "127.0.0.1", *, secret: str | None = None) -> None:
        self._host = host
        self.origin = ""
        # Of the clients that it registers.
        self.secret = secret
        self.auth_method = "client_secret_basic" if secret else "none"
        self.expires_in: Any = 3600
        self.rotates = True
        # By path: JSON that is told instead, or a whole answer.
        self.documents: dict[str, Any] = {}
        self.refuse: dict[str, Callable[[], web.StreamResponse]] = {}
        # Set by a test that wants answers from /token to wait.
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.seen: list[Asked] = []
        self._more = asyncio.Condition()
        self.clients: dict[str, list[str]] = {}
        self.revoked: list[str] = []
        self._codes: dict[str, dict[str, str]] = {}
        self._refresh_tokens: set[str] = set()
        self.access_tokens: list[str] = []

    async def __aenter__(self) -> Self:
        self._runner = web.ServerRunner(web.Server(self._handle))
        await self._runner.setup()
        site = web.TCPSite(self._runner, self._host, 0)
        await site.start()
        self.origin = f"http://{self._host}:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._runner.cleanup()

    @property
    def url(self) -> str:
        return f"{self.origin}/mcp"

    def paths(self) -> list[str]:
        return [each.path for each in self.seen]

    def asked_at(self, path: str) -> list[Asked]:
        return [each for each in self.seen if each.path == path]

    async def until_asked(self, path: str, times: int) -> None:
        """Wait until it was asked there as often."""
        async with asyncio.timeout(30), self._more:
            await self._more.wait_for(lambda: len(self.asked_at(path)) >= times)

    async def visit(self, authorization_url: str) -> str:
        """A person opens the address and agrees. The address that the browser is sent to."""
        async with (
            aiohttp.ClientSession() as browser,
            browser.get(authorization_url, allow_redirects=False) as answer,
        ):
            assert answer.status == 302, await answer.text()
            return answer.headers["Location"]

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        body = (await request.read()).decode()
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.seen.append(Asked(request.method, request.path, headers, body))
        async with self._more:
            self._more.notify_all()
        if request.path in self.refuse:
            return self.refuse[request.path]()
        if request.path in self.documents:
            return web.json_response(self.documents[request.path])
        answers: dict[str, Callable[[web.BaseRequest, str], Awaitable[web.StreamResponse]]] = {
            "/mcp": self._mcp,
            "/.well-known/oauth-protected-resource/mcp": self._resource,
            "/.well-known/oauth-authorization-server": self._metadata,
            "/register": self._register,
            "/authorize": self._authorize,
            "/token": self._token,
            "/revoke": self._revoke,
        }
        answer = answers.get(request.path)
        return await answer(request, body) if answer is not None else web.Response(status=404)

    async def _mcp(self, request: web.BaseRequest, body: str) -> web.StreamResponse:
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if token in self.access_tokens:
            return _spoken(body) if request.method == "POST" else web.Response(status=405)
        there = f"{self.origin}/.well-known/oauth-protected-resource/mcp"
        return web.Response(
            status=401,
            headers={"WWW-Authenticate": f'Bearer resource_metadata="{there}", scope="read write"'},
        )

    async def _resource(self, _: web.BaseRequest, __: str) -> web.StreamResponse:
        return web.json_response({"resource": self.url, "authorization_servers": [self.origin]})

    def metadata(self) -> dict[str, Any]:
        return {
            "issuer": self.origin,
            "authorization_endpoint": f"{self.origin}/authorize",
            "token_endpoint": f"{self.origin}/token",
            "registration_endpoint": f"{self.origin}/register",
            "revocation_endpoint": f"{self.origin}/revoke",
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": [self.auth_method],
        }

    async def _metadata(self, _: web.BaseRequest, __: str) -> web.StreamResponse:
        return web.json_response(self.metadata())

    async def _register(self, request: web.BaseRequest, _: str) -> web.StreamResponse:
        wanted = await request.json()
        client_id = f"client-{len(self.clients) + 1}"
        self.clients[client_id] = wanted["redirect_uris"]
        secret = {"client_secret": self.secret} if self.secret else {}
        return web.json_response({**wanted, "client_id": client_id, **secret}, status=201)

    async def _authorize(self, request: web.BaseRequest, _: str) -> web.StreamResponse:
        query = {name: values[0] for name, values in parse_qs(urlsplit(str(request.url)).query).items()}
        assert query["response_type"] == "code"
        assert query["redirect_uri"] in self.clients.get(query["client_id"], [query["redirect_uri"]])
        assert query["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe(8)
        self._codes[code] = query
        # Some servers add words of their own.
        back = urlencode({"code": code, "state": query["state"], "iss": self.origin, "session_state": "x"})
        return web.Response(status=302, headers={"Location": f"{query['redirect_uri']}?{back}"})

    async def _token(self, request: web.BaseRequest, body: str) -> web.StreamResponse:
        await self.may_answer.wait()
        form = dict(parse_qsl(body))
        if not self._knows_client(request.headers.get("Authorization", ""), form):
            return web.json_response({"error": "invalid_client"}, status=401)
        match form["grant_type"]:
            case "authorization_code":
                asked = self._codes.pop(form["code"], None)
                digest = hashlib.sha256(form["code_verifier"].encode()).digest()
                challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
                if (
                    asked is None
                    or asked["code_challenge"] != challenge
                    or asked["redirect_uri"] != form["redirect_uri"]
                    or asked.get("resource") != form.get("resource")
                ):
                    return web.json_response({"error": "invalid_grant"}, status=400)
            case "refresh_token":
                if form["refresh_token"] not in self._refresh_tokens:
                    return web.json_response({"error": "invalid_grant"}, status=400)
                if self.rotates:
                    self._refresh_tokens.remove(form["refresh_token"])
            case _:
                return web.json_response({"error": "unsupported_grant_type"}, status=400)
        return web.json_response(self._granted(form))

    def _granted(self, form: Mapping[str, str]) -> dict[str, Any]:
        access, refresh = (f"{kind}-{secrets.token_urlsafe(8)}" for kind in ("access", "refresh"))
        self.access_tokens.append(access)
        granted = {"access_token": access, "token_type": "Bearer", "expires_in": self.expires_in}
        if form["grant_type"] == "authorization_code" or self.rotates:
            self._refresh_tokens.add(refresh)
            granted["refresh_token"] = refresh
        return granted

    def forget_refresh_tokens(self) -> None:
        """The user has taken back what they allowed, in the settings of their account there."""
        self._refresh_tokens.clear()

    def _knows_client(self, authorization: str, form: Mapping[str, str]) -> bool:
        if self.secret is None:
            return bool(form.get("client_id"))
        if self.auth_method == "client_secret_post":
            return form.get("client_secret") == self.secret
        _, _, encoded = authorization.partition("Basic ")
        client, _, secret = base64.b64decode(encoded).decode().partition(":")
        return bool(client) and unquote(secret) == self.secret

    async def _revoke(self, request: web.BaseRequest, body: str) -> web.StreamResponse:
        form = dict(parse_qsl(body))
        if not self._knows_client(request.headers.get("Authorization", ""), form):
            return web.json_response({"error": "invalid_client"}, status=401)
        self.revoked.append(form["token"])
        return web.Response(status=200)


def _spoken(body: str) -> web.StreamResponse:
    """As little MCP as there can be: a server with one tool, which says hello."""
    asked = json.loads(body)
    if "id" not in asked:
        return web.Response(status=202)
    tool = {"name": "greet", "description": "Says hello.", "inputSchema": {"type": "object"}}
    results: dict[str, Any] = {
        "initialize": {
            "protocolVersion": asked.get("params", {}).get("protocolVersion"),
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "tracker", "version": "1"},
        },
        "tools/list": {"tools": [tool]},
        "tools/call": {"content": [{"type": "text", "text": "hello"}]},
    }
    result = results.get(asked["method"])
    unknown = {"error": {"code": -32601, "message": "There is no such method."}}
    told = {"result": result} if result is not None else unknown
    return web.json_response({"jsonrpc": "2.0", "id": asked["id"], **told})
