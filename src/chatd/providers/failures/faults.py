"""FAULTS: what can go wrong at a provider, what that means, and what people are told. A table.

A *fault* is what exactly happened; a *kind* is what follows from it for the user. Several
faults share a kind: whether a connection broke or an answer did, the advice is to wait.
"""

from collections.abc import Mapping

from msgspec import Struct

# For faults that pass, once nothing is tried any more.
LATER = "Send the message again in a while."


class Meaning(Struct, frozen=True, kw_only=True):
    kind: str
    retryable: bool
    # A sentence about the provider, whose name is filled in.
    says: str
    # What to do when nothing more happens by itself.
    advice: str


def _passing(kind: str, says: str) -> Meaning:
    """Another try may well succeed."""
    return Meaning(kind=kind, retryable=True, says=says, advice=LATER)


def _lasting(kind: str, says: str, advice: str) -> Meaning:
    return Meaning(kind=kind, retryable=False, says=says, advice=advice)


FAULTS: Mapping[str, Meaning] = {
    "overloaded": _passing("overloaded", "{Provider} is overloaded at the moment."),
    "usage_limit": _lasting(
        "usage_limit",
        "The budget or quota for this model is used up.",
        "Ask an administrator to raise it, or check the billing settings.",
    ),
    "rate_limit": _passing("rate_limit", "{Provider} limits how often it may be called."),
    "auth": _lasting("auth", "{Provider} rejected the key.", "Check the key and whether it is still valid."),
    "permission": _lasting(
        "auth",
        "{Provider} does not allow this with the key it was given.",
        "Check what the key may be used for.",
    ),
    "missing_key": _lasting(
        "missing_key",
        "There is no key for {provider}.",
        "An administrator sets it with `chatd model key`, or in chatd.toml where the provider is declared. "
        "Then send the message again.",
    ),
    "credentials": _lasting(
        "config",
        "The credentials for {provider} could not be found.",
        "Check the settings of the provider on this server.",
    ),
    "model_not_found": _lasting(
        "config",
        "{Provider} does not know this model.",
        "Check its name and the provider's address, or choose another model.",
    ),
    "moved": _lasting(
        "config",
        "{Provider} is not at the address it was called at.",
        "Check the address in the settings of the provider.",
    ),
    "request_too_large": _lasting(
        "config",
        "The request is larger than {provider} takes.",
        "Remove large files, or summarize the conversation.",
    ),
    "context_too_large": _lasting(
        "context_too_large",
        "The conversation is longer than this model can take.",
        "Summarize it, choose a model with a larger context, or start a new chat.",
    ),
    "content_filter": _lasting(
        "content_filter", "{Provider} declined to answer this.", "Try to put it differently."
    ),
    "provider_disabled": _lasting(
        "provider_disabled",
        "{Provider} is switched off.",
        "Choose another model, or ask an administrator to switch it on.",
    ),
    "timeout": _passing("timeout", "{Provider} is temporarily unavailable."),
    "unavailable": _passing("timeout", "{Provider} is temporarily unavailable."),
    "transport": _passing("timeout", "The connection to {provider} failed."),
    # No clock heals it.
    "untrusted": _lasting(
        "config",
        "The certificate of {provider} is not trusted.",
        "If it is your own, ask an administrator to add the certificate of its issuer to the settings.",
    ),
    "incomplete_stream": _passing("timeout", "{Provider} closed the connection before it had finished."),
    "deadline": _lasting(
        "timeout", "The answer of {provider} took too long and was stopped.", "Send the message again."
    ),
    "answer_too_large": _lasting(
        "generic",
        "The answer of {provider} was longer than the server takes and was cut off.",
        "Ask for less at once.",
    ),
    "no_room": _passing("generic", "The server holds as much of answers as it can, so this one was cut off."),
    "stream_silence": _passing("stream_silence_timeout", "{Provider} has stopped sending anything."),
    "server": _passing("generic", "{Provider} reported an unexpected error."),
    "invalid_response": _passing("generic", "{Provider} sent an answer that could not be read."),
    "empty_answer": Meaning(
        kind="generic",
        retryable=True,
        says="The model answered with nothing.",
        advice="Send the message again, say more of what you want, or choose another model.",
    ),
    "chain_broken": _passing("generic", "{Provider} no longer has the earlier conversation."),
    "replay_mismatch": _lasting(
        "generic",
        "{Provider} did not accept how the earlier conversation was sent back to it.",
        "This is a mistake of the server and not about billing. "
        "Send the message again, or go on in a new chat.",
    ),
    "nothing_to_answer": _lasting(
        "generic",
        "There is nothing in this conversation that {provider} could answer.",
        "Send a message.",
    ),
    "invalid_request": _lasting(
        "generic",
        "{Provider} did not accept the request.",
        "The detail says why; check whether the settings of the model fit it.",
    ),
    "protocol": _lasting(
        "generic",
        "The connection to {provider} broke, and would break again.",
        "Ask an administrator to look at what lies between the server and the provider.",
    ),
    "interrupted": _lasting("generic", "The request was cancelled.", "Send the message again."),
    "unknown": _lasting("generic", "The call to {provider} failed unexpectedly.", "Send the message again."),
}

# Tries of one history that may end so. However often it is made, an answer that cannot be read does not
# get better; a conversation that is told anew needs no third telling; and a model that has nothing to say
# three times over has nothing to say.
TRIES: Mapping[str, int] = {"invalid_response": 2, "chain_broken": 2, "empty_answer": 3}

_DISPLAYED: Mapping[str, str] = {
    "anthropic": "Anthropic",
    "azure": "Azure OpenAI",
    "bedrock": "AWS Bedrock",
    "google": "Google",
    "ollama": "Ollama",
    "openai": "OpenAI",
    "openai-compatible": "the OpenAI-compatible provider",
    "openrouter": "OpenRouter",
    "scripted": "the scripted model",
    "vercel": "Vercel AI Gateway",
}


def displayed(provider: str | None) -> str:
    """As it stands in the middle of a sentence."""
    if not provider:
        return "the AI provider"
    return _DISPLAYED.get(provider) or f"the provider {provider}"


def sentence(meaning: Meaning, provider: str | None, *, retryable: bool | None = None) -> str:
    """What people read. Advice is for when nothing more happens by itself."""
    name = displayed(provider)
    fact = meaning.says.format(Provider=name[:1].upper() + name[1:], provider=name)
    again = meaning.retryable if retryable is None else retryable
    return fact if again else f"{fact} {meaning.advice}"
