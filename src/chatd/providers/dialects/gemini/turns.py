"""A history as Gemini wants it: turns of user and model that alternate (pure)."""

from collections.abc import Sequence
from typing import Final

from chatd.domain.part import Json
from chatd.kit import codec
from chatd.providers.capabilities.target import Reasoning, Target
from chatd.providers.dialect import Written
from chatd.providers.dialects.shared.references import refers
from chatd.providers.dialects.shared.system_words import marked_as_system
from chatd.providers.request.wire_turn import Attachment, Called, Returned, SaidText, Thought, WireTurn

# Google's own word for "this call was not made by you": without any signature, a step is refused.
# https://ai.google.dev/gemini-api/docs/thought-signatures
PLACEHOLDER_SIGNATURE = "skip_thought_signature_validator"

# What a function may return besides JSON, on models that take anything besides JSON.
_INSIDE_RESPONSES: Final = frozenset(
    ("image/png", "image/jpeg", "image/webp", "application/pdf", "text/plain")
)
_ONLY_THOUGHTS = "(This reply ended before anything was said.)"


def write_turns(turns: Sequence[WireTurn], target: Target) -> Written:
    script = _Script(target)
    for turn in turns:
        if turn.role == "assistant":
            script.model(turn)
        else:
            script.user(turn)
    script.end()
    return Written(script.contents, tuple(script.warnings))


class _Script:
    def __init__(self, target: Target) -> None:
        self.contents: list[Json] = []
        self.warnings: list[str] = []
        # Vertex refuses ids.
        self._with_ids = target.route != "vertex"
        # Models of the third generation take pictures inside of results, and want signatures. An unknown
        # model is newer rather than older.
        self._with_media = target.abilities.reasoning is Reasoning.LEVEL
        self._signed_steps = target.abilities.reasoning is not Reasoning.BUDGET
        self._role = ""
        self._parts: list[Json] = []
        # Whether this model turn has called something already: only the first call needs a signature.
        self._called = False
        # What Gemini called its calls, by what we call them.
        self._wire_ids: dict[str, str] = {}
        # Files of results, which have to wait until every result is there.
        self._waiting: list[Json] = []

    def model(self, turn: WireTurn) -> None:
        self._turn_to("model")
        for part in turn.parts:
            match part:
                case SaidText(text=text, internal=internal):
                    self._parts += _signed_text(text, internal)
                case Thought(internal={"signature": str(signature)}):
                    # The thoughts themselves stay here; they were told for people.
                    self._parts.append({"text": "", "thought": True, "thoughtSignature": signature})
                case Called(provider_executed=False):
                    self._parts.append(self._call(part))
                case Called(internal={"part": dict(whole)}) | Returned(internal={"part": dict(whole)}):
                    self._parts.append(whole)
                case _:
                    # Thoughts without a signature, and files: neither goes back.
                    pass

    def user(self, turn: WireTurn) -> None:
        self._turn_to("user")
        for part in turn.parts:
            match part:
                case Returned():
                    self._return(part)
                case SaidText(text=text):
                    self._release()
                    self._parts.append({"text": marked_as_system(text) if turn.role == "system" else text})
                case Attachment():
                    self._release()
                    self._parts.append(_inline(part))
                case _:
                    self.warnings.append("Something that only a model can say was left out of a user's turn")

    def end(self) -> None:
        """Write down the turn that is being made."""
        self._release()
        if self._role == "model" and not self._parts:
            # Left out, it would put two turns of the user side by side.
            self.warnings.append("A reply of nothing but thoughts was replaced by a note")
            self._parts.append({"text": _ONLY_THOUGHTS})
        if self._parts:
            self.contents.append({"role": self._role, "parts": self._parts})
        self._parts = []
        self._called = False

    def _turn_to(self, role: str) -> None:
        if role != self._role:
            self.end()
            self._role = role

    def _call(self, call: Called) -> Json:
        kept = call.internal if isinstance(call.internal, dict) else {}
        function: dict[str, Json] = {"name": call.tool, "args": call.args}
        if self._with_ids and "id" in kept:
            function["id"] = self._wire_ids[call.id] = kept["id"]
        part: dict[str, Json] = {"functionCall": function}
        signature = kept.get("signature")
        if signature is None and self._signed_steps and not self._called:
            signature = PLACEHOLDER_SIGNATURE
        if signature is not None:
            part["thoughtSignature"] = signature
        self._called = True
        return part

    def _return(self, result: Returned) -> None:
        response: dict[str, Json] = {"name": result.tool, "response": _response(result)}
        if result.id in self._wire_ids:
            response["id"] = self._wire_ids[result.id]
        inside = [file for file in result.attachments if self._fits_inside(file)]
        outside = [file for file in result.attachments if not self._fits_inside(file)]
        if inside:
            response["parts"] = [_inline(file) for file in inside]
        if outside:
            self._waiting.append({"text": f"From the result of {result.tool}:"})
            self._waiting += [_inline(file) for file in outside]
        self._parts.append({"functionResponse": response})

    def _fits_inside(self, file: Attachment) -> bool:
        return self._with_media and _media_type(file) in _INSIDE_RESPONSES

    def _release(self) -> None:
        self._parts += self._waiting
        self._waiting = []


def _signed_text(text: str, internal: Json) -> list[Json]:
    """The text in the parts that it came in, as far as they were signed."""
    parts: list[Json] = []
    at = 0
    for start, end, signature in internal.get("signed", ()) if isinstance(internal, dict) else ():
        if text[at:start]:
            parts.append({"text": text[at:start]})
        parts.append({"text": text[start:end], "thoughtSignature": signature})
        at = end
    if text[at:]:
        parts.append({"text": text[at:]})
    return parts


def _response(result: Returned) -> Json:
    output = result.output
    if refers(output):
        # Gemini would take it for the name of a file beside the result, and refuse everything.
        output = codec.encode_text(output)
    if result.is_error:
        return {"error": output}
    return output if isinstance(output, dict) else {"result": output}


def _media_type(file: Attachment) -> str:
    return file.media_type.partition(";")[0].strip().lower()


def _inline(file: Attachment) -> Json:
    type_ = _media_type(file)
    # Of texts, Vertex knows only the plain. The data is encoded as base64 with everything else.
    return {
        "inlineData": {"mimeType": "text/plain" if type_.startswith("text/") else type_, "data": file.data}
    }
