"""What of an MCP server goes together. Pure: the same rules for files and for requests.

What each field may be by itself is in `values.py`, and was asked before.
"""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from chatd.catalog.mcp.config import AuthType, Availability, McpConfig, McpSecrets, OAuth, Scope
from chatd.catalog.mcp.rules.values import host_of
from chatd.catalog.rules.addresses import is_private
from chatd.catalog.rules.checks import Problem
from chatd.kit.outbound.public_address import is_public

ADDRESS_REFUSED = "address_refused"
NOT_TOGETHER = "not_together"


def problem_of_server(config: McpConfig, secrets: McpSecrets, *, private_hosts: bool) -> Problem | None:
    """The first thing that is wrong with it.

    `private_hosts` says that users may name servers in private networks; administrators always may.
    """
    may_be_private = private_hosts or config.owner_id is None
    problems = (
        _problem_of_kind(config),
        _problem_of_sign_in(config, secrets),
        *(problem_of_reach(url, field, private=may_be_private) for field, url in _urls_of(config)),
    )
    return next((problem for problem in problems if problem), None)


def problem_of_reach(url: str, field: str, *, private: bool) -> Problem | None:
    """Why this address is not called; without `private`, it must be one of the internet."""
    host = host_of(url)
    if not private and _is_surely_private(host):
        return private_address(field)
    if urlsplit(url).scheme == "http" and not is_private(host):
        return Problem(
            field, f"`{field}` is not in a private network and has no TLS.", "Use https.", ADDRESS_REFUSED
        )
    return None


def private_address(field: str) -> Problem:
    return Problem(
        field,
        f"`{field}` leads to this machine or into a private network.",
        "Name a server on the internet. An operator can allow others with CHATD_MCP_PRIVATE_HOSTS=true, "
        "and an administrator can add the server for all users.",
        ADDRESS_REFUSED,
    )


def _is_surely_private(host: str) -> bool:
    """As far as its name tells; where a name leads to is known when it is looked up."""
    is_number = ":" in host or re.fullmatch(r"[0-9.]+", host) is not None
    return not is_public(host) if is_number else is_private(host)


def _urls_of(config: McpConfig) -> Iterator[tuple[str, str]]:
    oauth = config.oauth or OAuth()
    named = {
        "url": config.url,
        "oauth2_auth_url": oauth.auth_url,
        "oauth2_token_url": oauth.token_url,
        "oauth2_revocation_url": oauth.revocation_url,
    }
    yield from ((field, url) for field, url in named.items() if url)


def _problem_of_kind(config: McpConfig) -> Problem | None:
    """A program of the server's machine, or an address, and never both."""
    if config.scope is Scope.USER and config.availability is Availability.FORCE_ON:
        return _not_together("availability", "Only a server for all users can be `force_on`.")
    if config.scope is Scope.USER and config.groups is not None:
        return _not_together("groups", "Only a server of the scope `deployment` is given to groups.")
    if config.is_remote:
        if not config.url:
            return _not_together("url", "A remote server needs its url.")
        return (
            _not_together("command", "Only the transport `stdio` has a command.") if config.command else None
        )
    if config.scope is Scope.USER:
        return _not_together(
            "transport",
            "A server of the transport `stdio` is a program on the server's machine, and for all users.",
            "An administrator can add it, with the scope `deployment`.",
        )
    if config.url is not None:
        return _not_together("url", "A server of the transport `stdio` has a command, and no url.")
    if config.auth_type is not AuthType.NONE:
        return _not_together("auth_type", "A server of the transport `stdio` is given its secrets in `env`.")
    return None if config.command else _not_together("command", "The transport `stdio` needs a command.")


def _problem_of_sign_in(config: McpConfig, secrets: McpSecrets) -> Problem | None:
    match config.auth_type:
        case AuthType.NONE:
            return None
        case AuthType.API_KEY if secrets.api_key is None:
            return _not_together("api_key_value", "The auth_type `api_key` needs an api_key_value.")
        case AuthType.CUSTOM_HEADERS if not secrets.headers:
            return _not_together("custom_headers", "The auth_type `custom_headers` needs custom_headers.")
        case AuthType.OAUTH2:
            return _problem_of_client(config.oauth or OAuth(), secrets)
        case AuthType.API_KEY | AuthType.CUSTOM_HEADERS:
            return None


def _problem_of_client(oauth: OAuth, secrets: McpSecrets) -> Problem | None:
    given = [bool(value) for value in (oauth.client_id, oauth.auth_url, oauth.token_url)]
    if any(given) and not all(given):
        return _not_together(
            "oauth2_client_id",
            "oauth2_client_id, oauth2_auth_url and oauth2_token_url go together.",
            "Give all three, or none of them: then the server is asked where to sign in.",
        )
    if secrets.client_secret is not None and not oauth.client_id:
        return _not_together("oauth2_client_secret", "A client secret goes with its oauth2_client_id.")
    return None


def _not_together(field: str, message: str, hint: str | None = None) -> Problem:
    return Problem(field, message, hint, NOT_TOGETHER)
