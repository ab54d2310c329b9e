"""A request to Gemini around its contents (pure)."""

from collections.abc import Mapping
from typing import Final

from chatd.catalog.options import GoogleOptions
from chatd.domain.part import Json
from chatd.kit import codec
from chatd.providers import failures
from chatd.providers.capabilities.target import Reasoning, Target
from chatd.providers.dialect import Body, Head
from chatd.providers.dialects.gemini.thinking import thinking
from chatd.providers.dialects.shared.alternation import Shape, alternating
from chatd.providers.dialects.shared.references import without_references
from chatd.providers.dialects.shared.schemas import object_schema
from chatd.providers.model import Named, ToolChoice, ToolSpec

# Larger ones would need their files uploaded first.
REQUEST_BYTES_MAX = 20 * 1024 * 1024

_SAMPLING: Final[Mapping[str, str]] = {
    "temperature": "temperature",
    "top_p": "topP",
    "top_k": "topK",
    "presence_penalty": "presencePenalty",
    "frequency_penalty": "frequencyPenalty",
}
_HARMS: Final = (
    "HARM_CATEGORY_HARASSMENT",
    "HARM_CATEGORY_HATE_SPEECH",
    "HARM_CATEGORY_SEXUALLY_EXPLICIT",
    "HARM_CATEGORY_DANGEROUS_CONTENT",
)
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
        body |= _tools(head, options, target, warnings)
    if config := _generation(head, options, target, warnings):
        body["generationConfig"] = config
    if settings := _safety(options):
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


def _tools(head: Head, options: GoogleOptions, target: Target, warnings: list[str]) -> dict[str, Json]:
    tools: list[Json] = []
    config: dict[str, Json] = {}
    if head.tools:
        tools.append({"functionDeclarations": [_declaration(spec) for spec in head.tools]})
        if head.tool_choice is not None:
            config["functionCallingConfig"] = _choice(head.tool_choice)
    if options.web_search_enabled:
        # The third generation searches and calls in one answer, if it may tell what it searched for.
        together = target.abilities.reasoning is Reasoning.LEVEL and target.route != "vertex"
        if not target.abilities.provider_tools:
            warnings.append("Web search was left out: this model has none")
        elif not head.tools:
            tools.append({"googleSearch": {}})
        elif together:
            tools.append({"googleSearch": {}})
            config["includeServerSideToolInvocations"] = True
            if head.tool_choice in {None, "auto"}:
                # Beside searches, what is otherwise automatic is refused, and this has its place.
                config["functionCallingConfig"] = {"mode": "VALIDATED"}
        else:
            warnings.append("Web search was left out: this model does not combine it with other tools")
    return {key: value for key, value in (("tools", tools), ("toolConfig", config)) if value}


def _choice(choice: ToolChoice) -> dict[str, Json]:
    if isinstance(choice, Named):
        return {"mode": "ANY", "allowedFunctionNames": [choice.tool]}
    return {"mode": "ANY" if choice == "required" else str(choice).upper()}


def _declaration(spec: ToolSpec) -> Json:
    schema = object_schema(without_references(spec.input_schema))
    # Which edition of JSON Schema it is, nobody there wants to know.
    schema.pop("$schema", None)
    return {"name": spec.name, "description": spec.description, "parametersJsonSchema": schema}


def _generation(head: Head, options: GoogleOptions, target: Target, warnings: list[str]) -> dict[str, Json]:
    config: dict[str, Json] = {}
    for option, name in _SAMPLING.items():
        value = getattr(target.options, option)
        if value is None:
            continue
        if target.abilities.sampling:
            config[name] = value
        else:
            warnings.append(f"{option} was left out: this model does not take it")
    limit = head.max_output_tokens or target.options.max_output_tokens
    if limit is not None:
        config["maxOutputTokens"] = limit
    if target.options.stop:
        config["stopSequences"] = target.options.stop
    if target.options.seed is not None:
        config["seed"] = target.options.seed
    if thoughts := thinking(head.effort, options.thinking_config, target.abilities, warnings):
        config["thinkingConfig"] = thoughts
    return config


def _safety(options: GoogleOptions) -> list[Json]:
    settings: dict[str, str] = {}
    if options.threshold is not None:
        settings = dict.fromkeys(_HARMS, options.threshold)
    settings |= {setting.category: setting.threshold for setting in options.safety_settings}
    return [{"category": category, "threshold": threshold} for category, threshold in settings.items()]
