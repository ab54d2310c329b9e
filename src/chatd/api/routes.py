"""Every route on one screen."""

from types import NoneType

from msgspec import Raw

from chatd.api import about, bodies, chats, messages
from chatd.api.bodies import Nothing
from chatd.api.router import Access, Route

CHATS = "/api/v1/chats"
CHAT = "/api/v1/chats/{chat_id}"

# Method, path, handler, what it does; its query, its body, its answer.
# fmt: off
ROUTES = (
    Route("POST", CHATS, chats.create, "Start a chat with a first message.",
          Nothing, bodies.CreateChat, bodies.ChatView, status=201),
    Route("GET", CHATS, chats.list_, "Your chats: pinned ones first, then the newest.",
          bodies.ListChats, Nothing, bodies.ChatPage),
    Route("GET", CHAT, chats.show, "One chat.",
          Nothing, Nothing, bodies.ChatView),
    Route("PATCH", CHAT, chats.patch, "Rename, label, pin or archive a chat: all of it or nothing.",
          Nothing, bodies.PatchChat, bodies.ChatView),
    Route("DELETE", CHAT, chats.delete, "Delete a chat for good, with everything said in it.",
          Nothing, Nothing, NoneType, status=204),
    Route("GET", f"{CHAT}/messages", messages.list_, "What was said, newest first; in order with after_id.",
          bodies.ListMessages, Nothing, bodies.MessagePage),
    Route("GET", "/api/v1/openapi.json", about.describe, "This description.",
          Nothing, Nothing, Raw),
    Route("GET", "/healthz", about.alive, "The server lives.",
          Nothing, Nothing, bodies.Health, access=Access.ANYONE),
    Route("GET", "/readyz", about.ready, "The server can work: its database answers.",
          Nothing, Nothing, bodies.Health, access=Access.ANYONE),
)
# fmt: on
