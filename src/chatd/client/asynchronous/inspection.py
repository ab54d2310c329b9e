"""What a model was told in a chat, and what it would be told now."""

from chatd.client.answers import DebugRun, DebugRunList, Prompt
from chatd.client.asynchronous.calls import Calls, chat_path, path_in


class InspectionCalls(Calls):
    async def prompt(self, chat_id: str) -> Prompt:
        """What the model of the chat would be told now, before all that was said."""
        return await self._http.ask("GET", f"{chat_path(chat_id)}/prompt", Prompt)

    async def debug_runs(self, chat_id: str) -> tuple[DebugRun, ...]:
        """The records of its turns, newest first, without their steps; for its owner and administrators."""
        return (await self._http.ask("GET", f"{chat_path(chat_id)}/debug/runs", DebugRunList)).runs

    async def debug_run(self, chat_id: str, run_id: str) -> DebugRun:
        """What was sent to models in one turn, and what came back."""
        return await self._http.ask("GET", path_in(f"{chat_path(chat_id)}/debug/runs", run_id), DebugRun)
