"""Where a request goes: a provider's base address, and the path of a dialect (pure)."""

from urllib.parse import urlsplit, urlunsplit

from chatd.catalog.rules.addresses import steps_of


def url_of(base_url: str, path: str) -> str:
    """Where a request goes. What the base address ends with is not said again by the path."""
    base, resource = urlsplit(base_url), urlsplit(path)
    steps, wanted = steps_of(base.path), steps_of(resource.path)
    said = next(
        (length for length in range(len(wanted), 0, -1) if steps[-length:] == wanted[:length]),
        0,
    )
    query = "&".join(part for part in (base.query, resource.query) if part)
    return urlunsplit((base.scheme, base.netloc, "/" + "/".join([*steps, *wanted[said:]]), query, ""))
