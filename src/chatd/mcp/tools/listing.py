"""The tools of a server as they may be offered: read page by page, within bounds."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping

from msgspec import Struct, field

from chatd.domain.part import Json
from chatd.kit import codec
from chatd.kit.text import shortened, valid_text, visible
from chatd.mcp.connections.session import McpError, RawTool, Session
from chatd.mcp.limits import (
    DESCRIPTION_CHARACTERS_MAX,
    NAME_CHARACTERS_MAX,
    PAGES_MAX,
    SCHEMAS_BYTES_MAX,
    TOOLS_MAX,
)
from chatd.mcp.tools.schemas import BadSchema, fit_schema


class ListedTool(Struct, frozen=True, kw_only=True):
    """A tool that can be offered. `name` is what its server calls it."""

    name: str
    description: str
    input_schema: dict[str, Json]
    schema_bytes: int
    idempotent: bool = False
    read_only: bool = False


class Listing(Struct, frozen=True, kw_only=True):
    # By name, so that the order is the same each time.
    tools: tuple[ListedTool, ...] = ()
    # Why tools are missing, and how many each time.
    left_out: Mapping[str, int] = {}


async def read_listing(session: Session) -> Listing:
    """Raises McpError."""
    gathered = _Gathered()
    cursor: str | None = None
    seen: set[str] = set()
    for _ in range(PAGES_MAX):
        page = await session.list_tools(cursor)
        # In a thread: hundreds of schemas at their bounds take seconds.
        await asyncio.to_thread(gathered.take_all, page.tools)
        cursor = page.cursor
        if cursor is None:
            return gathered.listing()
        if cursor in seen:
            raise McpError("The list of its tools does not end: a page leads back to an earlier one.")
        seen.add(cursor)
    raise McpError(f"The list of its tools has more than {PAGES_MAX} pages.")


class _Gathered(Struct):
    tools: dict[str, ListedTool] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)
    schemas_bytes: int = 0

    def take_all(self, raw: Iterable[RawTool]) -> None:
        for each in raw:
            self.take(each)

    def take(self, raw: RawTool) -> None:
        if len(self.tools) >= TOOLS_MAX:
            self.left_out[f"there are more than {TOOLS_MAX}"] += 1
        elif not raw.name or len(raw.name) > NAME_CHARACTERS_MAX or valid_text(raw.name) != raw.name:
            self.left_out["the name cannot be used"] += 1
        elif raw.name in self.tools:
            self.left_out["the name is there twice"] += 1
        else:
            self._keep(raw)

    def _keep(self, raw: RawTool) -> None:
        try:
            schema = fit_schema(raw.input_schema)
        except BadSchema as error:
            self.left_out[f"the schema cannot be used: {error}"] += 1
            return
        size = len(codec.encode(schema))
        if self.schemas_bytes + size > SCHEMAS_BYTES_MAX:
            self.left_out[f"the schemas have more than {SCHEMAS_BYTES_MAX} bytes together"] += 1
            return
        self.schemas_bytes += size
        self.tools[raw.name] = ListedTool(
            name=raw.name,
            description=shortened(visible(valid_text(raw.description)), DESCRIPTION_CHARACTERS_MAX),
            input_schema=schema,
            schema_bytes=size,
            idempotent=raw.idempotent,
            read_only=raw.read_only,
        )

    def listing(self) -> Listing:
        return Listing(
            tools=tuple(self.tools[name] for name in sorted(self.tools)), left_out=dict(self.left_out)
        )
