"""A request to Gemini around its contents (pure)."""

from typing import Final

from chatd.catalog.models.options import GoogleOptions
from chatd.domain.part import Json
from chatd.kit import codec
from chatd.providers import failures
from chatd.providers.capabilities.target import Target
from chatd.providers.dialect import Body, Head
from chatd.providers.dialects.gemini.options import generation_config, safety_settings
from chatd.providers.dialects.gemini.tools import write_tools
from chatd.providers.dialects.shared.alternation import Shape, alternating

# Larger ones would need their files uploaded first.
REQUEST_BYTES_MAX = 20 * 1024 * 1024

# How turns begin, as `write_turns` writes them.
_SHAPE: Final = Shape(
    user=b'{"role":"user","parts":[',
    model=b'{"role":"model","parts":[',
    opening=b'{"text":"(The conversation begins.)"}',
)


def write_body(items: bytes, head: Head, target: Target) -> Body:
    """Raises ProviderError when it is too large to be sent."""
    options = target.options.google or GoogleOptions()
    warnings: list[str] = []
    body: dict[str, Json] = {}
    system = "\n".join(head.system)
    items = alternating(items, _SHAPE)
    if options.cached_content is not None:
        # What is cached has its own system text and tools, and refuses others beside them.
        body["cachedContent"] = options.cached_content
        if system or head.tools:
            warnings.append("The system text and the tools were left out: the cached content has its own")
    else:
        items = _with_system(body, items, system, target, warnings)
        body |= write_tools(head, options, target, warnings)
    if config := generation_config(head, options, target, warnings):
        body["generationConfig"] = config
    if settings := safety_settings(options):
        body["safetySettings"] = settings
    rest = codec.encode(body)
    json = b'{"contents":[' + items + b"]" + (b"," + rest[1:] if body else b"}")
    if len(json) > REQUEST_BYTES_MAX:
        raise failures.failed(
            "request_too_large",
            detail=f"The request has {len(json)} bytes with its files, and Gemini takes {REQUEST_BYTES_MAX}.",
        )
    return Body(json, warnings=tuple(warnings))


def _with_system(
    body: dict[str, Json], items: bytes, system: str, target: Target, warnings: list[str]
) -> bytes:
    """The items, with the system text among them where the model knows no other place for it."""
    if not system:
        return items
    if target.abilities.system == "none":
        warnings.append("The system text was left out: this model takes none")
    elif target.abilities.system == "merged":
        part = codec.encode({"text": system})
        return _SHAPE.user + part + b"," + items.removeprefix(_SHAPE.user)
    else:
        body["systemInstruction"] = {"parts": [{"text": system}]}
    return items
