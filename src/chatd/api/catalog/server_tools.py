"""Which names a client tool cannot have: those of tools that the server runs itself for the chat's model."""

from chatd.api import bodies
from chatd.api.router import Asked, B, Q
from chatd.domain.chat import Chat
from chatd.domain.setup import NO_SETUP
from chatd.storage.reads.read import read_setup

NONE: frozenset[str] = frozenset()


async def server_tools(
    asked: Asked[Q, B], body: bodies.SetsUp, model_name: str | None, *, has_workspace: bool
) -> frozenset[str]:
    """The names in the toolbox of this model, or of the default one for None."""
    if not may_collide(asked, body):
        return NONE
    inventory = await asked.server.catalog_store.inventory()
    model = (inventory.named(model_name) if model_name is not None else None) or inventory.default
    provider = inventory.provider(model.provider_id) if model is not None else None
    if provider is None:
        return NONE
    return asked.server.tool_names.names(provider.type, has_workspace=has_workspace)


async def server_tools_in(
    asked: Asked[Q, B], body: bodies.SetsUp, chat: Chat, model_name: str | None = None
) -> frozenset[str]:
    """The names in the toolbox of a chat that exists, with this model or else its own."""
    if not may_collide(asked, body):
        return NONE
    setup = await read_setup(asked.store.db, chat.id) if chat.versions.setup else NO_SETUP
    has_workspace = setup.workspace is not None
    return await server_tools(asked, body, model_name or chat.last_model, has_workspace=has_workspace)


def may_collide(asked: Asked[Q, B], body: bodies.SetsUp) -> bool:
    """Whether a client tool has the name of a tool of some model: almost never, so this is asked first."""
    given = {tool.name for tool in body.client_tools or ()}
    return bool(given & asked.server.tool_names.all_names())
