"""The ways to Claude, and which fields of a request each of them leaves out or moves."""

from collections.abc import Mapping
from urllib.parse import quote

from msgspec import Struct

from chatd.providers.capabilities.target import Target

OLD_VERSION = "2023-06-01"
NEW_VERSION = "2026-10-21"


class Route(Struct, frozen=True, kw_only=True):
    # Filled in with the model.
    path: str
    names_model: bool = True
    asks_for_stream: bool = True
    # The API's version is said in the body, under the name that this route has for it; else in a header.
    body_versions: Mapping[str, str] | None = None
    betas_in_body: bool = False
    # Takes tools that the provider runs, and the wish for one call at a time.
    provider_tools: bool = True
    single_calls: bool = True


_DIRECT = Route(path="/v1/messages")

ROUTES: Mapping[str, Route] = {
    "direct": _DIRECT,
    "azure": _DIRECT,
    "bedrock": Route(
        path="/model/{model}/invoke-with-response-stream",
        names_model=False,
        asks_for_stream=False,
        # InvokeModel serves the older models, which know no newer version.
        body_versions={OLD_VERSION: "bedrock-2023-05-31", NEW_VERSION: "bedrock-2023-05-31"},
        betas_in_body=True,
        provider_tools=False,
        single_calls=False,
    ),
    "vertex": Route(
        path="/publishers/anthropic/models/{model}:streamRawPredict",
        names_model=False,
        body_versions={OLD_VERSION: "vertex-2023-10-16", NEW_VERSION: NEW_VERSION},
    ),
}


def path(target: Target) -> str:
    # Names on Bedrock may be whole ARNs, whose slashes are not steps of a path.
    return ROUTES[target.route].path.format(model=quote(target.model, safe=":@"))


def version(target: Target) -> str:
    """The version of the API as this route calls it, whether it is said in a header or in the body."""
    asked = target.api_version or OLD_VERSION
    versions = ROUTES[target.route].body_versions
    return asked if versions is None else versions.get(asked, versions[OLD_VERSION])
