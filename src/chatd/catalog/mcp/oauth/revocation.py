"""Giving tokens back when a user disconnects (RFC 7009). Best effort: what is kept is deleted in any case."""

from urllib.parse import urlsplit

from msgspec import Struct

from chatd.catalog.mcp.config import McpConfig, McpSecrets, OAuth
from chatd.catalog.mcp.oauth.metadata import decoded
from chatd.catalog.mcp.oauth.token_endpoint import Tokens, client_identity
from chatd.catalog.mcp.oauth.trust import is_named
from chatd.catalog.rules.addresses import is_loopback
from chatd.kit.outbound.exchange import Exchange, NoAnswer

UNSUPPORTED = "unsupported_token_type"


class _Refusal(Struct, frozen=True, kw_only=True):
    error: str


class Revocation:
    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange

    async def revoke(self, config: McpConfig, secrets: McpSecrets, tokens: Tokens) -> str | None:
        """Why they were not taken back; None: they were.

        The refresh token goes first, and mostly takes the others with it. The access token is sent only
        where the server says that it cannot take back the other kind.
        """
        oauth = config.oauth or OAuth()
        if oauth.revocation_url is None:
            return "The server tells no address for that."
        address = urlsplit(oauth.revocation_url)
        if address.scheme != "https" and not is_loopback(address.hostname or ""):
            return "The address for that has no TLS."
        kinds = {"refresh_token": tokens.refresh_token, "access_token": tokens.access_token}
        problem = None
        for kind, token in kinds.items():
            if token is not None:
                problem, is_unsupported = await self._revoked(config, secrets, oauth, kind, token)
                if not is_unsupported:
                    break
        return problem

    async def _revoked(
        self, config: McpConfig, secrets: McpSecrets, oauth: OAuth, kind: str, token: str
    ) -> tuple[str | None, bool]:
        assert oauth.revocation_url is not None
        headers, identity = client_identity(oauth, secrets)
        try:
            answer = await self._exchange.ask(
                "POST",
                oauth.revocation_url,
                trusted=is_named(config, oauth.revocation_url, "revocation_url"),
                headers=headers,
                form={"token": token, "token_type_hint": kind, **identity},
            )
        except NoAnswer as error:
            return f"The server was asked, and {error}.", False
        if answer.is_well:
            return None, False
        refusal = decoded(answer.body, _Refusal)
        is_unsupported = refusal is not None and refusal.error == UNSUPPORTED
        return f"The server answered with HTTP {answer.status}.", is_unsupported
