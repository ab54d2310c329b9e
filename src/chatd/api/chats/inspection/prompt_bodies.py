"""The shape of a prompt on the wire."""

from typing import Annotated

from msgspec import Meta, Struct

from chatd.domain.part import Json

Tokens = Annotated[int, Meta(description="An estimate: about four bytes are a token.")]


class PromptPartView(Struct, frozen=True, kw_only=True):
    name: Annotated[str, Meta(description="Such as `base`, `administrator`, `workspace`, `user`.")]
    text: Annotated[str, Meta(description="A notice instead, where it is withheld.")]
    withheld: Annotated[bool, Meta(description="Words of the deployment, for administrators only.")]
    tokens: Tokens


class PromptToolView(Struct, frozen=True, kw_only=True):
    name: str
    description: str
    input_schema: Json
    tokens: Tokens


class SystemPromptView(Struct, frozen=True, kw_only=True):
    """What the model would be told before everything that was said in the chat."""

    model: str
    parts: Annotated[tuple[PromptPartView, ...], Meta(description="In the order in which they are sent.")]
    tools: tuple[PromptToolView, ...]
    tokens: Annotated[int, Meta(description="Of all parts and tools, by estimate.")]
    history_tokens: Annotated[int, Meta(description="Of what was said and is sent as well, by estimate.")]
