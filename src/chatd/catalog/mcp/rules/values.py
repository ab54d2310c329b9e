"""What each field of an MCP server may be, by itself. Pure: a table, and the words of each refusal."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from msgspec import UNSET

from chatd.catalog.mcp.config import (
    CALL_SECONDS_MAX,
    CLIENT_ID_LENGTH_MAX,
    CONNECT_SECONDS_MAX,
    DESCRIPTION_LENGTH_MAX,
    HEADER_NAME_LENGTH_MAX,
    HEADERS_MAX,
    SCOPES_LENGTH_MAX,
    SECRET_BYTES_MAX,
    SLUG,
    SLUG_LENGTH_MAX,
    TOOL_NAME_LENGTH_MAX,
    TOOLS_LISTED_MAX,
    VARIABLES_MAX,
    WORD_LENGTH_MAX,
    WORDS_MAX,
)
from chatd.catalog.mcp.edit import ServerEdit
from chatd.catalog.models.rows import DISPLAY_LENGTH_MAX
from chatd.catalog.rules.checks import CONNECTION_HEADERS, HEADER_NAME, Problem, is_address, is_sendable
from chatd.domain.people.given import GROUPS_GIVEN_MAX
from chatd.kit.text import is_plain

# They are part of the protocol, which the connection speaks itself.
PROTOCOL_HEADERS = frozenset(
    {"accept", "content-type", "last-event-id", "mcp-protocol-version", "mcp-session-id"}
)

_HOST = re.compile(r"[a-z0-9]([a-z0-9._-]*[a-z0-9])?\.?|[0-9a-f:.]*:[0-9a-f:.]*")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,199}")
# As OAuth has them: words of visible ASCII without quotes and backslashes.
_SCOPES = re.compile(r"[\x21\x23-\x5B\x5D-\x7E]+(?: [\x21\x23-\x5B\x5D-\x7E]+)*")

# What is wrong with a value, in words.
Check: TypeAlias = Callable[[Any], str | None]


def problem_of_values(slug: str, edit: ServerEdit) -> Problem | None:
    """The first thing that is wrong with one of the fields that are given."""
    given = {"slug": slug} | {name: getattr(edit, name) for name in ServerEdit.__struct_fields__}
    for name, check in VALUES.items():
        value = given[name]
        # Nothing, or a secret that is to be removed.
        if value is UNSET or value is None or (value == "" and name not in ("slug", "api_key_header")):
            continue
        if wrong := check(value):
            return Problem(name, wrong)
    return None


def host_of(url: str) -> str:
    """As the resolver will write it. Raises ValueError."""
    return (urlsplit(url).hostname or "").encode("idna").decode("ascii").lower()


def _slug(slug: str) -> str | None:
    if re.fullmatch(SLUG, slug) and len(slug) <= SLUG_LENGTH_MAX:
        return None
    return (
        f"A slug has up to {SLUG_LENGTH_MAX} lower-case letters and digits, with single hyphens or "
        "underscores between them."
    )


def _one_line(length_max: int) -> Check:
    def check(text: str) -> str | None:
        if len(text) <= length_max and is_plain(text):
            return None
        return f"This has up to {length_max} visible characters on one line."

    return check


def _address(url: str) -> str | None:
    if not is_address(url) or not _HOST.fullmatch(host_of(url)):
        return "This must be an address, such as https://mcp.example.com/mcp."
    parts = urlsplit(url)
    if parts.username is not None or parts.password is not None or "#" in url:
        return "An address has no name, password or fragment; secrets have fields of their own."
    return None


def _icon(url: str) -> str | None:
    if not is_address(url) or urlsplit(url).scheme != "https":
        return "The icon_url must be an address that begins with https://."
    return None


def _command(words: Sequence[str]) -> str | None:
    if len(words) > WORDS_MAX or (words and not words[0]):
        return f"A command has 1 to {WORDS_MAX} words: a program and its arguments."
    if any(len(word) > WORD_LENGTH_MAX or not _is_argument(word) for word in words):
        return f"A word of a command has up to {WORD_LENGTH_MAX} characters, without NUL."
    return None


def _env(env: Mapping[str, str]) -> str | None:
    if len(env) > VARIABLES_MAX:
        return f"There are at most {VARIABLES_MAX} variables."
    for name, value in env.items():
        if not _VARIABLE.fullmatch(name):
            return f"{name[:80]!r} cannot be the name of a variable."
        if not _is_argument(value) or len(value.encode()) > SECRET_BYTES_MAX:
            return f"The value of {name} has up to {SECRET_BYTES_MAX} bytes, without NUL."
    return None


def _is_argument(text: str) -> bool:
    """As a process can be given it."""
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:
        return False


def _header_name(name: str) -> str | None:
    if not HEADER_NAME.fullmatch(name) or len(name) > HEADER_NAME_LENGTH_MAX:
        return f"{name[:80]!r} is not the name of a header."
    if name.lower() in CONNECTION_HEADERS | PROTOCOL_HEADERS:
        return f"The header {name!r} belongs to the connection, and cannot be set."
    return None


def problem_of_header_value(value: str) -> str | None:
    """A line end in it would begin another header. Never shows the value, which is a secret."""
    if value and is_sendable(value) and len(value) <= SECRET_BYTES_MAX and value == value.strip():
        return None
    return f"This has 1 to {SECRET_BYTES_MAX} characters of ASCII on one line, and no blanks around it."


def _headers(headers: Mapping[str, str]) -> str | None:
    if len(headers) > HEADERS_MAX:
        return f"There are at most {HEADERS_MAX} headers."
    if len({name.lower() for name in headers}) < len(headers):
        return "Two headers have the same name: upper and lower case count the same."
    problems = (_header_name(name) or problem_of_header_value(value) for name, value in headers.items())
    return next((problem for problem in problems if problem), None)


def _client_id(client_id: str) -> str | None:
    if len(client_id) <= CLIENT_ID_LENGTH_MAX and is_sendable(client_id):
        return None
    return f"A client id has up to {CLIENT_ID_LENGTH_MAX} characters of ASCII on one line."


def _scopes(scopes: str) -> str | None:
    if len(scopes) <= SCOPES_LENGTH_MAX and _SCOPES.fullmatch(scopes):
        return None
    return f"Scopes are words of visible ASCII with single blanks between them, {SCOPES_LENGTH_MAX} in all."


def _tools(names: Sequence[str]) -> str | None:
    if len(names) > TOOLS_LISTED_MAX:
        return f"At most {TOOLS_LISTED_MAX} tools are listed."
    if any(not 1 <= len(name) <= TOOL_NAME_LENGTH_MAX or not is_plain(name) for name in names):
        return f"A tool's name has 1 to {TOOL_NAME_LENGTH_MAX} visible characters."
    return None


def _groups(groups: Sequence[str]) -> str | None:
    """Whether there are such groups is asked before."""
    return None if len(groups) <= GROUPS_GIVEN_MAX else f"At most {GROUPS_GIVEN_MAX} groups are named."


def _seconds(seconds_max: float) -> Check:
    def check(seconds: float) -> str | None:
        return None if 1 <= seconds <= seconds_max else f"This is between 1 and {seconds_max:g}."

    return check


VALUES: Mapping[str, Check] = {
    "slug": _slug,
    "display_name": _one_line(DISPLAY_LENGTH_MAX),
    "description": _one_line(DESCRIPTION_LENGTH_MAX),
    "icon_url": _icon,
    "groups": _groups,
    "url": _address,
    "command": _command,
    "env": _env,
    "api_key_header": _header_name,
    "api_key_value": problem_of_header_value,
    "custom_headers": _headers,
    "oauth2_client_id": _client_id,
    "oauth2_client_secret": problem_of_header_value,
    "oauth2_auth_url": _address,
    "oauth2_token_url": _address,
    "oauth2_revocation_url": _address,
    "oauth2_scopes": _scopes,
    "tool_allow_list": _tools,
    "tool_deny_list": _tools,
    "connect_seconds": _seconds(CONNECT_SECONDS_MAX),
    "call_seconds": _seconds(CALL_SECONDS_MAX),
}
