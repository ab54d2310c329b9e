"""How tests say that a provider failed."""

from collections.abc import Mapping

from chatd.domain.part import Json
from chatd.errors import ProviderError
from chatd.kit.codec import encode
from chatd.providers import failures

JSON = "application/json"


def told(text: str) -> ProviderError:
    """A failure of which there is nothing but a text, as gateways pass them on."""
    return failures.in_stream(message=text)


def answered(
    status: int,
    body: Json | bytes = b"",
    content_type: str = JSON,
    *,
    provider: str = "anthropic",
    headers: Mapping[str, str] | None = None,
) -> ProviderError:
    """A failure that is an answer over HTTP."""
    data = body if isinstance(body, bytes) else encode(body)
    return failures.from_response(
        status, {"content-type": content_type, **(headers or {})}, data, provider=provider
    )


def error(message: str = "", **more: Json) -> Json:
    return {"error": {"message": message, **more}}
