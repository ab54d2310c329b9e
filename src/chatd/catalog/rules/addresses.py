"""Where a provider is reached: addresses as people write them become addresses that work (pure)."""

import ipaddress
import re
from collections.abc import Mapping
from itertools import pairwise
from urllib.parse import SplitResult, parse_qs, quote, urlsplit, urlunsplit

from chatd.catalog.models.rows import ProviderSettings, ProviderType
from chatd.errors import ProviderError

DEFAULTS: Mapping[ProviderType, str] = {
    ProviderType.ANTHROPIC: "https://api.anthropic.com",
    ProviderType.OPENAI: "https://api.openai.com/v1",
    ProviderType.OPENROUTER: "https://openrouter.ai/api/v1",
    ProviderType.VERCEL: "https://ai-gateway.vercel.sh/v1",
    ProviderType.GOOGLE: "https://generativelanguage.googleapis.com",
    ProviderType.OLLAMA: "http://127.0.0.1:11434/v1",
}

# What people copy along with the address, because the documentation shows it that way.
_RESOURCES: tuple[tuple[str, ...], ...] = (
    ("chat", "completions"),
    ("responses",),
    ("v1", "messages"),
)

# Hosts of one Azure resource. All of them serve it, and one address has everything.
_AZURE = re.compile(
    r"(?P<resource>[a-z0-9][a-z0-9-]*)\.(?:openai|cognitiveservices|services\.ai)\.azure\.(?P<cloud>com|us|cn)"
)
_AZURE_DEPLOYMENTS = ("openai", "deployments")
# The newest that is no preview. Without one, Azure says that there is no such resource.
AZURE_API_VERSION = "2024-10-21"

_VERSION = re.compile(r"v\d+[a-z0-9]*")

# Names that cannot lead out of the own network.
_PRIVATE_NAMES = (".localhost", ".local", ".internal", ".home.arpa")
_SHARED_RANGE = ipaddress.ip_network("100.64.0.0/10")


def base_url_of(type_: ProviderType, base_url: str | None, settings: ProviderSettings) -> str:
    """The address that the paths of a dialect follow. Raises ProviderError when it cannot be used."""
    given = (base_url or "").strip() or _default(type_, settings)
    address = _split(given)
    if type_ is ProviderType.AZURE:
        address = _azure(address, settings.api_version or AZURE_API_VERSION)
    if type_ is ProviderType.GOOGLE and settings.project:
        address = _of_project(address, settings.project, settings.location or "global")
    if address.scheme == "http" and not settings.allow_plain_http and not is_private(address.hostname or ""):
        raise _wrong(
            # Without the address: members who use the provider read this, too.
            "Its address is not in a private network and has no TLS.",
            "Use https, or set allow_plain_http for this provider if you know what is in between.",
        )
    return urlunsplit(address)


def completed(text: str) -> str:
    """With a scheme, which people leave out: TLS, unless it is this machine. What is no address stays so."""
    if "://" in text:
        return text
    try:
        address = urlsplit(f"//{text}")
        host = address.hostname or ""
    except ValueError:
        return text
    # "file:/etc" names a scheme, and no host without a port.
    if not host or address.netloc.endswith(":"):
        return text
    return f"{'http' if is_loopback(host) else 'https'}://{text}"


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def is_private(host: str) -> bool:
    """Whether a host is this machine or in its private networks, as far as its name tells."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        # A name without a dot means something only at home, unless it is an address written as one number.
        return ("." not in host and not host[:1].isdigit()) or host.endswith(_PRIVATE_NAMES)
    shared = address.version == _SHARED_RANGE.version and address in _SHARED_RANGE
    return address.is_loopback or address.is_private or address.is_link_local or shared


def _default(type_: ProviderType, settings: ProviderSettings) -> str:
    if type_ is ProviderType.BEDROCK:
        if not settings.region:
            raise _wrong("No AWS region is set.", "Set region, for example us-east-1.")
        return f"https://bedrock-runtime.{_place(settings.region)}.amazonaws.com"
    if type_ is ProviderType.GOOGLE and settings.project:
        return _vertex(settings.location or "global")
    if type_ not in DEFAULTS:
        raise _wrong("No address is set.", "Set base_url to the address of the provider's server.")
    return DEFAULTS[type_]


def _vertex(location: str) -> str:
    location = _place(location)
    match location:
        case "global":
            host = "aiplatform.googleapis.com"
        case "us" | "eu":
            host = f"aiplatform.{location}.rep.googleapis.com"
        case _:
            host = f"{location}-aiplatform.googleapis.com"
    return f"https://{host}"


def _of_project(address: SplitResult, project: str, location: str) -> SplitResult:
    """At Vertex a project has its own paths, behind a gateway too."""
    steps = steps_of(address.path)
    if "projects" in steps:
        return address
    version = [] if _VERSION.fullmatch(steps[-1] if steps else "") else ["v1"]
    own = [*version, "projects", quote(project, safe=":"), "locations", _place(location)]
    return address._replace(path="/".join(["", *steps, *own]))


def _place(name: str) -> str:
    """It becomes part of a host's name, so nothing else may be in it."""
    if not name.replace("-", "").isalnum() or not name.isascii():
        raise _wrong(f"{name!r} is not the name of a region.", "Regions look like us-east-1 or europe-west4.")
    return name.lower()


def _split(text: str) -> SplitResult:
    """With a scheme and a host, without anything that does not belong in a base address."""
    try:
        address = urlsplit(completed(text))
        # Asked for, because a port that is no number is only noticed then.
        usable = address.scheme in {"http", "https"} and address.hostname and address.port != 0
    except ValueError:
        raise _unreadable() from None
    if not usable or address.netloc.endswith(":"):
        raise _unreadable()
    if "@" in address.netloc:
        raise _wrong("Its address has a name or a password in it.", "Give the key separately.")
    path = "/".join(["", *_without_resource(steps_of(address.path))])
    return address._replace(netloc=address.netloc.lower(), path=path, fragment="")


def _without_resource(steps: list[str]) -> list[str]:
    for resource in _RESOURCES:
        if tuple(steps[-len(resource) :]) == resource:
            return steps[: -len(resource)]
    return steps


def _azure(address: SplitResult, api_version: str) -> SplitResult:
    steps = steps_of(address.path)
    if _AZURE_DEPLOYMENTS in pairwise(steps):
        # The older addresses of single deployments have no equal, also behind a gateway.
        return _of_version(address, api_version)
    known = _AZURE.fullmatch(address.hostname or "")
    if known is None:
        return address
    host = f"{known['resource']}.openai.azure.{known['cloud']}"
    return SplitResult("https", host, "/openai/v1", "", "")


def _of_version(address: SplitResult, api_version: str) -> SplitResult:
    if "api-version" in parse_qs(address.query):
        return address
    version = f"api-version={quote(api_version, safe='')}"
    return address._replace(query="&".join(filter(None, (address.query, version))))


def steps_of(path: str) -> list[str]:
    """What is between the slashes of a path."""
    return [step for step in path.split("/") if step]


def _unreadable() -> ProviderError:
    return _wrong("Its address cannot be read.", "It should look like https://api.example.com/v1.")


def _wrong(what: str, advice: str) -> ProviderError:
    return ProviderError("config", f"This provider cannot be called. {what}", fault="address", detail=advice)
