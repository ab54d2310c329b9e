"""What a provider or a model may be, beyond its shape. Pure: the same rules for files and for requests."""

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from chatd.catalog.models.options import CallOptions
from chatd.catalog.models.rows import (
    DISPLAY_LENGTH_MAX,
    HEADERS_MAX,
    KEY_BYTES_MAX,
    MODEL_LENGTH_MAX,
    NAME,
    NAME_LENGTH_MAX,
    SETTING_LENGTH_MAX,
    URL_LENGTH_MAX,
    ModelConfig,
    Provider,
    ProviderType,
)
from chatd.catalog.rules.addresses import base_url_of, completed, is_private
from chatd.catalog.rules.cloud_hosts import HOSTS, host_of, is_own_host
from chatd.errors import BadInput, ProviderError
from chatd.kit.text import is_plain

HEADER_LENGTH_MAX = 1000
# Deeper JSON than anyone writes by hand; a level costs a stack frame wherever it is copied.
JSON_DEPTH_MAX = 64

# Keys have their own place, where they are sealed and never shown.
KEY_HEADERS = frozenset(
    {"authorization", "proxy-authorization", "cookie", "x-api-key", "api-key", "x-goog-api-key"}
)
# They belong to the connection, which is the HTTP client's to describe.
CONNECTION_HEADERS = frozenset(
    {
        "connection",
        "content-length",
        "expect",
        "host",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")

# Whose options count for the models of a provider.
OPTIONS: Mapping[ProviderType, frozenset[str]] = {
    ProviderType.ANTHROPIC: frozenset({"anthropic"}),
    ProviderType.OPENAI: frozenset({"openai"}),
    ProviderType.AZURE: frozenset({"openai"}),
    ProviderType.OPENAI_COMPATIBLE: frozenset({"openaicompat"}),
    ProviderType.OPENROUTER: frozenset({"openrouter"}),
    ProviderType.VERCEL: frozenset({"vercel"}),
    # Claude is there as well.
    ProviderType.GOOGLE: frozenset({"google", "anthropic"}),
    ProviderType.BEDROCK: frozenset({"bedrock", "anthropic"}),
    ProviderType.OLLAMA: frozenset({"openaicompat"}),
    ProviderType.SCRIPTED: frozenset(),
}
_ALL_OPTIONS = frozenset().union(*OPTIONS.values())

# Nothing can be called there without one. The others may have a key.
NEED_KEY = frozenset(
    {
        ProviderType.ANTHROPIC,
        ProviderType.OPENAI,
        ProviderType.AZURE,
        ProviderType.OPENROUTER,
        ProviderType.VERCEL,
        ProviderType.GOOGLE,
        ProviderType.BEDROCK,
    }
)
# There is no usual address.
NEED_ADDRESS = frozenset({ProviderType.OPENAI_COMPATIBLE, ProviderType.AZURE})


AMBIENT_REFUSED = "The credentials of the server's machine are not sent to the address of this provider."
AMBIENT_ADVICE = (
    "They go to the hosts of their own cloud alone. Who operates the machine can declare this provider in "
    "chatd.toml; or give it a key, and take ambient_credentials out of its settings."
)


class Problem(Struct, frozen=True):
    field: str
    message: str
    # What to do about it, where the message does not say so.
    hint: str | None = None
    # For programs.
    code: str = "bad_value"


def problem_of_provider(provider: Provider) -> Problem | None:
    """The first thing that is wrong with it."""
    if not re.fullmatch(NAME, provider.name) or len(provider.name) > NAME_LENGTH_MAX:
        return Problem(
            "name",
            f"A provider's name has up to {NAME_LENGTH_MAX} lower-case letters and digits, and hyphens "
            "between them.",
        )
    if len(provider.display_name) > DISPLAY_LENGTH_MAX or not is_plain(provider.display_name):
        return Problem("display_name", f"A name to show has up to {DISPLAY_LENGTH_MAX} visible characters.")
    return (
        _problem_of_address(provider)
        or _problem_of_proxy(provider)
        or _problem_of_headers(provider.settings.headers)
        or _problem_of_settings(provider)
    )


def problem_of_reach(provider: Provider) -> Problem | None:
    """Why its address would not be called, in the words that a model call would fail with.

    Apart from the rest: a request with such an address is refused, and a file with one is not, because the
    other providers in it are as good as before.
    """
    is_ambient = provider.settings.ambient_credentials and provider.type in HOSTS
    if (provider.base_url is None and not is_ambient) or provider.type is ProviderType.SCRIPTED:
        return None
    try:
        url = base_url_of(provider.type, provider.base_url, provider.settings)
    except ProviderError as error:
        return Problem("base_url", error.message, error.detail) if provider.base_url is not None else None
    if is_ambient and not provider.declared and not is_own_host(provider.type, url):
        return Problem(
            "settings.ambient_credentials",
            AMBIENT_REFUSED,
            # Which host is for administrators alone.
            f"{host_of(url)} is none of its cloud's. {AMBIENT_ADVICE}",
        )
    return None


def _problem_of_address(provider: Provider) -> Problem | None:
    address = provider.base_url
    if address is None:
        if provider.type not in NEED_ADDRESS:
            return None
        return Problem("base_url", f"A provider of the type {provider.type} needs its base_url.")
    if not is_address(address):
        return Problem("base_url", "The base_url must be an address, such as https://api.example.com/v1.")
    parts = urlsplit(address)
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        return Problem(
            "base_url", "The base_url has no name, password, query or fragment; a key is given as api_key."
        )
    return None


def _problem_of_proxy(provider: Provider) -> Problem | None:
    """A password for a proxy belongs into the operator's file: the database would have it in clear."""
    proxy = provider.settings.proxy
    if proxy is None:
        return None
    if not is_address(proxy):
        return Problem("settings.proxy", "The proxy must be an address that begins with http:// or https://.")
    if not provider.declared and "@" in urlsplit(proxy).netloc:
        return Problem("settings.proxy", "A proxy with a password can only be declared, in chatd.toml.")
    return None


def is_address(text: str) -> bool:
    if len(text) > URL_LENGTH_MAX or not is_plain(text) or any(map(str.isspace, text)):
        return False
    try:
        parts = urlsplit(text)
        # Written as the resolver will write it: what it cannot write, it fails at with an error of its own.
        host = (parts.hostname or "").encode("idna")
        return parts.scheme in {"http", "https"} and host != b"" and parts.port != 0
    except ValueError:
        return False


def _problem_of_settings(provider: Provider) -> Problem | None:
    settings = provider.settings
    if settings.ca_file is not None and not provider.declared:
        # Who may change providers need not be who may have files of the machine opened.
        return Problem("settings.ca_file", "A file of the server can only be declared, in chatd.toml.")
    if settings.key_header is not None and not _is_for_keys(settings.key_header):
        return Problem("settings.key_header", "The key_header is not a header that can carry a key.")
    for name in ("ca_file", "api_version", "region", "project", "location"):
        value: str = getattr(settings, name) or ""
        if len(value) > (URL_LENGTH_MAX if name == "ca_file" else SETTING_LENGTH_MAX) or not is_plain(value):
            return Problem(f"settings.{name}", f"The {name} must be visible text on one line.")
    return _problem_of_depth(settings.quirks, "settings.quirks")


def _is_for_keys(header: str) -> bool:
    return (
        bool(HEADER_NAME.fullmatch(header))
        and len(header) <= SETTING_LENGTH_MAX
        and header.lower() not in CONNECTION_HEADERS
    )


def _problem_of_depth(value: object, field: str) -> Problem | None:
    problem = Problem(field, f"The {field} are nested more than {JSON_DEPTH_MAX} levels deep.")
    try:
        layer = [msgspec.to_builtins(value)]
    except RecursionError:
        return problem
    # Without recursion: what we are afraid of is depth.
    for _ in range(JSON_DEPTH_MAX):
        layer = [
            child
            for node in layer
            if isinstance(node, dict | list | tuple)
            for child in (node.values() if isinstance(node, dict) else node)
        ]
    return problem if layer else None


def _problem_of_headers(headers: Mapping[str, str]) -> Problem | None:
    field = "settings.headers"
    if len(headers) > HEADERS_MAX:
        return Problem(field, f"There are at most {HEADERS_MAX} headers.")
    for name, value in headers.items():
        if name.lower() in KEY_HEADERS:
            return Problem(field, f"The header {name!r} carries a key; give it as api_key instead.")
        if name.lower() in CONNECTION_HEADERS:
            return Problem(field, f"The header {name!r} belongs to the connection, and cannot be set.")
        is_short = len(name) + len(value) <= HEADER_LENGTH_MAX
        if not HEADER_NAME.fullmatch(name) or not is_short or not is_sendable(value):
            return Problem(field, f"{name[:80]!r} is not a header that can be sent.")
    return None


def is_sendable(value: str) -> bool:
    """As the value of a header: a line end in one would begin another."""
    return value.isascii() and value.isprintable()


def problem_of_model(model: ModelConfig, type_: ProviderType) -> Problem | None:
    if problem := problem_of_model_name(model.model):
        return problem
    if len(model.display_name) > DISPLAY_LENGTH_MAX or not is_plain(model.display_name):
        return Problem("display_name", f"A name to show has up to {DISPLAY_LENGTH_MAX} visible characters.")
    return problem_of_options(model.options, type_)


def problem_of_model_name(name: str) -> Problem | None:
    if not name or len(name) > MODEL_LENGTH_MAX or not is_plain(name):
        return Problem("model", f"A model's name has 1 to {MODEL_LENGTH_MAX} visible characters.")
    if name != name.strip():
        return Problem("model", "A model's name has no blanks around it.")
    return None


def problem_of_options(options: CallOptions, type_: ProviderType) -> Problem | None:
    given = {name for name in _ALL_OPTIONS if getattr(options, name) is not None}
    if strange := sorted(given - OPTIONS[type_]):
        known = ", ".join(sorted(OPTIONS[type_])) or "none of its own"
        return Problem(
            f"options.{strange[0]}",
            f"The options `{strange[0]}` are not for a provider of the type {type_}, which has {known}.",
        )
    return _problem_of_depth(options, "options")


def problem_of_key(key: str) -> Problem | None:
    """Why this cannot be a key of any provider: mostly something else was pasted."""
    if not key:
        return Problem("api_key", "The key is empty.")
    if len(key.encode("utf-8", "surrogatepass")) > KEY_BYTES_MAX:
        return Problem("api_key", f"The key is longer than {KEY_BYTES_MAX // 1024} KiB.")
    if key != key.strip():
        return Problem("api_key", "There are blanks around the key.")
    if not is_sendable(key) and not _is_service_account(key):
        return Problem("api_key", "The key has characters that cannot be sent.")
    return None


def _is_service_account(key: str) -> bool:
    """A file of JSON, as Google hands it out: it has lines, and is never sent itself."""
    try:
        return isinstance(msgspec.json.decode(key), dict)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return False


def leads_elsewhere(before: Provider, after: Provider) -> bool:
    """Whether prompts and keys would be sent to another server, or through another proxy."""
    return _listeners(before) != _listeners(after)


def _listeners(provider: Provider) -> tuple[str, str, str | None]:
    address = urlsplit(provider.base_url or "")
    return address.scheme, address.netloc, provider.settings.proxy


def with_address(provider: Provider) -> Provider:
    """As it is kept: an address without a scheme is given one, so that everyone sees what is called."""
    return provider if provider.base_url is None else replace(provider, base_url=completed(provider.base_url))


def needs_key(provider: Provider) -> bool:
    if provider.type not in NEED_KEY or provider.settings.ambient_credentials:
        return False
    return not _asks_for_no_key(provider)


def _asks_for_no_key(provider: Provider) -> bool:
    """Only a private server: public providers need a key to know who pays."""
    if provider.base_url is None:
        return False
    try:
        host = urlsplit(completed(provider.base_url)).hostname or ""
    except ValueError:
        return False
    # A server for which users bring keys of their own does ask for them.
    return provider.settings.no_key or (is_private(host) and not provider.user_keys_allowed)


def refuse(*problems: Problem | None) -> None:
    """Raises BadInput for the first problem, if there is one."""
    for problem in problems:
        if problem is not None:
            raise BadInput(problem.code, problem.message, field=problem.field, hint=problem.hint)
