"""A phrase that says what a call is for, asked of the model beside the arguments (pure).

People see it above the call. The server never does: it is called with the arguments alone, whether the model
wrote them into the wrapping or not.
"""

from chatd.domain.part import Json
from chatd.tools.arguments import Arguments

INTENT = "model_intent"
WRAPPED = "properties"

_PHRASE = (
    "What this call is for, in a few plain words in the present participle, such as 'listing open issues'. "
    "Under 100 characters. Shown to the user."
)


def with_intent(plain: Arguments[dict[str, Json]]) -> Arguments[dict[str, Json]]:
    schema = {
        "type": "object",
        "properties": {INTENT: {"type": "string", "description": _PHRASE}, WRAPPED: plain.schema},
        "required": [INTENT, WRAPPED],
    }

    def check(value: Json) -> dict[str, Json]:
        return plain.check(without_intent(value, plain.schema))

    return Arguments(schema, check)


def without_intent(value: Json, schema: Json) -> Json:
    """The plain arguments of the tool with this schema."""
    own = schema.get("properties", {})
    if not isinstance(value, dict):
        return value
    rest = {key: inner for key, inner in value.items() if key != INTENT or INTENT in own}
    is_wrapped = rest.keys() == {WRAPPED} and isinstance(rest[WRAPPED], dict) and WRAPPED not in own
    return rest[WRAPPED] if is_wrapped else rest
