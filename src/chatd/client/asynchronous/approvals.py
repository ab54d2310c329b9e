"""Answers to what a chat waits for, its plans, and rules that answer by themselves."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import UNSET, UnsetType

from chatd.client.answers import RuleList, Submitted
from chatd.client.asynchronous.calls import Calls, chat_path, given, named, path_in
from chatd.client.plans import ListedPlan, PlanList, WholePlan

RULES = "/api/v1/rules"


class ApprovalCalls(Calls):
    async def submit(
        self,
        chat_id: str,
        *,
        results: Sequence[Mapping[str, Any]] = (),
        approvals: Sequence[Mapping[str, Any]] = (),
        answers: Sequence[Mapping[str, Any]] = (),
        instructions: str | None = None,
        client_tools: Sequence[Mapping[str, Any]] | None = None,
        client_deadline_seconds: int | UnsetType | None = UNSET,
        options: Mapping[str, Any] | None = None,
        mcp_servers: Sequence[str] | UnsetType | None = UNSET,
        mode: str | UnsetType | None = UNSET,
        delegation: bool | UnsetType = UNSET,
    ) -> Submitted:
        """Answer any of what the chat waits for. What it is set up with counts from now on, as in `send`."""
        body: dict[str, object] = {"results": results, "approvals": approvals, "answers": answers}
        body |= given(instructions=instructions, client_tools=client_tools, options=options)
        body |= named(
            client_deadline_seconds=client_deadline_seconds,
            mcp_servers=mcp_servers,
            mode=mode,
            delegation=delegation,
        )
        return await self._http.ask("POST", f"{chat_path(chat_id)}/actions", Submitted, body=body)

    async def plans(self, chat_id: str) -> tuple[ListedPlan, ...]:
        """The plans that its agent has proposed, the newest first, without their texts."""
        return (await self._http.ask("GET", f"{chat_path(chat_id)}/plans", PlanList)).plans

    async def plan(self, chat_id: str, version: int) -> WholePlan:
        return await self._http.ask("GET", f"{chat_path(chat_id)}/plans/{version}", WholePlan)

    async def rules(self, chat_id: str | None = None) -> RuleList:
        """Rules for approvals in their order: the server's and your own, and those of a chat."""
        return await self._http.ask("GET", _rules(chat_id), RuleList)

    async def add_rule(
        self,
        verdict: str,
        *,
        tool: str = "*",
        words: Sequence[str] = (),
        paths: Sequence[str] = (),
        hosts: Sequence[str] = (),
        workspace: str = "",
        position: int = 0,
        chat_id: str | None = None,
    ) -> RuleList:
        """For a chat, or for all of yours. At the position 0 it is tried before all others of its list."""
        body = {
            "verdict": verdict,
            "tool": tool,
            "words": words,
            "paths": paths,
            "hosts": hosts,
            "workspace": workspace,
            "position": position,
        }
        return await self._http.ask("POST", _rules(chat_id), RuleList, body=body)

    async def move_rule(self, rule_id: str, position: int, *, chat_id: str | None = None) -> RuleList:
        body = {"position": position}
        return await self._http.ask("PATCH", path_in(_rules(chat_id), rule_id), RuleList, body=body)

    async def delete_rule(self, rule_id: str, *, chat_id: str | None = None) -> None:
        await self._http.ask_bytes("DELETE", path_in(_rules(chat_id), rule_id))


def _rules(chat_id: str | None) -> str:
    return RULES if chat_id is None else f"{chat_path(chat_id)}/rules"
