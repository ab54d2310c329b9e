"""advisor: what its calls come back with, whatever the advisor says."""

from chatd.domain.call import CallResult
from chatd.domain.ids import CallId, ChatId
from chatd.domain.part import Json
from chatd.domain.usage.advice import uses_of
from chatd.kit.codec import encode
from chatd.tools.advisor import Terms, advisor
from chatd.tools.calls.call import run_call
from chatd.tools.tool import Advice, Consultation, Setting
from chatd.tools.toolbox import Toolbox

BYTES_MAX = 20_000


async def advised(words: str) -> CallResult:
    async def consult(_: Consultation) -> Advice:
        return Advice(text=words, model="some/model")

    setting = Setting(
        chat_id=ChatId("chat"),
        call_id=CallId("call"),
        show=lambda _: None,
        consult=consult,
        result_bytes_max=BYTES_MAX,
    )
    toolbox = Toolbox([advisor(Terms(uses_max=3))])
    ran = await run_call(toolbox, "advisor", {"question": "How?"}, setting, context_limit=BYTES_MAX)
    return ran.result


async def test_long_advice_loses_its_middle_and_is_advice_all_the_same() -> None:
    for words in ("a" * 100_000, '"\n' * 50_000, "\x01" * 100_000, "ä" * 9990):
        result = await advised("First. " + words + " Last.")

        told: Json = result.result
        assert (told["type"], told["advisor_model"], told["remaining_uses"]) == ("advice", "some/model", 2)
        assert len(encode(told)) <= BYTES_MAX
        if len(words) > BYTES_MAX:
            assert told["advice"].startswith("First. ")
            assert told["advice"].endswith(" Last.")
            assert "left out here" in told["advice"]
        assert uses_of("advisor", result) == 1


def test_only_advice_that_was_given_is_a_use() -> None:
    given = CallResult(result={"type": "advice", "advice": "Go."})

    assert uses_of("advisor", given) == 1
    assert uses_of("echo", given) == 0
    for result in ({"type": "limit_reached"}, {"type": "error"}, {"error": "It crashed."}, "advice", None):
        assert uses_of("advisor", CallResult(result=result)) == 0
    assert uses_of("advisor", CallResult(result=given.result, is_error=True)) == 0
