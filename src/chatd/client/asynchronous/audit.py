"""What was done on the server, for auditors."""

from typing import Any

from chatd.client.answers import AuditEntry, AuditPage, AuditVerified
from chatd.client.asynchronous.calls import Calls, given
from chatd.client.pages import Pages

AUDIT = "/api/v1/audit"


class AuditCalls(Calls):
    def audit(
        self, *, order: str = "newest", cursor: str | None = None, limit: int = 100, **wanted: Any
    ) -> Pages[AuditPage, AuditEntry]:
        """What was done on the server, for auditors; `cursor` is `next` of the page before.

        `wanted` are the filters of the route: actor, deed, target, outcome, since, until.
        """
        query = {"order": order, "cursor": cursor, "limit": limit, **wanted}
        return self._pages(AUDIT, AuditPage, query)

    async def export_audit(self, *, format: str = "ndjson", **wanted: Any) -> bytes:
        """The same as a file, `ndjson` or `csv`, the oldest first and whole in memory."""
        query = given(format=format, **wanted)
        return await self._http.ask_bytes("GET", f"{AUDIT}/export", query=query)

    async def verify_audit(self) -> AuditVerified:
        """Whether entries were changed or removed since they were sealed."""
        return await self._http.ask("GET", f"{AUDIT}/verify", AuditVerified)
