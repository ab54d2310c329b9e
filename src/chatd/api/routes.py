"""Every route on one screen."""

from types import NoneType

from chatd.api import about, bodies
from chatd.api.accounts import (
    auth,
    group_bodies,
    groups,
    lives,
    oidc,
    own_account,
    passwords,
    permits,
    service_bodies,
    services,
    sign_ins,
    tokens,
    user_bodies,
    users,
)
from chatd.api.accounts import bodies as account_bodies
from chatd.api.audit import audit
from chatd.api.audit import bodies as audit_bodies
from chatd.api.bodies import Nothing
from chatd.api.bodies import replicas as replica_bodies
from chatd.api.catalog import (
    advisor,
    advisor_bodies,
    mcp_bodies,
    mcp_servers,
    models,
    own_keys,
    providers,
    settings,
    skill_bodies,
    skills,
)
from chatd.api.catalog import bodies as catalog_bodies
from chatd.api.chats import chats, lists, titles, turns
from chatd.api.chats.approvals import actions, plan_bodies, plans, rule_bodies, rules
from chatd.api.chats.inspection import context, debug, debug_bodies, prompt, prompt_bodies
from chatd.api.chats.messages import branches, messages, queue
from chatd.api.chats.sharing import bodies as sharing_bodies
from chatd.api.chats.sharing import grants, link_bodies, links, marks, transfers
from chatd.api.chats.streams import watched
from chatd.api.chats.streams.stream import Stream, StreamQuery
from chatd.api.chats.workspace import (
    checkpoint_bodies,
    checkpoints,
    trust_bodies,
    workspace,
    workspace_files,
    workspace_mcp,
)
from chatd.api.files import files, transfer
from chatd.api.files.media import ACCEPTED
from chatd.api.guests import bodies as guest_bodies
from chatd.api.guests import guests
from chatd.api.guests import stream as guest_stream
from chatd.api.router import Download, Larger, Redirect, Route, Streamed
from chatd.api.serving import plain_page
from chatd.api.serving.assets import Asset
from chatd.api.serving.intake import IMPORT_BYTES_MAX, SIGN_IN_BYTES_MAX
from chatd.api.serving.limits.admission import Heavy
from chatd.api.serving.limits.rates import ByAddress
from chatd.api.serving.uploads import Upload
from chatd.catalog.mcp.probe import McpProbe
from chatd.catalog.mcp.services import Disconnected
from chatd.catalog.models.probe import ProbeResult
from chatd.domain.people.deeds import Deed
from chatd.domain.people.rates import Counted
from chatd.kit.media_type import JSON
from chatd.live.events import ViewerEvent
from chatd.live.guests.events import GuestEvent
from chatd.live.lists.events import FeedEvent

CHATS = "/api/v1/chats"
CHAT = "/api/v1/chats/{chat_id}"
GRANTS = "/api/v1/chats/{chat_id}/grants"
GRANT = "/api/v1/chats/{chat_id}/grants/{kind}/{subject}"
LINKS = "/api/v1/chats/{chat_id}/links"
LINK = "/api/v1/chats/{chat_id}/links/{link_id}"
# What a link is for: it says which chat.
PUBLIC = "/api/v1/public"
TRANSFER = "/api/v1/chats/{chat_id}/transfer"
FILES = "/api/v1/files"
PROVIDERS = "/api/v1/providers"
PROVIDER = "/api/v1/providers/{provider_id}"
MODELS = "/api/v1/models"
MODEL = "/api/v1/models/{model_id}"
WORKSPACE_SERVERS = "/api/v1/workspace/mcp-servers"
MCP_SERVERS = "/api/v1/mcp-servers"
MCP_SERVER = "/api/v1/mcp-servers/{server_id}"
OWN_ACCOUNT = "/api/v1/users/me"
OWN_KEYS = "/api/v1/users/me/provider-keys"
OWN_SETTINGS = "/api/v1/users/me/settings"
OWN_SKILLS = "/api/v1/users/me/skills"
SETTINGS = "/api/v1/settings"
RULES = "/api/v1/rules"
AUTH = "/api/v1/auth"
OWN_SIGN_INS = "/api/v1/users/me/sign-ins"
OWN_TOKENS = "/api/v1/users/me/tokens"
USERS = "/api/v1/users"
USER = "/api/v1/users/{user_id}"
GROUPS = "/api/v1/groups"
GROUP = "/api/v1/groups/{group_id}"
SERVICES = "/api/v1/services"
# A service is a user, and has its id.
SERVICE = "/api/v1/services/{user_id}"
PERMITS = "/api/v1/permits"
AUDIT = "/api/v1/audit"

# What the fields of a request are beyond the deed of its route.
SET_UP = dict.fromkeys(bodies.SetsUp.__struct_fields__, Deed.CHAT_SET_UP)
ANSWERS = {**SET_UP, "approvals": Deed.CHAT_APPROVE}
CHANGES = {
    "title": Deed.CHAT_DESCRIBE,
    "labels": Deed.CHAT_DESCRIBE,
    "archived": Deed.CHAT_ARCHIVE,
    "pin_order": Deed.CHAT_KEEP,
    "last_read_message_id": Deed.CHAT_KEEP,
    "mcp_servers": Deed.CHAT_SET_UP,
    "mode": Deed.CHAT_SET_UP,
    "delegation": Deed.CHAT_SET_UP,
}
# A token that is only for chatting does not sign browsers out.
SIGN_OUT = {"everywhere": Deed.ACCOUNT_OWN}
INTO_GROUPS = {"groups": Deed.GROUP_CHANGE}
# Whoever shares a chat may look for names, and sees nothing else of people.
TO_SHARE = {"find": Deed.PEOPLE_FIND}
WHICH_MESSAGES = {"branch": Deed.CHAT_PAST}

# Method, path, handler, what it does; its deed, its query, its body, its answer.
# fmt: off
ROUTES = (
    Route("POST", CHATS, chats.create, "Start a chat with a first message.",
          Deed.CHAT_CREATE, Nothing, bodies.CreateChat, bodies.ChatView, status=201, refuses=(409,),
          larger=Larger(bytes_max=IMPORT_BYTES_MAX, heavy=Heavy.IMPORT, carries_it=chats.has_history),
          also_counted=Counted.TURNS),
    Route("GET", CHATS, lists.list_, "Your chats: pinned ones first, then the newest; or a search.",
          Deed.CHAT_LIST, bodies.ListChats, Nothing, bodies.ChatPage),
    Route("POST", f"{CHATS}/import", transfer.import_, "A new chat with the history of an exported one.",
          Deed.CHAT_CREATE, Nothing, bodies.CarriedChat, bodies.ChatView, status=201,
          body_bytes_max=IMPORT_BYTES_MAX,
          heavy=Heavy.IMPORT,
          also_counted=Counted.TURNS),
    Route("GET", CHAT, chats.show, "One chat.",
          Deed.CHAT_READ, Nothing, Nothing, bodies.ChatView),
    Route("PATCH", CHAT, chats.patch, "Rename, label, pin, read or archive a chat: all of it or nothing.",
          Deed.CHAT_READ, Nothing, bodies.PatchChat, bodies.ChatView, by_field=CHANGES, refuses=(409,)),
    Route("DELETE", CHAT, chats.delete, "Delete a chat for good, with everything said in it.",
          Deed.CHAT_DELETE, Nothing, Nothing, NoneType, status=204),
    Route("GET", f"{CHAT}/children", chats.children, "The chats that work for this one.",
          Deed.CHAT_READ, Nothing, Nothing, bodies.ChildList),
    Route("GET", f"{CHAT}/messages", messages.list_, "What was said, newest first; in order with after_id.",
          Deed.CHAT_READ, bodies.ListMessages, Nothing, bodies.MessagePage, by_field=WHICH_MESSAGES),
    Route("POST", f"{CHAT}/messages", messages.send, "Say something; `when` is for an agent that is busy.",
          Deed.CHAT_SPEAK, Nothing, bodies.SendMessage, bodies.Sent, by_field=SET_UP, refuses=(409,),
          also_counted=Counted.TURNS),
    Route("PATCH", f"{CHAT}/messages/{{message_id}}", messages.edit,
          "Replace a message and have the agent answer that; what followed stays readable as a branch.",
          Deed.CHAT_REWRITE, Nothing, bodies.EditMessage, bodies.Edited, refuses=(409,),
          also_counted=Counted.TURNS),
    Route("GET", f"{CHAT}/prompts", messages.prompts, "What users said, newest first: text alone.",
          Deed.CHAT_READ, bodies.ListPrompts, Nothing, bodies.PromptList),
    Route("GET", f"{CHAT}/branches", branches.list_, "The lines of history that edits have made.",
          Deed.CHAT_PAST, Nothing, Nothing, bodies.BranchList),
    Route("POST", f"{CHAT}/branches/{{branch}}/switch", branches.switch, "Go back to another branch.",
          Deed.CHAT_REWRITE, Nothing, Nothing, bodies.ChatView, refuses=(409,)),
    Route("GET", f"{CHAT}/checkpoints", checkpoints.list_, "What is kept of files, by message.",
          Deed.CHAT_INSPECT, Nothing, Nothing, checkpoint_bodies.CheckpointList, refuses=(409,)),
    Route("POST", f"{CHAT}/messages/{{message_id}}/restore", checkpoints.restore,
          "Bring the files of the workspace, or one of them, back as they were before this message.",
          Deed.CHAT_REWRITE, Nothing, checkpoint_bodies.RestoreFiles, checkpoint_bodies.RestoreView,
          body_optional=True,
          refuses=(409,)),
    Route("POST", f"{CHAT}/restore/undo", checkpoints.undo, "Take the last restore back.",
          Deed.CHAT_REWRITE, Nothing, checkpoint_bodies.UndoRestore, checkpoint_bodies.RestoreView,
          body_optional=True,
          refuses=(409,)),
    Route("GET", f"{CHAT}/messages/{{message_id}}/diff", checkpoints.diff,
          "What was changed in files from before this message to before the next one of a user, or to now.",
          Deed.CHAT_INSPECT, checkpoint_bodies.DiffFiles, Nothing, checkpoint_bodies.DiffView,
          refuses=(409,)),
    Route("PUT", f"{CHAT}/queue", queue.reorder, "Put the messages that wait in another order.",
          Deed.CHAT_SPEAK, Nothing, bodies.ReorderQueue, bodies.ChatView, refuses=(409,)),
    Route("DELETE", f"{CHAT}/queue/{{queued_id}}", queue.delete, "Take back a message that still waits.",
          Deed.CHAT_STOP, Nothing, Nothing, NoneType, status=204, refuses=(409,)),
    Route("POST", f"{CHAT}/queue/{{queued_id}}/promote", queue.promote,
          "Have the agent answer a waiting message next, and stop what runs.",
          Deed.CHAT_SPEAK, Nothing, Nothing, bodies.ChatView, status=202, refuses=(409,)),
    Route("POST", f"{CHAT}/interrupt", turns.interrupt,
          "Stop the agent and those that work for it; what they have said is kept.",
          Deed.CHAT_STOP, Nothing, bodies.InterruptTurn, bodies.ChatView, body_optional=True, refuses=(409,)),
    Route("POST", f"{CHAT}/compact", turns.compact, "Have the history summed up for the model.",
          Deed.CHAT_SPEAK, Nothing, Nothing, bodies.ChatView, refuses=(409,),
          also_counted=Counted.TURNS),
    Route("POST", f"{CHAT}/title/regenerate", titles.regenerate, "Have a model find a title for the chat.",
          Deed.CHAT_DESCRIBE, Nothing, Nothing, bodies.ChatView, refuses=(409, 502),
          also_counted=Counted.TURNS),
    Route("POST", f"{CHAT}/title/propose", titles.propose,
          "The same, for a person to look at first: nothing is kept.",
          Deed.CHAT_DESCRIBE, Nothing, Nothing, bodies.ProposedTitle, refuses=(409, 502),
          also_counted=Counted.TURNS),
    Route("POST", f"{CHAT}/retry", turns.retry, "Try a failed turn again, or a pending retry at once.",
          Deed.CHAT_SPEAK, Nothing, Nothing, bodies.ChatView, refuses=(409,),
          also_counted=Counted.TURNS),
    Route("POST", f"{CHAT}/actions", actions.submit, "Answer any of what the chat waits for.",
          Deed.CHAT_SPEAK, Nothing, bodies.SubmitActions, bodies.Submitted, by_field=ANSWERS, refuses=(409,)),
    Route("GET", f"{CHAT}/plans", plans.list_, "The plans that its agent has proposed, newest first.",
          Deed.CHAT_READ, Nothing, Nothing, plan_bodies.PlanList),
    Route("GET", f"{CHAT}/plans/{{version}}", plans.show, "One of them, with its diff to the one before.",
          Deed.CHAT_READ, Nothing, Nothing, plan_bodies.WholePlan),
    Route("GET", f"{CHAT}/rules", rules.list_of_chat,
          "The rules that count for its calls, in their order: the server's, its owner's, its own.",
          Deed.CHAT_INSPECT, Nothing, Nothing, rule_bodies.RuleList),
    Route("POST", f"{CHAT}/rules", rules.add_to_chat, "Add a rule for this chat.",
          Deed.CHAT_APPROVE, Nothing, rule_bodies.AddRule, rule_bodies.RuleList, status=201, refuses=(409,)),
    Route("PATCH", f"{CHAT}/rules/{{rule_id}}", rules.move_in_chat, "Move a rule of this chat.",
          Deed.CHAT_APPROVE, Nothing, rule_bodies.MoveRule, rule_bodies.RuleList, refuses=(409,)),
    Route("DELETE", f"{CHAT}/rules/{{rule_id}}", rules.delete_from_chat, "Remove a rule of this chat.",
          Deed.CHAT_APPROVE, Nothing, Nothing, NoneType, status=204, refuses=(409,)),
    Route("GET", f"{CHAT}/workspace/files", workspace_files.find,
          "Files of its workspace by a part of their path.",
          Deed.CHAT_WORKSPACE, workspace_files.FindFiles, Nothing, workspace_files.FileList,
          heavy=Heavy.REFRESH,
          refuses=(409,)),
    Route("GET", f"{CHAT}/context", context.show, "What the agent is told of its workspace: a list of files.",
          Deed.CHAT_INSPECT, Nothing, Nothing, bodies.ContextView),
    Route("PUT", f"{CHAT}/context", context.refresh, "Read the workspace anew, and tell the agent.",
          Deed.CHAT_DESCRIBE, Nothing, Nothing, bodies.ContextView, refuses=(409,)),
    Route("GET", f"{CHAT}/prompt", prompt.show,
          "What its model would be told now before all that was said: the parts of the prompt, and tools.",
          Deed.CHAT_INSPECT, Nothing, Nothing, prompt_bodies.SystemPromptView, refuses=(409,)),
    Route("GET", f"{CHAT}/export", transfer.export, "The chat as a file.",
          Deed.CHAT_READ, bodies.ExportChat, Nothing, Download, media_types=transfer.MEDIA_TYPES,
          json=bodies.CarriedChat),
    Route("GET", f"{CHAT}/debug/runs", debug.list_, "Records of its turns, if any are kept; newest first.",
          Deed.CHAT_INSPECT, Nothing, Nothing, debug_bodies.DebugRunList),
    Route("GET", f"{CHAT}/debug/runs/{{run_id}}", debug.show,
          "What was sent to models in one turn, and what came back, without secrets.",
          Deed.CHAT_INSPECT, Nothing, Nothing, debug_bodies.DebugRunView),
    Route("GET", GRANTS, grants.list_, "With whom a chat is shared.",
          Deed.CHAT_UNSHARE, Nothing, Nothing, sharing_bodies.GrantList),
    Route("GET", GRANT, grants.show, "What a user, a group or everyone was granted.",
          Deed.CHAT_UNSHARE, Nothing, Nothing, sharing_bodies.GrantView),
    Route("PUT", GRANT, grants.put,
          "Share a chat and the chats that work for it, or change what was granted; up to 100.",
          Deed.CHAT_UNSHARE, Nothing, sharing_bodies.PutGrant, sharing_bodies.GrantView, refuses=(409,)),
    Route("DELETE", GRANT, grants.delete, "Share it no more; who watches is cut off at once.",
          Deed.CHAT_UNSHARE, Nothing, Nothing, NoneType, status=204, refuses=(409,)),
    Route("GET", LINKS, links.list_, "The public links of a chat that have not ended, without their codes.",
          Deed.CHAT_UNSHARE, Nothing, Nothing, link_bodies.LinkList),
    Route("POST", LINKS, links.add,
          "Make a public link, up to 10: whoever has its code reads the chat without signing in.",
          Deed.CHAT_SHARE, Nothing, link_bodies.MakeLink, link_bodies.NewLinkView, status=201,
          body_optional=True, refuses=(409,)),
    Route("PATCH", LINK, links.patch, "Change when a public link ends, and what guests see.",
          Deed.CHAT_UNSHARE, Nothing, link_bodies.ChangeLink, link_bodies.LinkView, refuses=(409,)),
    Route("DELETE", LINK, links.delete, "End a public link; guests are cut off at once.",
          Deed.CHAT_UNSHARE, Nothing, Nothing, NoneType, status=204, refuses=(409,)),
    Route("GET", f"{PUBLIC}/chat", guests.show, "The chat of a public link, for guests.",
          Deed.CHAT_READ, Nothing, Nothing, guest_bodies.GuestChat, for_guests=True),
    Route("GET", f"{PUBLIC}/messages", guests.messages,
          "What was said in the chat of a public link, newest first.",
          Deed.CHAT_READ, guest_bodies.ListGuestMessages, Nothing, guest_bodies.GuestPage, for_guests=True),
    Route("GET", f"{PUBLIC}/files/{{file_id}}", guests.file, "A file of a message that guests see.",
          Deed.CHAT_READ, Nothing, Nothing, Download, media_types=ACCEPTED, for_guests=True),
    Route("GET", TRANSFER, transfers.show, "To whom a chat is offered.",
          Deed.CHAT_TRANSFER, Nothing, Nothing, sharing_bodies.TransferView),
    Route("POST", TRANSFER, transfers.add,
          "Offer a chat to another user, for 14 days; administrators hand it over, with a reason.",
          Deed.CHAT_TRANSFER, Nothing, sharing_bodies.OfferChat, sharing_bodies.TransferView, refuses=(409,)),
    Route("DELETE", TRANSFER, transfers.withdraw, "Take the offer back.",
          Deed.CHAT_TRANSFER, Nothing, Nothing, NoneType, status=204, refuses=(409,)),
    Route("POST", f"{TRANSFER}/accept", transfers.accept,
          "Accept a chat that is offered to you: from now on it is yours, and you pay for it.",
          Deed.CHAT_TRANSFER, Nothing, Nothing, bodies.ChatView, refuses=(409,)),
    Route("POST", f"{TRANSFER}/decline", transfers.decline, "Decline it.",
          Deed.CHAT_TRANSFER, Nothing, Nothing, NoneType, status=204, refuses=(409,)),
    Route("GET", "/api/v1/transfers", transfers.list_, "Chats that are offered, to you and by you.",
          Deed.CHAT_LIST, Nothing, Nothing, sharing_bodies.TransferList),
    Route("PUT", f"{CHAT}/mark", marks.put, "Mark it for yourself: how far you have read, a pin, a mute.",
          Deed.CHAT_KEEP, Nothing, sharing_bodies.PutMarks, sharing_bodies.MarksView, refuses=(409,)),
    Route("POST", FILES, files.add, "Keep a file, to be attached to messages.",
          Deed.FILE_ADD, Nothing, Upload, catalog_bodies.FileAdded, status=201,
          body_bytes_max=files.FILE_BYTES_MAX, heavy=Heavy.UPLOAD),
    Route("GET", f"{FILES}/{{file_id}}", files.show, "A file of yours, or of a chat that you can read.",
          Deed.FILE_READ, Nothing, Nothing, Download, media_types=ACCEPTED),
    Route("GET", PROVIDERS, providers.list_, "Where models can be called.",
          Deed.MODEL_LIST, Nothing, Nothing, catalog_bodies.ProviderList),
    Route("POST", PROVIDERS, providers.add, "Add a provider.",
          Deed.MODEL_CHANGE, Nothing, catalog_bodies.CreateProvider, catalog_bodies.ProviderView, status=201,
          refuses=(409,)),
    Route("PATCH", PROVIDER, providers.patch, "Change a provider, or its key.",
          Deed.MODEL_CHANGE, Nothing, catalog_bodies.PatchProvider, catalog_bodies.ProviderView,
          refuses=(409,)),
    Route("DELETE", PROVIDER, providers.delete, "Remove a provider and its keys; its models then fail.",
          Deed.MODEL_CHANGE, Nothing, Nothing, NoneType, status=204, refuses=(409,)),
    Route("GET", f"{PROVIDER}/known-models", providers.known_models,
          "Models of a provider that are publicly known, to choose from.",
          Deed.MODEL_CHANGE, Nothing, Nothing, catalog_bodies.KnownModelList, refuses=(409,)),
    Route("GET", MODELS, models.list_, "Models that chats can use; administrators see all models.",
          Deed.MODEL_LIST, Nothing, Nothing, catalog_bodies.ModelList),
    Route("POST", MODELS, models.add, "Add a model.",
          Deed.MODEL_CHANGE, Nothing, catalog_bodies.CreateModel, catalog_bodies.ModelView, status=201,
          refuses=(409, 412)),
    Route("PATCH", MODEL, models.patch, "Change a model, or make it the default.",
          Deed.MODEL_CHANGE, Nothing, catalog_bodies.PatchModel, catalog_bodies.ModelView,
          refuses=(409, 412)),
    Route("DELETE", MODEL, models.delete, "Remove a model; chats that used it go on with the default.",
          Deed.MODEL_CHANGE, Nothing, Nothing, NoneType, status=204, refuses=(409,)),
    Route("POST", f"{MODEL}/test", models.test, "Have the model say a word, and tell what came of it.",
          Deed.MODEL_CHANGE, Nothing, Nothing, ProbeResult, refuses=(409,)),
    Route("GET", MCP_SERVERS, mcp_servers.list_, "MCP servers whose tools your chats can use.",
          Deed.ACCOUNT_OWN, Nothing, Nothing, mcp_bodies.McpServerList),
    Route("POST", MCP_SERVERS, mcp_servers.add, "Add an MCP server, for yourself or for all users.",
          Deed.ACCOUNT_OWN, Nothing, mcp_bodies.CreateMcpServer, mcp_bodies.McpServerView, status=201,
          refuses=(409,)),
    Route("GET", MCP_SERVER, mcp_servers.show, "One MCP server.",
          Deed.ACCOUNT_OWN, Nothing, Nothing, mcp_bodies.McpServerView, refuses=(409,)),
    Route("PATCH", MCP_SERVER, mcp_servers.patch, "Change an MCP server, or its secrets.",
          Deed.ACCOUNT_OWN, Nothing, mcp_bodies.PatchMcpServer, mcp_bodies.McpServerView, refuses=(409,)),
    Route("DELETE", MCP_SERVER, mcp_servers.delete, "Remove an MCP server, with its secrets and sign-ins.",
          Deed.ACCOUNT_OWN, Nothing, Nothing, NoneType, status=204, refuses=(409,)),
    Route("POST", f"{MCP_SERVER}/test", mcp_servers.test, "Connect to an MCP server, and tell its tools.",
          Deed.ACCOUNT_OWN, Nothing, Nothing, McpProbe, refuses=(409,)),
    Route("POST", f"{MCP_SERVER}/oauth2/connect", mcp_servers.connect, "Begin to sign in at an MCP server.",
          Deed.ACCOUNT_OWN, Nothing, Nothing, mcp_bodies.SignIn, refuses=(409,)),
    Route("POST", f"{MCP_SERVER}/oauth2/finish", mcp_servers.finish, "Finish it, with the browser's code.",
          Deed.ACCOUNT_OWN, Nothing, mcp_bodies.FinishSignIn, mcp_bodies.McpServerView, refuses=(409,)),
    Route("DELETE", f"{MCP_SERVER}/oauth2/disconnect", mcp_servers.disconnect,
          "Forget your sign-in at an MCP server, and have it taken back there.",
          Deed.ACCOUNT_OWN, Nothing, Nothing, Disconnected),
    Route("GET", "/mcp/servers/{server_id}/oauth2/callback", mcp_servers.callback,
          "Where an authorization server sends the browser of a user.",
          Deed.ENTER, mcp_bodies.CallbackQuery, Nothing, Download, media_types=(plain_page.MEDIA_TYPE,),
          refuses=(409, 503), refused=plain_page.refused),
    Route("GET", f"{AUTH}/methods", auth.methods, "How people can sign in with a browser.",
          Deed.ENTER, Nothing, Nothing, account_bodies.MethodList),
    Route("POST", f"{AUTH}/exchange", auth.exchange,
          "Sign a browser in, with the code of a one-time link or a token: the answer sets a cookie.",
          Deed.ENTER, Nothing, account_bodies.Exchange, account_bodies.OwnAccount,
          body_bytes_max=SIGN_IN_BYTES_MAX, refuses=(401, 403, 429, 503),
          by_address=ByAddress.SIGN_IN),
    Route("POST", f"{AUTH}/password", passwords.sign_in,
          "Sign a browser in, with a name and a password: the answer sets a cookie.",
          Deed.ENTER, Nothing, account_bodies.SignInWithPassword, account_bodies.OwnAccount,
          body_bytes_max=SIGN_IN_BYTES_MAX, refuses=(401, 403, 404, 429, 503),
          by_address=ByAddress.SIGN_IN),
    Route("GET", f"{AUTH}/oidc", oidc.begin, "Send a browser to the identity provider, to sign in there.",
          Deed.ENTER, oidc.BeginOidc, Nothing, Redirect, status=302, refuses=(404, 429, 503),
          by_address=ByAddress.SIGN_IN),
    Route("GET", f"{AUTH}/oidc/callback", oidc.callback, "Where the identity provider sends it back.",
          Deed.ENTER, oidc.OidcReturn, Nothing, Redirect, status=302, refuses=(404, 429, 503),
          by_address=ByAddress.RETURN),
    Route("POST", f"{AUTH}/sign-out", auth.sign_out, "Sign this browser out, or all of yours.",
          Deed.ACCOUNT_SEE, Nothing, account_bodies.SignOut, account_bodies.SignedOut,
          by_field=SIGN_OUT, body_optional=True),
    Route("GET", OWN_ACCOUNT, own_account.show, "Who you are.",
          Deed.ACCOUNT_SEE, Nothing, Nothing, account_bodies.OwnAccount),
    Route("PATCH", OWN_ACCOUNT, own_account.patch, "Change your display name, or your password.",
          Deed.ACCOUNT_OWN, Nothing, user_bodies.PatchOwnAccount, user_bodies.UserView,
          body_bytes_max=SIGN_IN_BYTES_MAX, refuses=(404, 409)),
    Route("POST", f"{OWN_ACCOUNT}/identities", oidc.join,
          "Begin to sign in at the identity provider, to be known there as this user.",
          Deed.ACCOUNT_OWN, Nothing, Nothing, oidc.Elsewhere, refuses=(404,)),
    Route("GET", OWN_SIGN_INS, sign_ins.list_, "The browsers in which you are signed in.",
          Deed.ACCOUNT_OWN, Nothing, Nothing, account_bodies.SignInList),
    Route("DELETE", f"{OWN_SIGN_INS}/{{sign_in_id}}", sign_ins.end, "Sign one of them out.",
          Deed.ACCOUNT_OWN, Nothing, Nothing, NoneType, status=204),
    Route("GET", OWN_TOKENS, tokens.list_, "Your tokens, for programs.",
          Deed.ACCOUNT_OWN, Nothing, Nothing, account_bodies.TokenList),
    Route("POST", OWN_TOKENS, tokens.add, "Make a token, up to 50. It is shown here, and never again.",
          Deed.ACCOUNT_OWN, Nothing, account_bodies.CreateToken, account_bodies.NewTokenView, status=201,
          refuses=(404, 409)),
    Route("DELETE", f"{OWN_TOKENS}/{{token_id}}", tokens.revoke,
          "Revoke one; browsers that were signed in with it are signed out.",
          Deed.ACCOUNT_OWN, Nothing, Nothing, NoneType, status=204, refuses=(409,)),
    Route("POST", f"{OWN_TOKENS}/{{token_id}}/rotate", tokens.rotate,
          "Give a token another secret. It is shown here, and never again.",
          Deed.ACCOUNT_OWN, Nothing, account_bodies.RotateToken, account_bodies.NewTokenView,
          body_optional=True, refuses=(409,)),
    Route("GET", OWN_KEYS, own_keys.list_, "Which providers take a key of yours, and whether they have one.",
          Deed.ACCOUNT_OWN, Nothing, Nothing, catalog_bodies.KeyList),
    Route("PUT", f"{OWN_KEYS}/{{provider}}", own_keys.put, "Use a key of your own.",
          Deed.ACCOUNT_OWN, Nothing, catalog_bodies.PutKey, NoneType, status=204, refuses=(409, 412)),
    Route("DELETE", f"{OWN_KEYS}/{{provider}}", own_keys.delete, "Forget your own key.",
          Deed.ACCOUNT_OWN, Nothing, Nothing, NoneType, status=204, refuses=(409,)),
    Route("GET", OWN_SETTINGS, settings.show_own, "What you want to count for all of your chats.",
          Deed.ACCOUNT_OWN, Nothing, Nothing, catalog_bodies.UserSettingsView),
    Route("PATCH", OWN_SETTINGS, settings.patch_own, "Change that.",
          Deed.ACCOUNT_OWN, Nothing, catalog_bodies.PatchUserSettings, catalog_bodies.UserSettingsView,
          refuses=(409,)),
    Route("GET", OWN_SKILLS, skills.list_, "Your skills, which agents can read in all of your chats.",
          Deed.ACCOUNT_OWN, Nothing, Nothing, skill_bodies.SkillList),
    Route("POST", OWN_SKILLS, skills.add, "Add a skill; up to 100.",
          Deed.ACCOUNT_OWN, Nothing, skill_bodies.SaveSkill, skill_bodies.SkillView, status=201,
          refuses=(409,)),
    Route("GET", f"{OWN_SKILLS}/{{name}}", skills.show, "One skill, with its instructions.",
          Deed.ACCOUNT_OWN, Nothing, Nothing, skill_bodies.SkillView),
    Route("PATCH", f"{OWN_SKILLS}/{{name}}", skills.patch, "Replace a skill by one of the same name.",
          Deed.ACCOUNT_OWN, Nothing, skill_bodies.SaveSkill, skill_bodies.SkillView),
    Route("DELETE", f"{OWN_SKILLS}/{{name}}", skills.delete, "Delete a skill.",
          Deed.ACCOUNT_OWN, Nothing, Nothing, NoneType, status=204),
    Route("GET", USERS, users.list_, "The users of this server, by name; or people to share with.",
          Deed.PEOPLE_READ, user_bodies.ListUsers, Nothing, user_bodies.UserPage, instead=TO_SHARE),
    Route("POST", USERS, users.add, "Add a user, and invite them with a code that signs a browser in.",
          Deed.PEOPLE_CHANGE, Nothing, user_bodies.CreateUser, user_bodies.NewUserView, status=201,
          by_field=INTO_GROUPS, refuses=(404, 409)),
    Route("GET", USER, users.show, "One user.",
          Deed.PEOPLE_READ, Nothing, Nothing, user_bodies.UserView),
    Route("PATCH", USER, users.patch, "Change the role or the display name of a user.",
          Deed.PEOPLE_CHANGE, Nothing, user_bodies.PatchUser, user_bodies.UserView, refuses=(409,)),
    Route("DELETE", USER, lives.delete, "Delete a user; for 14 days they can be brought back.",
          Deed.PEOPLE_CHANGE, user_bodies.DeleteUser, Nothing, NoneType, status=204, refuses=(409,)),
    Route("POST", f"{USER}/restore", lives.restore, "Bring a deleted user back, without their tokens.",
          Deed.PEOPLE_CHANGE, Nothing, Nothing, user_bodies.UserView, refuses=(409,)),
    Route("POST", f"{USER}/suspend", lives.suspend,
          "Shut a user out: streams end, agents stop, and what was said is kept.",
          Deed.PEOPLE_CHANGE, Nothing, Nothing, user_bodies.UserView, refuses=(409,)),
    Route("POST", f"{USER}/activate", lives.activate, "Let a suspended user in again; tokens count again.",
          Deed.PEOPLE_CHANGE, Nothing, Nothing, user_bodies.UserView),
    Route("POST", f"{USER}/sign-in-link", users.link, "A code that signs in a user who has no way in.",
          Deed.PEOPLE_CHANGE, Nothing, Nothing, user_bodies.CodeView, refuses=(409,)),
    Route("POST", f"{USER}/sign-out", users.sign_out, "Sign all browsers of a user out.",
          Deed.PEOPLE_CHANGE, Nothing, Nothing, NoneType, status=204),
    Route("GET", f"{USER}/tokens", tokens.list_of_user, "The tokens of a user.",
          Deed.PEOPLE_READ, Nothing, Nothing, account_bodies.TokenList),
    Route("POST", f"{USER}/tokens", tokens.add_of_user, "Make a token for a service. It is shown here only.",
          Deed.SERVICE_CHANGE, Nothing, account_bodies.CreateToken, account_bodies.NewTokenView, status=201,
          refuses=(409,)),
    Route("POST", f"{USER}/tokens/{{token_id}}/rotate", tokens.rotate_of_user,
          "Give a token of a service another secret. It is shown here, and never again.",
          Deed.SERVICE_CHANGE, Nothing, account_bodies.RotateToken, account_bodies.NewTokenView,
          body_optional=True, refuses=(409,)),
    Route("DELETE", f"{USER}/tokens/{{token_id}}", tokens.revoke_of_user, "Revoke a token of a user.",
          Deed.PEOPLE_CHANGE, Nothing, Nothing, NoneType, status=204, refuses=(409,)),
    Route("GET", GROUPS, groups.list_, "The groups of this server, by name; or some to share with.",
          Deed.PEOPLE_READ, group_bodies.ListGroups, Nothing, group_bodies.GroupPage, instead=TO_SHARE),
    Route("POST", GROUPS, groups.add, "Make a group, up to 1,000.",
          Deed.GROUP_CHANGE, Nothing, group_bodies.SaveGroup, group_bodies.GroupView, status=201,
          refuses=(409,)),
    Route("GET", GROUP, groups.show, "One group.",
          Deed.PEOPLE_READ, Nothing, Nothing, group_bodies.GroupView),
    Route("PATCH", GROUP, groups.patch, "Rename a group.",
          Deed.GROUP_CHANGE, Nothing, group_bodies.SaveGroup, group_bodies.GroupView, refuses=(409,)),
    Route("DELETE", GROUP, groups.delete, "Delete a group, with all that was shared with it.",
          Deed.GROUP_CHANGE, Nothing, Nothing, NoneType, status=204),
    Route("GET", f"{GROUP}/members", groups.members, "Who is in a group, by name.",
          Deed.PEOPLE_READ, group_bodies.ListMembers, Nothing, group_bodies.MemberPage),
    Route("PUT", f"{GROUP}/members/{{user_id}}", groups.add_one, "Put a user into a group.",
          Deed.GROUP_CHANGE, Nothing, Nothing, NoneType, status=204, refuses=(409,)),
    Route("DELETE", f"{GROUP}/members/{{user_id}}", groups.remove_one, "Take a user out of a group.",
          Deed.GROUP_CHANGE, Nothing, Nothing, NoneType, status=204, refuses=(409,)),
    Route("GET", SERVICES, services.list_, "Programs with tokens of their own, by name.",
          Deed.PEOPLE_READ, service_bodies.ListServices, Nothing, service_bodies.ServicePage),
    Route("POST", SERVICES, services.add, "Add a service. It has no token yet.",
          Deed.SERVICE_CHANGE, Nothing, service_bodies.CreateService, service_bodies.ServiceView, status=201,
          refuses=(404, 409)),
    Route("POST", f"{SERVICES}/me/user-tokens", services.add_token,
          "Make a token with which somebody for whom you speak can chat, for a while. It is shown here only.",
          Deed.ACT_AS, Nothing, service_bodies.CreateUserToken, service_bodies.UserTokenView, status=201,
          refuses=(404, 409)),
    Route("GET", SERVICE, services.show, "One service.",
          Deed.PEOPLE_READ, Nothing, Nothing, service_bodies.ServiceView),
    Route("PATCH", SERVICE, services.patch, "Change for whom a service speaks, its role or how it is shown.",
          Deed.SERVICE_CHANGE, Nothing, service_bodies.PatchService, service_bodies.ServiceView),
    Route("DELETE", SERVICE, lives.delete_service, "Delete a service and its end users; undo within 14 days.",
          Deed.SERVICE_CHANGE, user_bodies.DeleteUser, Nothing, NoneType, status=204, refuses=(409,)),
    Route("GET", f"{SERVICE}/end-users", services.end_users, "For whom a service has spoken.",
          Deed.PEOPLE_READ, service_bodies.ListEndUsers, Nothing, service_bodies.EndUserPage),
    Route("GET", PERMITS, permits.list_, "What you may do, so that a page offers what works.",
          Deed.ACCOUNT_SEE, permits.PermitsQuery, Nothing, permits.PermitList, refuses=(404,)),
    Route("GET", AUDIT, audit.list_, "What was done on this server, by whom and to what.",
          Deed.AUDIT_READ, audit_bodies.ListAudit, Nothing, audit_bodies.AuditPage),
    Route("GET", f"{AUDIT}/export", audit.export, "The same as a file, the oldest first.",
          Deed.AUDIT_READ, audit_bodies.ExportAudit, Nothing, Streamed, media_types=audit.MEDIA),
    Route("GET", f"{AUDIT}/verify", audit.verify,
          "Whether entries were changed or removed since they were sealed, an hour after they were written.",
          Deed.AUDIT_READ, Nothing, Nothing, audit_bodies.AuditVerified),
    Route("GET", SETTINGS, settings.show, "What counts for all chats of this server.",
          Deed.SERVER_READ, Nothing, Nothing, catalog_bodies.SettingsView, refuses=(404,)),
    Route("PATCH", SETTINGS, settings.patch, "Change that.",
          Deed.POLICY_CHANGE, Nothing, catalog_bodies.PatchSettings, catalog_bodies.SettingsView),
    Route("GET", f"{SETTINGS}/advisor", advisor.show, "Whether agents have an advisor, and which.",
          Deed.SERVER_READ, Nothing, Nothing, advisor_bodies.AdvisorView),
    Route("PUT", f"{SETTINGS}/advisor", advisor.put, "Set that up anew, from the next turn of each chat on.",
          Deed.POLICY_CHANGE, Nothing, advisor_bodies.PutAdvisor, advisor_bodies.AdvisorView),
    Route("GET", RULES, rules.list_, "Rules for approvals: the server's, then your own.",
          Deed.ACCOUNT_OWN, Nothing, Nothing, rule_bodies.RuleList),
    Route("POST", RULES, rules.add, "Add a rule for all your chats.",
          Deed.ACCOUNT_OWN, Nothing, rule_bodies.AddRule, rule_bodies.RuleList, status=201, refuses=(409,)),
    Route("PATCH", f"{RULES}/{{rule_id}}", rules.move, "Move a rule of yours.",
          Deed.ACCOUNT_OWN, Nothing, rule_bodies.MoveRule, rule_bodies.RuleList, refuses=(409,)),
    Route("DELETE", f"{RULES}/{{rule_id}}", rules.delete, "Remove a rule of yours.",
          Deed.ACCOUNT_OWN, Nothing, Nothing, NoneType, status=204, refuses=(409,)),
    Route("GET", "/metrics", about.measure, "Numbers about this server, in the text format of Prometheus.",
          Deed.METRICS_READ, Nothing, Nothing, Download, media_types=("text/plain",), counted=False),
    Route("GET", "/api/v1/replicas", about.replicas,
          "The servers that share this database, and how many chats each drives.",
          Deed.METRICS_READ, Nothing, Nothing, replica_bodies.ReplicaList),
    Route("GET", "/api/v1/workspace", workspace.show,
          "Where agents work on this server, and what protects the rest of it.",
          Deed.SERVER_READ, Nothing, Nothing, bodies.WorkspaceView),
    Route("GET", WORKSPACE_SERVERS, workspace_mcp.show,
          "MCP servers that a workspace declares in `.mcp.json`.",
          Deed.ACCOUNT_OWN, trust_bodies.NamedWorkspace, Nothing, trust_bodies.WorkspaceServersView,
          refuses=(409,)),
    Route("PUT", WORKSPACE_SERVERS, workspace_mcp.trust,
          "Trust the file, so that your chats may start what it declares.",
          Deed.ACCOUNT_OWN, Nothing, trust_bodies.TrustServers, trust_bodies.WorkspaceServersView,
          refuses=(404, 409)),
    Route("DELETE", WORKSPACE_SERVERS, workspace_mcp.withdraw, "Trust the file no more.",
          Deed.ACCOUNT_OWN, trust_bodies.NamedWorkspace, Nothing, NoneType, status=204, refuses=(409,)),
    Route("GET", "/api/v1/openapi.json", about.describe, "This description.",
          Deed.ENTER, Nothing, Nothing, Asset, media_types=(JSON,), refuses=(429, 503),
          by_address=ByAddress.DESCRIPTION),
    Route("GET", "/healthz", about.alive, "The server lives.",
          Deed.ENTER, Nothing, Nothing, bodies.Health),
    Route("GET", "/readyz", about.ready, "The server can work: its database answers.",
          Deed.ENTER, Nothing, Nothing, bodies.Health, refuses=(503,)),
)

# What a worker answers: how it is, and nothing of chats.
WORKER_ROUTES = tuple(each for each in ROUTES if each.path in {"/healthz", "/readyz", "/metrics"})

# Path, what opens it, what it tells; its deed, its query, its events. WebSocket, or Server-Sent Events.
STREAMS = (
    Stream(f"{CHATS}/watch", watched.list_, "What changes among your chats.",
           Deed.CHAT_LIST, StreamQuery, FeedEvent),
    Stream(f"{CHAT}/stream", watched.chat, "A chat and what happens in it, as it happens.",
           Deed.CHAT_READ, StreamQuery, ViewerEvent),
    Stream(f"{PUBLIC}/stream", guest_stream.watch, "The chat of a public link and what happens in it.",
           Deed.CHAT_READ, Nothing, GuestEvent, for_guests=True),
)
# fmt: on
