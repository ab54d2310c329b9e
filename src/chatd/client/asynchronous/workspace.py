"""Where agents work: files, what is kept of them, and what agents are told of them."""

from chatd.client.answers import Context, FoundFiles, Workspace
from chatd.client.asynchronous.calls import Calls, chat_path
from chatd.client.checkpoints import Checkpoints, Diff, Restored
from chatd.client.transport import DIFF_SECONDS, RESTORE_SECONDS


class WorkspaceCalls(Calls):
    async def workspace(self) -> Workspace:
        """Where agents work on this server, and what protects the rest of it."""
        return await self._http.ask("GET", "/api/v1/workspace", Workspace)

    async def workspace_files(self, chat_id: str, part: str = "") -> tuple[str, ...]:
        """Files of the chat's workspace by a part of their path."""
        path = f"{chat_path(chat_id)}/workspace/files"
        return (await self._http.ask("GET", path, FoundFiles, query={"q": part})).files

    async def checkpoints(self, chat_id: str) -> Checkpoints:
        """What is kept of the files of its workspace."""
        return await self._http.ask("GET", f"{chat_path(chat_id)}/checkpoints", Checkpoints)

    async def restore(
        self, chat_id: str, message_id: int, *, path: str | None = None, dry_run: bool = False
    ) -> Restored:
        """Bring the files of the workspace, or only that of a path, back as they were before this message."""
        body = {"dry_run": dry_run} | ({} if path is None else {"path": path})
        return await self._http.ask(
            "POST", f"{chat_path(chat_id)}/messages/{message_id}/restore", Restored, body=body,
            seconds=RESTORE_SECONDS,
        )  # fmt: skip

    async def undo_restore(self, chat_id: str, *, dry_run: bool = False) -> Restored:
        """Take the last restore back. Done twice, it is restored again."""
        path = f"{chat_path(chat_id)}/restore/undo"
        body = {"dry_run": dry_run}
        return await self._http.ask("POST", path, Restored, body=body, seconds=RESTORE_SECONDS)

    async def diff(self, chat_id: str, message_id: int, *, path: str | None = None) -> Diff:
        """What was changed in files from before this message to before the next one of a user, or to now.

        `path` is for one file, if the diff of all is too long.
        """
        return await self._http.ask(
            "GET", f"{chat_path(chat_id)}/messages/{message_id}/diff", Diff, query={"path": path},
            seconds=DIFF_SECONDS,
        )  # fmt: skip

    async def context(self, chat_id: str) -> Context:
        """What the agent is told of its workspace."""
        return await self._http.ask("GET", f"{chat_path(chat_id)}/context", Context)

    async def refresh_context(self, chat_id: str) -> Context:
        """Have the workspace read anew. The agent is told of it from its next step on."""
        return await self._http.ask("PUT", f"{chat_path(chat_id)}/context", Context)
