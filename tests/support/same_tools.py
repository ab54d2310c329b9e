"""A toolbox with the same tools of ours in every chat and for every model."""

from collections.abc import Awaitable, Callable, Sequence

from chatd.domain.chat import Chat
from chatd.domain.setup import Setup
from chatd.providers.model import Model
from chatd.tools.tool import AnyTool
from chatd.tools.toolbox import Toolbox


def toolbox_with(
    tools: Sequence[AnyTool],
) -> Callable[[Chat, Model, Setup], Awaitable[Toolbox]]:
    async def toolbox_of(_: Chat, __: Model, setup: Setup) -> Toolbox:
        return Toolbox(tools, setup.client_tools)

    return toolbox_of
