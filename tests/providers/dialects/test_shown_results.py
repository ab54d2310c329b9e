"""What a tool has found and the model can see goes to it, in each dialect."""

import base64

import pytest

from chatd.catalog.models.rows import ModelConfig, Provider, ProviderType
from chatd.providers.dialect import Dialect
from chatd.providers.dialects.anthropic import ANTHROPIC
from chatd.providers.dialects.chat import CHAT
from chatd.providers.dialects.converse import CONVERSE
from chatd.providers.dialects.gemini import GEMINI
from chatd.providers.dialects.responses import RESPONSES
from chatd.providers.model import Request
from chatd.providers.registry import target_of
from chatd.providers.request.attachments import VISUAL, seen_types
from chatd.providers.request.writer import RequestWriter
from tests.providers.histories import call, reply, result, user

PDF = "application/pdf"
GIF = "image/gif"

# Who is called, in which dialect, and what that model cannot be shown.
CALLED: list[tuple[ProviderType, str, Dialect, set[str]]] = [
    (ProviderType.ANTHROPIC, "claude-sonnet-4-5", ANTHROPIC, set()),
    (ProviderType.OPENAI, "gpt-5.2", RESPONSES, set()),
    (ProviderType.OPENAI_COMPATIBLE, "some-model", CHAT, set()),
    (ProviderType.OLLAMA, "some-model", CHAT, {PDF}),
    (ProviderType.GOOGLE, "gemini-2.5-pro", GEMINI, {GIF}),
    (ProviderType.GOOGLE, "gemini-3-pro", GEMINI, {GIF}),
    (ProviderType.BEDROCK, "amazon.nova-pro-v1:0", CONVERSE, set()),
]
IDS = [f"{type_}-{model}" for type_, model, _, _ in CALLED]


@pytest.mark.parametrize(("type_", "model", "dialect", "unseen"), CALLED, ids=IDS)
def test_a_picture_or_a_page_that_a_tool_found_is_shown(
    type_: ProviderType, model: str, dialect: Dialect, unseen: set[str]
) -> None:
    config = ModelConfig(id="m", provider_id="p", model=model, context_limit=100_000)
    target = target_of(Provider(id="p", type=type_, name="p"), config)

    assert VISUAL - seen_types(target) == unseen
    for media_type in seen_types(target):
        data = base64.b64encode(f"the bytes of {media_type}".encode()).decode()
        found = {"data": data, "mime_type": media_type, "text": "a.file"}
        messages = [user("Look."), reply(call("c1")), result("c1", found, is_media=True)]

        body = RequestWriter(Request(messages=messages), target, dialect).write({})

        assert (data.encode() in body.json, body.warnings) == (True, ()), media_type


def test_a_server_that_takes_nothing_but_text_is_shown_nothing() -> None:
    config = ModelConfig(id="m", provider_id="p", model="deepseek-chat", context_limit=100_000)
    at = "https://api.deepseek.com"
    provider = Provider(id="p", type=ProviderType.OPENAI_COMPATIBLE, name="p", base_url=at)

    assert seen_types(target_of(provider, config)) == frozenset()
