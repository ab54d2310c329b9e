"""What a provider or a model may be, beyond its shape. Pure: the same rules for files and for requests."""

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from msgspec import Struct

from chatd.catalog.options import CallOptions
from chatd.catalog.rows import ModelConfig, Provider, ProviderType
from chatd.errors import BadInput
from chatd.kit.text import is_plain

NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
NAME_LENGTH_MAX = 64
MODEL_LENGTH_MAX = 200
DISPLAY_LENGTH_MAX = 200
URL_LENGTH_MAX = 2000
KEY_BYTES_MAX = 10 * 1024
HEADERS_MAX = 32
HEADER_LENGTH_MAX = 1000

# Keys have their own place, where they are sealed and never shown.
KEY_HEADERS = frozenset(
    {"authorization", "proxy-authorization", "cookie", "x-api-key", "api-key", "x-goog-api-key"}
)
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")

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


class Problem(Struct, frozen=True):
    field: str
    message: str


def problem_of_provider(provider: Provider) -> Problem | None:
    """The first thing that is wrong with it."""
    if not NAME.fullmatch(provider.name) or len(provider.name) > NAME_LENGTH_MAX:
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
    )


def _problem_of_address(provider: Provider) -> Problem | None:
    address = provider.base_url
    if address is None:
        if provider.type not in NEED_ADDRESS:
            return None
        return Problem("base_url", f"A provider of the type {provider.type} needs its base_url.")
    try:
        parts = urlsplit(address)
        sound = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return Problem("base_url", "The base_url is not an address.")
    if not sound or len(address) > URL_LENGTH_MAX or not is_plain(address) or any(map(str.isspace, address)):
        return Problem("base_url", "The base_url must be an address that begins with http:// or https://.")
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
    try:
        parts = urlsplit(proxy)
        sound = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return Problem("settings.proxy", "The proxy is not an address.")
    if not sound or len(proxy) > URL_LENGTH_MAX:
        return Problem("settings.proxy", "The proxy must be an address that begins with http:// or https://.")
    if not provider.declared and "@" in parts.netloc:
        return Problem("settings.proxy", "A proxy with a password can only be declared, in chatd.toml.")
    return None


def _problem_of_headers(headers: Mapping[str, str]) -> Problem | None:
    field = "settings.headers"
    if len(headers) > HEADERS_MAX:
        return Problem(field, f"There are at most {HEADERS_MAX} headers.")
    for name, value in headers.items():
        if name.lower() in KEY_HEADERS:
            return Problem(field, f"The header {name!r} carries a key; give it as api_key instead.")
        if not _HEADER.fullmatch(name) or len(name) + len(value) > HEADER_LENGTH_MAX or not _sendable(value):
            return Problem(field, f"{name[:80]!r} is not a header that can be sent.")
    return None


def _sendable(value: str) -> bool:
    return value.isascii() and value.isprintable()


def problem_of_model(model: ModelConfig, type_: ProviderType) -> Problem | None:
    if not model.model or len(model.model) > MODEL_LENGTH_MAX or not is_plain(model.model):
        return Problem("model", f"A model's name has 1 to {MODEL_LENGTH_MAX} visible characters.")
    if model.model != model.model.strip():
        return Problem("model", "A model's name has no blanks around it.")
    if len(model.display_name) > DISPLAY_LENGTH_MAX or not is_plain(model.display_name):
        return Problem("display_name", f"A name to show has up to {DISPLAY_LENGTH_MAX} visible characters.")
    return problem_of_options(model.options, type_)


def problem_of_options(options: CallOptions, type_: ProviderType) -> Problem | None:
    given = {name for name in _ALL_OPTIONS if getattr(options, name) is not None}
    if strange := sorted(given - OPTIONS[type_]):
        known = ", ".join(sorted(OPTIONS[type_])) or "none of its own"
        return Problem(
            f"options.{strange[0]}",
            f"The options `{strange[0]}` are not for a provider of the type {type_}, which has {known}.",
        )
    return None


def problem_of_key(key: str) -> Problem | None:
    """A key that nobody could have been given: mostly something else was pasted."""
    if not key:
        return Problem("api_key", "The key is empty.")
    if len(key.encode("utf-8", "surrogatepass")) > KEY_BYTES_MAX:
        return Problem("api_key", f"The key is longer than {KEY_BYTES_MAX // 1024} KiB.")
    if key != key.strip():
        return Problem("api_key", "There are blanks around the key.")
    if not _sendable(key):
        return Problem("api_key", "The key has characters that cannot be sent.")
    return None


def needs_key(provider: Provider) -> bool:
    return provider.type in NEED_KEY and not provider.settings.ambient_credentials


def refuse(*problems: Problem | None) -> None:
    """Raises BadInput for the first problem, if there is one."""
    for problem in problems:
        if problem is not None:
            raise BadInput("bad_value", problem.message, field=problem.field)
