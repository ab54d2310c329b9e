"""A model call in the middle of a step, for a tool: a call of its own in the records, with its own charge."""

from functools import partial

from chatd.agent.calls.rests import NestedAsk, Rests
from chatd.agent.generation.generate import call_model, charge, refusal_of
from chatd.agent.hold.hold import Hold
from chatd.domain.message import text
from chatd.domain.usage.charge import Fate
from chatd.errors import ProviderError
from chatd.providers.failures import named
from chatd.providers.model import Request, question
from chatd.records.run import Operation
from chatd.storage.tables.files import read_files
from chatd.tools.tool import Question, ToolError

# Calls of models by the tools of one batch, all together.
NESTED_CALLS_MAX = 32


class NestedCalls:
    """What the tools of one batch ask of models. `ask` is what they are given."""

    def __init__(self, hold: Hold, rests: Rests) -> None:
        self._hold = hold
        self._rests = rests
        self._count = 0

    async def ask(self, asked: Question) -> str:
        """What the model answers. It is shown to no viewer; what becomes of it is for the tool.

        Raises ToolError when the model cannot be used, fails, or says nothing. It is not tried again.
        """
        self._count += 1
        if self._count > NESTED_CALLS_MAX:
            raise ToolError(
                f"The tools of one reply can ask models {NESTED_CALLS_MAX} times, and have done so. "
                "Call this tool again in your next reply."
            )
        try:
            return await self._ask(asked)
        except ProviderError as error:
            raise ToolError(error.message) from error

    async def _ask(self, asked: Question) -> str:
        hold = self._hold
        model = await hold.services.models.find(asked.model or hold.chat.last_model, hold.chat.owner_id)
        request = Request(
            messages=(question(asked.text),),
            system=asked.system,
            max_output_tokens=asked.max_output_tokens,
            read_files=partial(read_files, hold.services.store.db),
            chat_id=hold.chat_id,
            is_kept=False,
        )
        try:
            slot = NestedAsk(hold.slot, self._rests)
            reply = await call_model(hold, model, request, None, Operation.TOOL, slot=slot)
        except ProviderError as error:
            raise named(error, model.provider) from error
        draft = reply.draft(model)
        if (unusable := refusal_of(reply, draft, model)) is not None:
            fate, why = unusable
            charge(hold, fate, model, reply, Operation.TOOL)
            raise why
        charge(hold, Fate.USED, model, reply, Operation.TOOL)
        assert draft is not None, "a reply without a message cannot be used"
        return text(draft)
