"""The shapes that cross the wire: what callers may send, and what they get.

OpenAPI and the clients are made from these. In a request an unknown field is refused: it is a
wish that would otherwise be forgotten. In an answer fields are only ever added.
"""

from chatd.api.bodies.actions import AnswerInput, ApprovalInput, ResultInput, SubmitActions
from chatd.api.bodies.chat_views import (
    ChatView,
    FoundView,
    SharedChatView,
    SharedSubmitted,
    Submitted,
)
from chatd.api.bodies.chats import (
    ChatPage,
    ChildList,
    CreateChat,
    InterruptTurn,
    ListChats,
    PatchChat,
    ProposedTitle,
)
from chatd.api.bodies.inputs import (
    ClientToolInput,
    FileInput,
    FileReferenceInput,
    InputPart,
    OptionsInput,
    ResponseFormatInput,
    SetsUp,
    TextInput,
)
from chatd.api.bodies.messages import (
    BranchList,
    BranchView,
    CarriedMessage,
    Edited,
    EditMessage,
    ListMessages,
    ListPrompts,
    MessagePage,
    PromptList,
    PromptView,
    ReorderQueue,
    SendMessage,
    Sent,
)
from chatd.api.bodies.shared import SOMETHING, ErrorBody, ErrorDetail, Health, Nothing, RequestBody
from chatd.api.bodies.transfer import CarriedChat, CarriedChild, CarriedFile, CarriedPlan, ExportChat
from chatd.api.bodies.workspace import ContextView, ResourceView, WorkspaceView
from chatd.live.shapes import ChildrenView, FailureView, MessageView, QueuedView, RetryView, WaitingFor

__all__ = [
    "SOMETHING",
    "AnswerInput",
    "ApprovalInput",
    "BranchList",
    "BranchView",
    "CarriedChat",
    "CarriedChild",
    "CarriedFile",
    "CarriedMessage",
    "CarriedPlan",
    "ChatPage",
    "ChatView",
    "ChildList",
    "ChildrenView",
    "ClientToolInput",
    "ContextView",
    "CreateChat",
    "EditMessage",
    "Edited",
    "ErrorBody",
    "ErrorDetail",
    "ExportChat",
    "FailureView",
    "FileInput",
    "FileReferenceInput",
    "FoundView",
    "Health",
    "InputPart",
    "InterruptTurn",
    "ListChats",
    "ListMessages",
    "ListPrompts",
    "MessagePage",
    "MessageView",
    "Nothing",
    "OptionsInput",
    "PatchChat",
    "PromptList",
    "PromptView",
    "ProposedTitle",
    "QueuedView",
    "ReorderQueue",
    "RequestBody",
    "ResourceView",
    "ResponseFormatInput",
    "ResultInput",
    "RetryView",
    "SendMessage",
    "Sent",
    "SetsUp",
    "SharedChatView",
    "SharedSubmitted",
    "SubmitActions",
    "Submitted",
    "TextInput",
    "WaitingFor",
    "WorkspaceView",
]
