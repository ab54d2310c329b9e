"""The client for programs with an event loop: a file for each noun, and all of them together.

`make fix` makes the folder `synchronous` from this one, for the others.
"""

from chatd.client.asynchronous.account import AccountCalls
from chatd.client.asynchronous.approvals import ApprovalCalls
from chatd.client.asynchronous.audit import AuditCalls
from chatd.client.asynchronous.chats import ChatCalls
from chatd.client.asynchronous.files import FileCalls
from chatd.client.asynchronous.inspection import InspectionCalls
from chatd.client.asynchronous.mcp_servers import McpServerCalls
from chatd.client.asynchronous.messages import MessageCalls
from chatd.client.asynchronous.models import ModelCalls
from chatd.client.asynchronous.people import PeopleCalls
from chatd.client.asynchronous.server import ServerCalls
from chatd.client.asynchronous.sharing import SharingCalls
from chatd.client.asynchronous.streams import StreamCalls
from chatd.client.asynchronous.workspace import WorkspaceCalls


class AsyncClient(
    ChatCalls,
    MessageCalls,
    StreamCalls,
    ApprovalCalls,
    SharingCalls,
    FileCalls,
    WorkspaceCalls,
    InspectionCalls,
    ModelCalls,
    McpServerCalls,
    AccountCalls,
    PeopleCalls,
    AuditCalls,
    ServerCalls,
):
    """Talks to one server as one user. `user` is for a service: for whom it speaks.

    Use it as a context manager. Every method raises ApiError when the server refuses, and Unreachable
    when it cannot be asked.
    """
