"""Tools as Gemini is told of them: ours, and its own web search (pure)."""

from chatd.catalog.models.options import GoogleOptions
from chatd.domain.part import Json
from chatd.providers.capabilities.target import Reasoning, Target
from chatd.providers.dialect import Head
from chatd.providers.dialects.shared.references import without_references
from chatd.providers.dialects.shared.schemas import object_schema
from chatd.providers.model import Named, ToolChoice, ToolSpec


def write_tools(head: Head, options: GoogleOptions, target: Target, warnings: list[str]) -> dict[str, Json]:
    tools: list[Json] = []
    config: dict[str, Json] = {}
    if head.tools:
        tools.append({"functionDeclarations": [_declaration(spec) for spec in head.tools]})
        if head.tool_choice is not None:
            config["functionCallingConfig"] = _choice(head.tool_choice)
    # A choice of tools is not heeded by a search: where none is to be called, it is not offered.
    if options.web_search_enabled and head.provider_tools and head.tool_choice != "none":
        # The third generation searches and calls in one answer, if it may tell what it searched for.
        together = target.abilities.reasoning is Reasoning.LEVEL and target.route != "vertex"
        if not target.abilities.provider_tools:
            warnings.append("Web search was left out: this model has none")
        elif not head.tools:
            tools.append(_search(options, target, warnings))
        elif together:
            tools.append(_search(options, target, warnings))
            config["includeServerSideToolInvocations"] = True
            if head.tool_choice in {None, "auto"}:
                # Beside searches, what is otherwise automatic is refused, and this has its place.
                config["functionCallingConfig"] = {"mode": "VALIDATED"}
        else:
            warnings.append("Web search was left out: this model does not combine it with other tools")
    return {key: value for key, value in (("tools", tools), ("toolConfig", config)) if value}


def _search(options: GoogleOptions, target: Target, warnings: list[str]) -> Json:
    if options.blocked_domains and target.route != "vertex":
        warnings.append("The blocked domains were left out: only Vertex knows them")
        return {"googleSearch": {}}
    domains = {"excludeDomains": list(options.blocked_domains)} if options.blocked_domains else {}
    return {"googleSearch": domains}


def _choice(choice: ToolChoice) -> dict[str, Json]:
    if isinstance(choice, Named):
        return {"mode": "ANY", "allowedFunctionNames": [choice.tool]}
    return {"mode": "ANY" if choice == "required" else str(choice).upper()}


def _declaration(spec: ToolSpec) -> Json:
    schema = object_schema(without_references(spec.input_schema))
    # Gemini refuses the name of the edition of JSON Schema.
    schema.pop("$schema", None)
    return {"name": spec.name, "description": spec.description, "parametersJsonSchema": schema}
