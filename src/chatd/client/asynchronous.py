"""The client for programs with an event loop. `make fix` makes `synchronous.py` from it for the others."""

import random
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Any, TypeAlias
from urllib.parse import quote

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from chatd.client.answers import (
    AddedFile,
    Advisor,
    AuditPage,
    AuditVerified,
    Branch,
    BranchList,
    Chat,
    ChatPage,
    ChildList,
    Context,
    DebugRun,
    DebugRunList,
    Disconnected,
    Edited,
    EndUserPage,
    FoundFiles,
    Grant,
    GrantList,
    Group,
    GroupName,
    GroupPage,
    Health,
    Marks,
    McpProbe,
    McpServer,
    McpServerList,
    Message,
    MessagePage,
    Model,
    ModelList,
    NewToken,
    NewUser,
    OwnKey,
    OwnKeyList,
    OwnSettings,
    PermitList,
    Probe,
    Prompt,
    PromptList,
    ProposedTitle,
    Provider,
    ProviderList,
    PublicLink,
    PublicLinkList,
    Replica,
    ReplicaList,
    RuleList,
    Sent,
    Service,
    ServicePage,
    Settings,
    SignIn,
    SignInCode,
    Skill,
    SkillList,
    Submitted,
    Token,
    TokenList,
    Transfer,
    TransferList,
    Unreadable,
    User,
    UserName,
    UserPage,
    UserPrompt,
    UserToken,
    Workspace,
    WorkspaceMcpServers,
)
from chatd.client.checkpoints import Checkpoints, Diff, Restored
from chatd.client.events import AccessEnded, ChatGone, Event, WatchEvent, event_of, watch_event_of
from chatd.client.follow import ATTEMPTS_MAX, Connection, follow
from chatd.client.plans import ListedPlan, PlanList, WholePlan
from chatd.client.server import ServerClient
from chatd.client.transport import DIFF_SECONDS, PROBE_SECONDS, RESTORE_SECONDS
from chatd.kit.clock import Clock

# Plain words, or parts as the API takes them.
Content: TypeAlias = str | Sequence[Mapping[str, Any]]

CHATS = "/api/v1/chats"
FILES = "/api/v1/files"
PROVIDERS = "/api/v1/providers"
MODELS = "/api/v1/models"
MCP_SERVERS = "/api/v1/mcp-servers"
WORKSPACE_MCP_SERVERS = "/api/v1/workspace/mcp-servers"
OWN_KEYS = "/api/v1/users/me/provider-keys"
OWN_SETTINGS = "/api/v1/users/me/settings"
OWN_SKILLS = "/api/v1/users/me/skills"
SETTINGS = "/api/v1/settings"
RULES = "/api/v1/rules"
USERS = "/api/v1/users"
GROUPS = "/api/v1/groups"
SERVICES = "/api/v1/services"
PERMITS = "/api/v1/permits"
AUDIT = "/api/v1/audit"


class AsyncClient(ServerClient):
    """Talks to one server as one user. `user` is for a service: for whom it speaks.

    Use it as a context manager. Every method raises ApiError when the server refuses, and Unreachable
    when it cannot be asked.
    """

    def __init__(
        self,
        base_url: str,
        token: str,
        *,
        clock: Clock | None = None,
        chance: Callable[[], float] = random.random,
        attempts_max: int = ATTEMPTS_MAX,
        user: str | None = None,
    ) -> None:
        for_user = {"X-Chatd-User": user} if user is not None else {}
        headers = {"Authorization": f"Bearer {token}", **for_user}
        super().__init__(base_url, headers, clock=clock, chance=chance, attempts_max=attempts_max)

    async def alive(self) -> Health:
        return await self._http.ask("GET", "/healthz", Health)

    async def ready(self) -> Health:
        return await self._http.ask("GET", "/readyz", Health)

    async def openapi(self) -> dict[str, Any]:
        return await self._http.ask("GET", "/api/v1/openapi.json", dict[str, Any])

    async def replicas(self) -> tuple[Replica, ...]:
        """The servers that share the database. For administrators."""
        return (await self._http.ask("GET", "/api/v1/replicas", ReplicaList)).replicas

    async def workspace(self) -> Workspace:
        """Where agents work on this server, and what protects the rest of it."""
        return await self._http.ask("GET", "/api/v1/workspace", Workspace)

    async def workspace_mcp_servers(self, workspace: str = ".") -> WorkspaceMcpServers:
        """The MCP servers that a workspace declares in `.mcp.json`."""
        query = {"workspace": workspace}
        return await self._http.ask("GET", WORKSPACE_MCP_SERVERS, WorkspaceMcpServers, query=query)

    async def trust_workspace_mcp_servers(self, digest: str, workspace: str = ".") -> WorkspaceMcpServers:
        """Your chats may start what it declares. `digest` is of the file that you have seen."""
        body = {"digest": digest, "workspace": workspace}
        return await self._http.ask("PUT", WORKSPACE_MCP_SERVERS, WorkspaceMcpServers, body=body)

    async def distrust_workspace_mcp_servers(self, workspace: str = ".") -> None:
        await self._http.ask_bytes("DELETE", WORKSPACE_MCP_SERVERS, query={"workspace": workspace})

    async def create_chat(
        self,
        content: Content,
        *,
        history: Sequence[Mapping[str, Any]] | None = None,
        title: str | None = None,
        labels: Mapping[str, str] | None = None,
        instructions: str | None = None,
        client_tools: Sequence[Mapping[str, Any]] | None = None,
        client_deadline_seconds: int | UnsetType | None = UNSET,
        options: Mapping[str, Any] | None = None,
        model: str | None = None,
        reasoning_effort: str | None = None,
        key: str | None = None,
        message_key: str | None = None,
        temporary: bool = False,
        workspace: str | UnsetType | None = UNSET,
        mcp_servers: Sequence[str] | UnsetType | None = UNSET,
        mode: str | UnsetType | None = UNSET,
        delegation: bool | UnsetType = UNSET,
    ) -> Chat:
        """`key` is your own name for the chat: the same call with it again makes no second one.
        `message_key` is the same for the first message, as `key` of `send` is for others.

        `history` has messages from before `content`, as the `messages` of an export. A temporary chat is in
        no list, and is removed an hour after its last turn has ended. `workspace` is the directory in which
        the agent works; None is none. `mcp_servers` are ids or slugs; None are those that are on by default.
        With the `mode` `plan` the agent proposes a plan, and changes nothing else.
        """
        body = _given(
            content=_parts(content),
            history=history,
            title=title,
            labels=labels,
            instructions=instructions,
            client_tools=client_tools,
            options=options,
            model=model,
            reasoning_effort=reasoning_effort,
            key=key,
            message_key=message_key,
            temporary=temporary or None,
        )
        body |= _named(
            client_deadline_seconds=client_deadline_seconds,
            workspace=workspace,
            mcp_servers=mcp_servers,
            mode=mode,
            delegation=delegation,
        )
        return await self._http.ask("POST", CHATS, Chat, body=body)

    async def chats(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        q: str | None = None,
        title: str | None = None,
        archived: bool | None = None,
        unread: bool | None = None,
        labels: Mapping[str, str] | None = None,
        key: str | None = None,
        source: str | None = None,
        owner: str | None = None,
    ) -> ChatPage:
        """One page of the caller's chats: pinned ones first, then the newest; or the chat of this key.

        With `q` only those with all of these words in one message or in the title. `found` of each chat tells
        where, and the chats of the newest such messages come first.
        `source="shared"`: those of others that were shared with you. Administrators list all chats with
        `source="all"`, or those of one `owner`, by id.
        """
        query = {
            "limit": limit,
            "cursor": cursor,
            "q": q,
            "title": title,
            "archived": archived,
            "unread": unread,
            "label": [f"{name}:{value}" for name, value in (labels or {}).items()],
            "key": key,
            "source": source,
            "owner": owner,
        }
        return await self._http.ask("GET", CHATS, ChatPage, query=query)

    async def chat(self, chat_id: str) -> Chat:
        return await self._http.ask("GET", _chat(chat_id), Chat)

    async def change_chat(
        self,
        chat_id: str,
        *,
        title: str | UnsetType = UNSET,
        labels: Mapping[str, str] | UnsetType = UNSET,
        archived: bool | UnsetType = UNSET,
        pin_order: int | UnsetType = UNSET,
        last_read_message_id: int | UnsetType = UNSET,
        mcp_servers: Sequence[str] | UnsetType | None = UNSET,
        mode: str | UnsetType | None = UNSET,
        delegation: bool | UnsetType = UNSET,
    ) -> Chat:
        """All of what is named, or nothing."""
        body = _named(
            title=title,
            labels=labels,
            archived=archived,
            pin_order=pin_order,
            last_read_message_id=last_read_message_id,
            mcp_servers=mcp_servers,
            mode=mode,
            delegation=delegation,
        )
        return await self._http.ask("PATCH", _chat(chat_id), Chat, body=body)

    async def delete_chat(self, chat_id: str) -> None:
        await self._http.ask_bytes("DELETE", _chat(chat_id))

    async def messages(
        self,
        chat_id: str,
        *,
        before_id: int | None = None,
        after_id: int | None = None,
        limit: int | None = None,
        branch: int | None = None,
    ) -> MessagePage:
        """Newest first; oldest first when only `after_id` is given."""
        query = {"before_id": before_id, "after_id": after_id, "limit": limit, "branch": branch}
        return await self._http.ask("GET", f"{_chat(chat_id)}/messages", MessagePage, query=query)

    async def history(self, chat_id: str, *, after_id: int = 0) -> AsyncGenerator[Message, None]:
        """Every message in order, page by page."""
        more = True
        while more:
            page = await self.messages(chat_id, after_id=after_id, limit=200)
            for message in page.messages:
                yield message
                after_id = message.id
            more = page.has_more and bool(page.messages)

    async def send(
        self,
        chat_id: str,
        content: Content,
        *,
        when: str | None = None,
        model: str | None = None,
        reasoning_effort: str | None = None,
        instructions: str | None = None,
        client_tools: Sequence[Mapping[str, Any]] | None = None,
        client_deadline_seconds: int | UnsetType | None = UNSET,
        options: Mapping[str, Any] | None = None,
        mcp_servers: Sequence[str] | UnsetType | None = UNSET,
        mode: str | UnsetType | None = UNSET,
        delegation: bool | UnsetType = UNSET,
        key: str | None = None,
    ) -> Sent:
        """`when` is for an agent that is busy: `queue`, `steer` or `interrupt`.

        `instructions`, `client_tools`, `mcp_servers` and `mode` count from this message on, and replace the
        ones of before.
        `key` is your own name for the message: the same call with it again says nothing twice.
        """
        body = _given(
            content=_parts(content),
            when=when,
            model=model,
            reasoning_effort=reasoning_effort,
            instructions=instructions,
            client_tools=client_tools,
            options=options,
            key=key,
        )
        body |= _named(
            client_deadline_seconds=client_deadline_seconds,
            mcp_servers=mcp_servers,
            mode=mode,
            delegation=delegation,
        )
        return await self._http.ask("POST", f"{_chat(chat_id)}/messages", Sent, body=body)

    async def edit(
        self,
        chat_id: str,
        message_id: int,
        content: Content,
        *,
        model: str | None = None,
        reasoning_effort: str | None = None,
        queue: str | None = None,
    ) -> Edited:
        """`queue` says what becomes of messages that wait: `keep` them, or `drop` them."""
        body = _given(content=_parts(content), model=model, reasoning_effort=reasoning_effort, queue=queue)
        return await self._http.ask("PATCH", f"{_chat(chat_id)}/messages/{message_id}", Edited, body=body)

    async def checkpoints(self, chat_id: str) -> Checkpoints:
        """What is kept of the files of its workspace."""
        return await self._http.ask("GET", f"{_chat(chat_id)}/checkpoints", Checkpoints)

    async def restore(
        self, chat_id: str, message_id: int, *, path: str | None = None, dry_run: bool = False
    ) -> Restored:
        """Bring the files of the workspace, or only that of a path, back as they were before this message."""
        body = {"dry_run": dry_run} | ({} if path is None else {"path": path})
        return await self._http.ask(
            "POST", f"{_chat(chat_id)}/messages/{message_id}/restore", Restored, body=body,
            seconds=RESTORE_SECONDS,
        )  # fmt: skip

    async def undo_restore(self, chat_id: str, *, dry_run: bool = False) -> Restored:
        """Take the last restore back. Done twice, it is restored again."""
        path = f"{_chat(chat_id)}/restore/undo"
        body = {"dry_run": dry_run}
        return await self._http.ask("POST", path, Restored, body=body, seconds=RESTORE_SECONDS)

    async def diff(self, chat_id: str, message_id: int, *, path: str | None = None) -> Diff:
        """What was changed in files from before this message to before the next one of a user, or to now.

        `path` is for one file, if the diff of all is too long.
        """
        return await self._http.ask(
            "GET", f"{_chat(chat_id)}/messages/{message_id}/diff", Diff, query={"path": path},
            seconds=DIFF_SECONDS,
        )  # fmt: skip

    async def prompts(self, chat_id: str, *, limit: int | None = None) -> tuple[UserPrompt, ...]:
        path = f"{_chat(chat_id)}/prompts"
        return (await self._http.ask("GET", path, PromptList, query={"limit": limit})).prompts

    async def branches(self, chat_id: str) -> tuple[Branch, ...]:
        return (await self._http.ask("GET", f"{_chat(chat_id)}/branches", BranchList)).branches

    async def switch_branch(self, chat_id: str, branch: int) -> Chat:
        return await self._http.ask("POST", f"{_chat(chat_id)}/branches/{branch}/switch", Chat)

    async def delete_queued(self, chat_id: str, queued_id: int) -> None:
        await self._http.ask_bytes("DELETE", f"{_chat(chat_id)}/queue/{queued_id}")

    async def promote_queued(self, chat_id: str, queued_id: int) -> Chat:
        return await self._http.ask("POST", f"{_chat(chat_id)}/queue/{queued_id}/promote", Chat)

    async def reorder_queue(self, chat_id: str, queued_ids: Sequence[int]) -> Chat:
        """Those that are not named follow in the order they had."""
        body = {"queued_ids": list(queued_ids)}
        return await self._http.ask("PUT", f"{_chat(chat_id)}/queue", Chat, body=body)

    async def workspace_files(self, chat_id: str, part: str = "") -> tuple[str, ...]:
        """Files of the chat's workspace by a part of their path."""
        path = f"{_chat(chat_id)}/workspace/files"
        return (await self._http.ask("GET", path, FoundFiles, query={"q": part})).files

    async def children(self, chat_id: str) -> ChildList:
        """The chats that work for this one, the one that was changed last first."""
        return await self._http.ask("GET", f"{_chat(chat_id)}/children", ChildList)

    async def interrupt(self, chat_id: str, *, message_id: int | None = None, cascade: bool = True) -> Chat:
        """`message_id` stops only the turn of that message: if a newer one runs, it is refused.

        Without `cascade` the chats that work for this one go on.
        """
        body = _given(message_id=message_id) | ({} if cascade else {"cascade": False})
        return await self._http.ask("POST", f"{_chat(chat_id)}/interrupt", Chat, body=body)

    async def grants(self, chat_id: str) -> tuple[Grant, ...]:
        """With whom a chat is shared; for those it was shared with, what is their own."""
        return (await self._http.ask("GET", f"{_chat(chat_id)}/grants", GrantList)).grants

    async def grant(self, chat_id: str, subject: str, *, kind: str = "user") -> Grant:
        """What a user or a group was granted, by id or name; or `everyone`, called `all`."""
        return await self._http.ask("GET", _grant(chat_id, kind, subject), Grant)

    async def share(
        self,
        chat_id: str,
        subject: str,
        *,
        kind: str = "user",
        role: str = "reader",
        expires_at: str | None = None,
    ) -> Grant:
        """Let a user, a group or everyone read a chat, or with the role `writer` send messages too.

        The owner pays for what they send.
        """
        body = {"role": role, **_given(expires_at=expires_at)}
        return await self._http.ask("PUT", _grant(chat_id, kind, subject), Grant, body=body)

    async def unshare(self, chat_id: str, subject: str, *, kind: str = "user") -> None:
        """Take it back. Whoever watches is cut off."""
        await self._http.ask_bytes("DELETE", _grant(chat_id, kind, subject))

    async def public_links(self, chat_id: str) -> tuple[PublicLink, ...]:
        """The public links of a chat that have not ended, without their codes."""
        return (await self._http.ask("GET", f"{_chat(chat_id)}/links", PublicLinkList)).links

    async def make_public_link(
        self, chat_id: str, *, days: int | None = None, live: bool = False, include: Sequence[str] = ()
    ) -> PublicLink:
        """Let whoever has its `code` read the chat, for seven days unless you say otherwise.

        `live`: they see what is said from now on. `include`: reasoning, tools, files.
        """
        body = {"live": live, "include": include, **_given(days=days)}
        return await self._http.ask("POST", f"{_chat(chat_id)}/links", PublicLink, body=body)

    async def change_public_link(
        self,
        chat_id: str,
        link_id: str,
        *,
        days: int | None = None,
        live: bool | None = None,
        include: Sequence[str] | None = None,
    ) -> PublicLink:
        """Days are counted from now on."""
        body = _given(days=days, live=live, include=include)
        return await self._http.ask("PATCH", _link(chat_id, link_id), PublicLink, body=body)

    async def end_public_link(self, chat_id: str, link_id: str) -> None:
        """Guests are cut off."""
        await self._http.ask_bytes("DELETE", _link(chat_id, link_id))

    async def transfers(self) -> tuple[Transfer, ...]:
        """Chats that are offered to you."""
        return (await self._http.ask("GET", "/api/v1/transfers", TransferList)).transfers

    async def transfer(self, chat_id: str) -> Transfer:
        """To whom a chat is offered."""
        return await self._http.ask("GET", f"{_chat(chat_id)}/transfer", Transfer)

    async def offer_chat(self, chat_id: str, to: str, *, keep: str = "nothing", reason: str = "") -> Transfer:
        """Offer it to another user, by id or name. `keep`: writer, reader or nothing, for you afterwards.

        An administrator gives a reason, and then it is theirs.
        """
        body = {"to": to, "keep": keep, **({"reason": reason} if reason else {})}
        return await self._http.ask("POST", f"{_chat(chat_id)}/transfer", Transfer, body=body)

    async def accept_chat(self, chat_id: str) -> Chat:
        """From now on it is yours, and you pay for it."""
        return await self._http.ask("POST", f"{_chat(chat_id)}/transfer/accept", Chat)

    async def decline_chat(self, chat_id: str) -> None:
        await self._http.ask_bytes("POST", f"{_chat(chat_id)}/transfer/decline")

    async def withdraw_chat(self, chat_id: str) -> None:
        """Take the offer back."""
        await self._http.ask_bytes("DELETE", f"{_chat(chat_id)}/transfer")

    async def mark(
        self,
        chat_id: str,
        *,
        read_id: int | None = None,
        pin_order: int | None = None,
        muted: bool | None = None,
    ) -> Marks:
        """What you mark in a chat for yourself. Nobody else's moves."""
        body = _given(read_id=read_id, pin_order=pin_order, muted=muted)
        return await self._http.ask("PUT", f"{_chat(chat_id)}/mark", Marks, body=body)

    async def compact(self, chat_id: str) -> Chat:
        return await self._http.ask("POST", f"{_chat(chat_id)}/compact", Chat)

    async def regenerate_title(self, chat_id: str) -> Chat:
        """Have a model find a title for the chat, instead of the one that it has."""
        return await self._http.ask("POST", f"{_chat(chat_id)}/title/regenerate", Chat)

    async def propose_title(self, chat_id: str) -> str:
        """The same, and nothing is kept."""
        return (await self._http.ask("POST", f"{_chat(chat_id)}/title/propose", ProposedTitle)).title

    async def retry(self, chat_id: str) -> Chat:
        return await self._http.ask("POST", f"{_chat(chat_id)}/retry", Chat)

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
        body |= _given(instructions=instructions, client_tools=client_tools, options=options)
        body |= _named(
            client_deadline_seconds=client_deadline_seconds,
            mcp_servers=mcp_servers,
            mode=mode,
            delegation=delegation,
        )
        return await self._http.ask("POST", f"{_chat(chat_id)}/actions", Submitted, body=body)

    async def plans(self, chat_id: str) -> tuple[ListedPlan, ...]:
        """The plans that its agent has proposed, the newest first, without their texts."""
        return (await self._http.ask("GET", f"{_chat(chat_id)}/plans", PlanList)).plans

    async def plan(self, chat_id: str, version: int) -> WholePlan:
        return await self._http.ask("GET", f"{_chat(chat_id)}/plans/{version}", WholePlan)

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
        return await self._http.ask("PATCH", _in(_rules(chat_id), rule_id), RuleList, body=body)

    async def delete_rule(self, rule_id: str, *, chat_id: str | None = None) -> None:
        await self._http.ask_bytes("DELETE", _in(_rules(chat_id), rule_id))

    async def context(self, chat_id: str) -> Context:
        """What the agent is told of its workspace."""
        return await self._http.ask("GET", f"{_chat(chat_id)}/context", Context)

    async def refresh_context(self, chat_id: str) -> Context:
        """Have the workspace read anew. The agent is told of it from its next step on."""
        return await self._http.ask("PUT", f"{_chat(chat_id)}/context", Context)

    async def prompt(self, chat_id: str) -> Prompt:
        """What the model of the chat would be told now, before all that was said."""
        return await self._http.ask("GET", f"{_chat(chat_id)}/prompt", Prompt)

    async def export(self, chat_id: str, *, format: str = "json") -> bytes:
        """The chat as a file: `json`, which can be imported, or `markdown`, for people."""
        return await self._http.ask_bytes("GET", f"{_chat(chat_id)}/export", query={"format": format})

    async def import_chat(self, exported: Mapping[str, Any]) -> Chat:
        return await self._http.ask("POST", f"{CHATS}/import", Chat, body=exported)

    async def add_file(self, data: bytes, *, name: str, media_type: str) -> AddedFile:
        """To be attached to a message: `{"type": "file", "file_id": …, "name": …}` is its part."""
        headers = {
            "Content-Type": media_type,
            "Content-Disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}",
        }
        return await self._http.send(FILES, AddedFile, data, headers)

    async def file(self, file_id: str) -> bytes:
        return await self._http.ask_bytes("GET", _in(FILES, file_id))

    async def debug_runs(self, chat_id: str) -> tuple[DebugRun, ...]:
        """The records of its turns, newest first, without their steps; for its owner and administrators."""
        return (await self._http.ask("GET", f"{_chat(chat_id)}/debug/runs", DebugRunList)).runs

    async def debug_run(self, chat_id: str, run_id: str) -> DebugRun:
        """What was sent to models in one turn, and what came back."""
        return await self._http.ask("GET", _in(f"{_chat(chat_id)}/debug/runs", run_id), DebugRun)

    async def providers(self) -> tuple[Provider, ...]:
        return (await self._http.ask("GET", PROVIDERS, ProviderList)).providers

    async def unreadable_providers(self) -> tuple[Unreadable, ...]:
        """Providers that a newer server has stored, or that are damaged; for administrators."""
        return (await self._http.ask("GET", PROVIDERS, ProviderList)).unreadable

    async def add_provider(self, type: str, name: str, **fields: Any) -> Provider:
        """The fields are those of the API, such as `api_key`, `base_url` and `settings`."""
        return await self._http.ask("POST", PROVIDERS, Provider, body={"type": type, "name": name, **fields})

    async def change_provider(self, provider_id: str, **fields: Any) -> Provider:
        return await self._http.ask("PATCH", _in(PROVIDERS, provider_id), Provider, body=fields)

    async def delete_provider(self, provider_id: str) -> None:
        await self._http.ask_bytes("DELETE", _in(PROVIDERS, provider_id))

    async def models(self) -> tuple[Model, ...]:
        return (await self._http.ask("GET", MODELS, ModelList)).models

    async def unreadable_models(self) -> tuple[Unreadable, ...]:
        """Models that a newer server has stored, that are damaged, or whose provider is unreadable."""
        return (await self._http.ask("GET", MODELS, ModelList)).unreadable

    async def add_model(
        self, provider_id: str, model: str, *, context_limit: int | None = None, **fields: Any
    ) -> Model:
        body = {"provider_id": provider_id, "model": model, "context_limit": context_limit, **fields}
        return await self._http.ask("POST", MODELS, Model, body=body)

    async def change_model(self, model_id: str, **fields: Any) -> Model:
        return await self._http.ask("PATCH", _in(MODELS, model_id), Model, body=fields)

    async def delete_model(self, model_id: str) -> None:
        await self._http.ask_bytes("DELETE", _in(MODELS, model_id))

    async def test_model(self, model_id: str) -> Probe:
        """One tiny call through the server."""
        path = f"{_in(MODELS, model_id)}/test"
        return await self._http.ask("POST", path, Probe, seconds=PROBE_SECONDS)

    async def mcp_servers(self) -> tuple[McpServer, ...]:
        return (await self._http.ask("GET", MCP_SERVERS, McpServerList)).mcp_servers

    async def unreadable_mcp_servers(self) -> tuple[Unreadable, ...]:
        """MCP servers that a newer server has stored, or that are damaged."""
        return (await self._http.ask("GET", MCP_SERVERS, McpServerList)).unreadable

    async def mcp_server(self, server_id: str) -> McpServer:
        return await self._http.ask("GET", _in(MCP_SERVERS, server_id), McpServer)

    async def add_mcp_server(self, slug: str, **fields: Any) -> McpServer:
        """The fields are those of the API, such as `url`, `scope` and `auth_type`."""
        body = {"slug": slug, **fields}
        return await self._http.ask("POST", MCP_SERVERS, McpServer, body=body, seconds=PROBE_SECONDS)

    async def change_mcp_server(self, server_id: str, **fields: Any) -> McpServer:
        path = _in(MCP_SERVERS, server_id)
        return await self._http.ask("PATCH", path, McpServer, body=fields, seconds=PROBE_SECONDS)

    async def delete_mcp_server(self, server_id: str) -> None:
        await self._http.ask_bytes("DELETE", _in(MCP_SERVERS, server_id))

    async def test_mcp_server(self, server_id: str) -> McpProbe:
        """One connection, made by the server as the caller."""
        path = f"{_in(MCP_SERVERS, server_id)}/test"
        return await self._http.ask("POST", path, McpProbe, seconds=PROBE_SECONDS)

    async def connect_mcp_server(self, server_id: str) -> SignIn:
        """Begin to sign in. The user opens the address, and is shown a code for `finish_mcp_sign_in`."""
        return await self._http.ask("POST", f"{_in(MCP_SERVERS, server_id)}/oauth2/connect", SignIn)

    async def finish_mcp_sign_in(self, server_id: str, code: str) -> McpServer:
        path = f"{_in(MCP_SERVERS, server_id)}/oauth2/finish"
        return await self._http.ask("POST", path, McpServer, body={"code": code})

    async def disconnect_mcp_server(self, server_id: str) -> Disconnected:
        path = f"{_in(MCP_SERVERS, server_id)}/oauth2/disconnect"
        return await self._http.ask("DELETE", path, Disconnected, seconds=PROBE_SECONDS)

    async def own_keys(self) -> tuple[OwnKey, ...]:
        return (await self._http.ask("GET", OWN_KEYS, OwnKeyList)).keys

    async def set_own_key(self, provider: str, api_key: str) -> None:
        await self._http.ask_bytes("PUT", _in(OWN_KEYS, provider), body={"api_key": api_key})

    async def delete_own_key(self, provider: str) -> None:
        await self._http.ask_bytes("DELETE", _in(OWN_KEYS, provider))

    async def skills(self) -> tuple[Skill, ...]:
        """The caller's own skills, which agents can read in all of their chats."""
        return (await self._http.ask("GET", OWN_SKILLS, SkillList)).skills

    async def skill(self, name: str) -> Skill:
        return await self._http.ask("GET", _in(OWN_SKILLS, name), Skill)

    async def add_skill(self, content: str) -> Skill:
        """`content` is a whole `SKILL.md`, which says its name."""
        return await self._http.ask("POST", OWN_SKILLS, Skill, body={"content": content})

    async def change_skill(self, name: str, content: str) -> Skill:
        """The name in it must be the same."""
        return await self._http.ask("PATCH", _in(OWN_SKILLS, name), Skill, body={"content": content})

    async def delete_skill(self, name: str) -> None:
        await self._http.ask_bytes("DELETE", _in(OWN_SKILLS, name))

    async def audit(
        self, *, order: str = "newest", cursor: str | None = None, limit: int = 100, **wanted: Any
    ) -> AuditPage:
        """What was done on the server, for auditors; `cursor` is `next` of the page before.

        `wanted` are the filters of the route: actor, deed, target, outcome, since, until.
        """
        query = _given(order=order, cursor=cursor, limit=str(limit), **wanted)
        return await self._http.ask("GET", AUDIT, AuditPage, query=query)

    async def export_audit(self, *, format: str = "ndjson", **wanted: Any) -> bytes:
        """The same as a file, `ndjson` or `csv`, the oldest first and whole in memory."""
        query = _given(format=format, **wanted)
        return await self._http.ask_bytes("GET", f"{AUDIT}/export", query=query)

    async def verify_audit(self) -> AuditVerified:
        """Whether entries were changed or removed since they were sealed."""
        return await self._http.ask("GET", f"{AUDIT}/verify", AuditVerified)

    async def users(self, *, q: str = "", after: str = "", **filters: str) -> UserPage:
        """A page of users by name, for administrators; `after` is `next` of the page before.

        Filters: `role`, `state` (`active`, `suspended`) and `kind` (`person`, `service`).
        """
        return await self._http.ask("GET", USERS, UserPage, query={"q": q, "after": after, **filters})

    async def find_people(self, part: str) -> tuple[UserName, ...]:
        """Whom to share with: up to 20, by at least two letters of their name."""
        return (await self._http.ask("GET", USERS, UserPage, query={"find": part})).names

    async def change_own_name(self, display_name: str) -> User:
        """How the caller is shown to others."""
        return await self._http.ask("PATCH", f"{USERS}/me", User, body={"display_name": display_name})

    async def choose_password(self, new: str, *, old: str | None = None) -> User:
        """To sign in with; `old` is needed if there is one. Other browsers of the caller are signed out."""
        return await self._http.ask("PATCH", f"{USERS}/me", User, body={"password": {"old": old, "new": new}})

    async def add_user(self, name: str, **fields: Any) -> NewUser:
        """`code` of the answer signs a browser of theirs in, once."""
        return await self._http.ask("POST", USERS, NewUser, body={"name": name, **fields})

    async def change_user(self, user_id: str, **fields: Any) -> User:
        return await self._http.ask("PATCH", _in(USERS, user_id), User, body=fields)

    async def suspend_user(self, user_id: str) -> User:
        return await self._http.ask("POST", f"{_in(USERS, user_id)}/suspend", User)

    async def activate_user(self, user_id: str) -> User:
        return await self._http.ask("POST", f"{_in(USERS, user_id)}/activate", User)

    async def delete_user(self, user_id: str, *, chats: str, to: str | None = None) -> None:
        """`chats` says what becomes of theirs: `archive`, `erase`, or `transfer` to the user `to`, an id."""
        query = {"chats": chats, **({"to": to} if to is not None else {})}
        await self._http.ask_bytes("DELETE", _in(USERS, user_id), query=query)

    async def restore_user(self, user_id: str) -> User:
        """Within 14 days."""
        return await self._http.ask("POST", f"{_in(USERS, user_id)}/restore", User)

    async def sign_in_code(self, user_id: str) -> SignInCode:
        """For a user who has no way in."""
        return await self._http.ask("POST", f"{_in(USERS, user_id)}/sign-in-link", SignInCode)

    async def tokens(self, user_id: str = "me") -> tuple[Token, ...]:
        """The caller's own; those of another user for administrators."""
        return (await self._http.ask("GET", f"{_in(USERS, user_id)}/tokens", TokenList)).tokens

    async def add_token(self, name: str, *, user_id: str = "me", **fields: Any) -> NewToken:
        """The caller's own, or one of a service for administrators."""
        path = f"{_in(USERS, user_id)}/tokens"
        return await self._http.ask("POST", path, NewToken, body={"name": name, **fields})

    async def rotate_token(self, token_id: str, *, old_seconds: int = 0, user_id: str = "me") -> NewToken:
        """Another secret; the one of before counts for so long."""
        path = f"{_in(f'{_in(USERS, user_id)}/tokens', token_id)}/rotate"
        return await self._http.ask("POST", path, NewToken, body={"old_seconds": old_seconds})

    async def revoke_token(self, token_id: str, user_id: str = "me") -> None:
        await self._http.ask_bytes("DELETE", _in(f"{_in(USERS, user_id)}/tokens", token_id))

    async def groups(self, *, q: str = "", after: str = "") -> GroupPage:
        """A page of groups by name; `after` is `next` of the page before."""
        return await self._http.ask("GET", GROUPS, GroupPage, query={"q": q, "after": after})

    async def find_groups(self, part: str) -> tuple[GroupName, ...]:
        """To share with: up to 20, by at least two letters of their name."""
        return (await self._http.ask("GET", GROUPS, GroupPage, query={"find": part})).names

    async def group(self, group_id: str) -> Group:
        return await self._http.ask("GET", _in(GROUPS, group_id), Group)

    async def add_group(self, name: str) -> Group:
        return await self._http.ask("POST", GROUPS, Group, body={"name": name})

    async def rename_group(self, group_id: str, name: str) -> Group:
        return await self._http.ask("PATCH", _in(GROUPS, group_id), Group, body={"name": name})

    async def delete_group(self, group_id: str) -> None:
        await self._http.ask_bytes("DELETE", _in(GROUPS, group_id))

    async def members(self, group_id: str, *, after: str = "") -> UserPage:
        """Who is in a group, a page by name."""
        return await self._http.ask(
            "GET", f"{_in(GROUPS, group_id)}/members", UserPage, query={"after": after}
        )

    async def add_member(self, group_id: str, user_id: str) -> None:
        await self._http.ask_bytes("PUT", _in(f"{_in(GROUPS, group_id)}/members", user_id))

    async def remove_member(self, group_id: str, user_id: str) -> None:
        await self._http.ask_bytes("DELETE", _in(f"{_in(GROUPS, group_id)}/members", user_id))

    async def services(self, *, after: str = "") -> ServicePage:
        """A page of services by name; `after` is `next` of the page before."""
        return await self._http.ask("GET", SERVICES, ServicePage, query={"after": after})

    async def service(self, service_id: str) -> Service:
        return await self._http.ask("GET", _in(SERVICES, service_id), Service)

    async def add_service(self, name: str, **fields: Any) -> Service:
        """It has no token yet: `add_token` with its id as `user_id` makes one."""
        return await self._http.ask("POST", SERVICES, Service, body={"name": name, **fields})

    async def change_service(self, service_id: str, **fields: Any) -> Service:
        return await self._http.ask("PATCH", _in(SERVICES, service_id), Service, body=fields)

    async def delete_service(self, service_id: str, *, chats: str, to: str | None = None) -> None:
        """With its end users. `chats` as for `delete_user`."""
        query = {"chats": chats, **({"to": to} if to is not None else {})}
        await self._http.ask_bytes("DELETE", _in(SERVICES, service_id), query=query)

    async def end_users(
        self, service_id: str, *, external_id: str | None = None, after: str = ""
    ) -> EndUserPage:
        """For whom a service has spoken, a page by its own names for them."""
        query = {"after": after, **({"external_id": external_id} if external_id is not None else {})}
        return await self._http.ask("GET", f"{_in(SERVICES, service_id)}/end-users", EndUserPage, query=query)

    async def add_user_token(self, user: str, **fields: Any) -> UserToken:
        """For a service: a token with which somebody for whom it speaks can chat, for a while."""
        return await self._http.ask(
            "POST", f"{SERVICES}/me/user-tokens", UserToken, body={"user": user, **fields}
        )

    async def permits(self, chat_id: str | None = None) -> tuple[str, ...]:
        """The deeds that would not be refused, such as `chat.create`; with a chat, also those in it."""
        query = {"chat": chat_id} if chat_id is not None else {}
        return (await self._http.ask("GET", PERMITS, PermitList, query=query)).deeds

    async def settings(self) -> Settings:
        return await self._http.ask("GET", SETTINGS, Settings)

    async def change_settings(self, **fields: Any) -> Settings:
        return await self._http.ask("PATCH", SETTINGS, Settings, body=fields)

    async def advisor(self) -> Advisor:
        return await self._http.ask("GET", f"{SETTINGS}/advisor", Advisor)

    async def set_advisor(self, **fields: Any) -> Advisor:
        """For administrators. What is not named is as it is by default; `enabled` has to be."""
        return await self._http.ask("PUT", f"{SETTINGS}/advisor", Advisor, body=fields)

    async def own_settings(self) -> OwnSettings:
        return await self._http.ask("GET", OWN_SETTINGS, OwnSettings)

    async def change_own_settings(self, **fields: Any) -> OwnSettings:
        return await self._http.ask("PATCH", OWN_SETTINGS, OwnSettings, body=fields)

    async def metrics(self) -> str:
        return (await self._http.ask_bytes("GET", "/metrics")).decode()

    async def stream(
        self,
        chat_id: str,
        cursor: str | None = None,
        *,
        connection: Callable[[Connection], None] | None = None,
    ) -> AsyncGenerator[Event, None]:
        """What happens in a chat, from the cursor on, or from its last messages on. Ends when it is deleted.

        An `OlderMessages` says where `messages(chat_id, before_id=...)` goes on.

        Comes back by itself when the connection breaks; `connection` is told when it is lost and when it is
        back. Leave it with `contextlib.aclosing`.
        """
        path = f"{_chat(chat_id)}/stream"
        reconnect = self._reconnect if connection is None else replace(self._reconnect, tell=connection)
        followed = follow(self._http, path, cursor, event_of, reconnect)
        async with aclosing(followed) as events:
            async for event in events:
                yield event
                if isinstance(event, ChatGone | AccessEnded):
                    return

    async def watch(self, cursor: str | None = None) -> AsyncGenerator[WatchEvent, None]:
        """What happens to the caller's chats; the same way. After each `gap`, list them anew."""
        path = f"{CHATS}/watch"
        async with aclosing(follow(self._http, path, cursor, watch_event_of, self._reconnect)) as events:
            async for event in events:
                yield event


def _grant(chat_id: str, kind: str, subject: str) -> str:
    return f"{_chat(chat_id)}/grants/{kind}/{quote(subject, safe='')}"


def _link(chat_id: str, link_id: str) -> str:
    return f"{_chat(chat_id)}/links/{quote(link_id, safe='')}"


def _chat(chat_id: str) -> str:
    return _in(CHATS, chat_id)


def _rules(chat_id: str | None) -> str:
    return RULES if chat_id is None else f"{_chat(chat_id)}/rules"


def _in(folder: str, name: str) -> str:
    return f"{folder}/{quote(name, safe='')}"


def _parts(content: Content) -> Sequence[Mapping[str, Any]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _named(**fields: object) -> dict[str, object]:
    """For fields of which None is a value: no deadline, no workspace."""
    return {name: value for name, value in fields.items() if value is not UNSET}


def _given(**fields: object) -> dict[str, object]:
    return {name: value for name, value in fields.items() if value is not None}
