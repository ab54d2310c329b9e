"""What operations are called, in groups: generated clients make methods and modules of these names.

A name that was published stays as it is: whoever has generated a client calls it.
"""

from collections.abc import Mapping

from msgspec import Struct


class Tag(Struct, frozen=True):
    name: str
    description: str
    # By the name of the operation, its method and path.
    operations: Mapping[str, str]


TAGS = (
    Tag(
        "Chats",
        "Conversations with an agent, which outlive every process. The list comes in pages: `next` of one is "
        "the `cursor` of the page after it.",
        {
            "create_chat": "POST /api/v1/chats",
            "list_chats": "GET /api/v1/chats",
            "import_chat": "POST /api/v1/chats/import",
            "get_chat": "GET /api/v1/chats/{chat_id}",
            "change_chat": "PATCH /api/v1/chats/{chat_id}",
            "delete_chat": "DELETE /api/v1/chats/{chat_id}",
            "list_children": "GET /api/v1/chats/{chat_id}/children",
            "export_chat": "GET /api/v1/chats/{chat_id}/export",
            "regenerate_title": "POST /api/v1/chats/{chat_id}/title/regenerate",
            "propose_title": "POST /api/v1/chats/{chat_id}/title/propose",
            "mark_chat": "PUT /api/v1/chats/{chat_id}/mark",
        },
    ),
    Tag(
        "Messages",
        "What is said in a chat, and what waits in its queue to be said.",
        {
            "list_messages": "GET /api/v1/chats/{chat_id}/messages",
            "send_message": "POST /api/v1/chats/{chat_id}/messages",
            "edit_message": "PATCH /api/v1/chats/{chat_id}/messages/{message_id}",
            "list_prompts": "GET /api/v1/chats/{chat_id}/prompts",
            "list_branches": "GET /api/v1/chats/{chat_id}/branches",
            "switch_branch": "POST /api/v1/chats/{chat_id}/branches/{branch}/switch",
            "reorder_queue": "PUT /api/v1/chats/{chat_id}/queue",
            "delete_queued": "DELETE /api/v1/chats/{chat_id}/queue/{queued_id}",
            "promote_queued": "POST /api/v1/chats/{chat_id}/queue/{queued_id}/promote",
        },
    ),
    Tag(
        "Turns",
        "The agent's work on a message: stop it, try it again, and answer what it waits for.",
        {
            "interrupt_turn": "POST /api/v1/chats/{chat_id}/interrupt",
            "retry_turn": "POST /api/v1/chats/{chat_id}/retry",
            "compact_chat": "POST /api/v1/chats/{chat_id}/compact",
            "submit_actions": "POST /api/v1/chats/{chat_id}/actions",
            "list_plans": "GET /api/v1/chats/{chat_id}/plans",
            "get_plan": "GET /api/v1/chats/{chat_id}/plans/{version}",
        },
    ),
    Tag(
        "Streams",
        "What happens, as it happens, over WebSocket or as Server-Sent Events. Every event has a `cursor`: "
        "who comes back with the last one is told what followed, and nothing twice.",
        {
            "stream_chat": "GET /api/v1/chats/{chat_id}/stream",
            "watch_chats": "GET /api/v1/chats/watch",
        },
    ),
    Tag(
        "Files",
        "Files, to be attached to messages.",
        {"add_file": "POST /api/v1/files", "get_file": "GET /api/v1/files/{file_id}"},
    ),
    Tag(
        "Approvals",
        "Rules that say which calls of tools may run, which need a person's approval, and which may not.",
        {
            "list_rules": "GET /api/v1/rules",
            "add_rule": "POST /api/v1/rules",
            "move_rule": "PATCH /api/v1/rules/{rule_id}",
            "delete_rule": "DELETE /api/v1/rules/{rule_id}",
            "list_chat_rules": "GET /api/v1/chats/{chat_id}/rules",
            "add_chat_rule": "POST /api/v1/chats/{chat_id}/rules",
            "move_chat_rule": "PATCH /api/v1/chats/{chat_id}/rules/{rule_id}",
            "delete_chat_rule": "DELETE /api/v1/chats/{chat_id}/rules/{rule_id}",
        },
    ),
    Tag(
        "Sharing",
        "Who else may read a chat or write in it, links for who has no user, and handing a chat over.",
        {
            "list_grants": "GET /api/v1/chats/{chat_id}/grants",
            "get_grant": "GET /api/v1/chats/{chat_id}/grants/{kind}/{subject}",
            "put_grant": "PUT /api/v1/chats/{chat_id}/grants/{kind}/{subject}",
            "delete_grant": "DELETE /api/v1/chats/{chat_id}/grants/{kind}/{subject}",
            "list_public_links": "GET /api/v1/chats/{chat_id}/links",
            "make_public_link": "POST /api/v1/chats/{chat_id}/links",
            "change_public_link": "PATCH /api/v1/chats/{chat_id}/links/{link_id}",
            "end_public_link": "DELETE /api/v1/chats/{chat_id}/links/{link_id}",
            "get_transfer": "GET /api/v1/chats/{chat_id}/transfer",
            "offer_chat": "POST /api/v1/chats/{chat_id}/transfer",
            "withdraw_chat": "DELETE /api/v1/chats/{chat_id}/transfer",
            "accept_chat": "POST /api/v1/chats/{chat_id}/transfer/accept",
            "decline_chat": "POST /api/v1/chats/{chat_id}/transfer/decline",
            "list_transfers": "GET /api/v1/transfers",
        },
    ),
    Tag(
        "Guests",
        "Reading the chat of a public link, with its code and without a user: `Authorization: Guest CODE`. "
        "Messages come in pages: `next` of one is the `before` of the page after it.",
        {
            "get_public_chat": "GET /api/v1/public/chat",
            "list_public_messages": "GET /api/v1/public/messages",
            "get_public_file": "GET /api/v1/public/files/{file_id}",
            "stream_public_chat": "GET /api/v1/public/stream",
        },
    ),
    Tag(
        "Workspace",
        "Where agents work: its files, what is kept of them, and what agents are told of them.",
        {
            "get_workspace": "GET /api/v1/workspace",
            "find_workspace_files": "GET /api/v1/chats/{chat_id}/workspace/files",
            "list_checkpoints": "GET /api/v1/chats/{chat_id}/checkpoints",
            "restore_files": "POST /api/v1/chats/{chat_id}/messages/{message_id}/restore",
            "undo_restore": "POST /api/v1/chats/{chat_id}/restore/undo",
            "get_diff": "GET /api/v1/chats/{chat_id}/messages/{message_id}/diff",
            "get_context": "GET /api/v1/chats/{chat_id}/context",
            "refresh_context": "PUT /api/v1/chats/{chat_id}/context",
        },
    ),
    Tag(
        "Inspection",
        "What a model was told in a chat and what it said, for the owner and administrators.",
        {
            "get_prompt": "GET /api/v1/chats/{chat_id}/prompt",
            "list_debug_runs": "GET /api/v1/chats/{chat_id}/debug/runs",
            "get_debug_run": "GET /api/v1/chats/{chat_id}/debug/runs/{run_id}",
        },
    ),
    Tag(
        "Models",
        "Providers, and their models that chats can use.",
        {
            "list_providers": "GET /api/v1/providers",
            "add_provider": "POST /api/v1/providers",
            "change_provider": "PATCH /api/v1/providers/{provider_id}",
            "delete_provider": "DELETE /api/v1/providers/{provider_id}",
            "list_known_models": "GET /api/v1/providers/{provider_id}/known-models",
            "list_models": "GET /api/v1/models",
            "add_model": "POST /api/v1/models",
            "change_model": "PATCH /api/v1/models/{model_id}",
            "delete_model": "DELETE /api/v1/models/{model_id}",
            "test_model": "POST /api/v1/models/{model_id}/test",
        },
    ),
    Tag(
        "MCP servers",
        "Servers of the Model Context Protocol, whose tools agents can use.",
        {
            "list_mcp_servers": "GET /api/v1/mcp-servers",
            "add_mcp_server": "POST /api/v1/mcp-servers",
            "get_mcp_server": "GET /api/v1/mcp-servers/{server_id}",
            "change_mcp_server": "PATCH /api/v1/mcp-servers/{server_id}",
            "delete_mcp_server": "DELETE /api/v1/mcp-servers/{server_id}",
            "test_mcp_server": "POST /api/v1/mcp-servers/{server_id}/test",
            "connect_mcp_server": "POST /api/v1/mcp-servers/{server_id}/oauth2/connect",
            "finish_mcp_sign_in": "POST /api/v1/mcp-servers/{server_id}/oauth2/finish",
            "disconnect_mcp_server": "DELETE /api/v1/mcp-servers/{server_id}/oauth2/disconnect",
            "return_from_mcp_sign_in": "GET /mcp/servers/{server_id}/oauth2/callback",
            "get_workspace_mcp_servers": "GET /api/v1/workspace/mcp-servers",
            "trust_workspace_mcp_servers": "PUT /api/v1/workspace/mcp-servers",
            "distrust_workspace_mcp_servers": "DELETE /api/v1/workspace/mcp-servers",
        },
    ),
    Tag(
        "Signing in",
        "How browsers are signed in and out. Programs have tokens.",
        {
            "list_sign_in_methods": "GET /api/v1/auth/methods",
            "exchange_code": "POST /api/v1/auth/exchange",
            "sign_in_with_password": "POST /api/v1/auth/password",
            "begin_oidc": "GET /api/v1/auth/oidc",
            "return_from_oidc": "GET /api/v1/auth/oidc/callback",
            "sign_out": "POST /api/v1/auth/sign-out",
        },
    ),
    Tag(
        "Account",
        "What is the caller's own: tokens, keys, settings, skills.",
        {
            "get_own_account": "GET /api/v1/users/me",
            "change_own_account": "PATCH /api/v1/users/me",
            "list_identities": "GET /api/v1/users/me/identities",
            "join_identity": "POST /api/v1/users/me/identities",
            "list_own_sign_ins": "GET /api/v1/users/me/sign-ins",
            "end_own_sign_in": "DELETE /api/v1/users/me/sign-ins/{sign_in_id}",
            "list_own_tokens": "GET /api/v1/users/me/tokens",
            "add_own_token": "POST /api/v1/users/me/tokens",
            "revoke_own_token": "DELETE /api/v1/users/me/tokens/{token_id}",
            "rotate_own_token": "POST /api/v1/users/me/tokens/{token_id}/rotate",
            "list_own_keys": "GET /api/v1/users/me/provider-keys",
            "put_own_key": "PUT /api/v1/users/me/provider-keys/{provider}",
            "delete_own_key": "DELETE /api/v1/users/me/provider-keys/{provider}",
            "get_own_settings": "GET /api/v1/users/me/settings",
            "change_own_settings": "PATCH /api/v1/users/me/settings",
            "list_skills": "GET /api/v1/users/me/skills",
            "add_skill": "POST /api/v1/users/me/skills",
            "get_skill": "GET /api/v1/users/me/skills/{name}",
            "change_skill": "PATCH /api/v1/users/me/skills/{name}",
            "delete_skill": "DELETE /api/v1/users/me/skills/{name}",
            "list_permits": "GET /api/v1/permits",
        },
    ),
    Tag(
        "Users",
        "The people who use the server, for administrators.",
        {
            "list_users": "GET /api/v1/users",
            "add_user": "POST /api/v1/users",
            "get_user": "GET /api/v1/users/{user_id}",
            "change_user": "PATCH /api/v1/users/{user_id}",
            "delete_user": "DELETE /api/v1/users/{user_id}",
            "restore_user": "POST /api/v1/users/{user_id}/restore",
            "suspend_user": "POST /api/v1/users/{user_id}/suspend",
            "activate_user": "POST /api/v1/users/{user_id}/activate",
            "make_sign_in_link": "POST /api/v1/users/{user_id}/sign-in-link",
            "sign_user_out": "POST /api/v1/users/{user_id}/sign-out",
            "list_user_sign_ins": "GET /api/v1/users/{user_id}/sign-ins",
            "end_user_sign_in": "DELETE /api/v1/users/{user_id}/sign-ins/{sign_in_id}",
            "list_user_tokens": "GET /api/v1/users/{user_id}/tokens",
            "add_user_token": "POST /api/v1/users/{user_id}/tokens",
            "rotate_user_token": "POST /api/v1/users/{user_id}/tokens/{token_id}/rotate",
            "revoke_user_token": "DELETE /api/v1/users/{user_id}/tokens/{token_id}",
        },
    ),
    Tag(
        "Groups",
        "Groups of users, with which chats can be shared.",
        {
            "list_groups": "GET /api/v1/groups",
            "add_group": "POST /api/v1/groups",
            "get_group": "GET /api/v1/groups/{group_id}",
            "change_group": "PATCH /api/v1/groups/{group_id}",
            "delete_group": "DELETE /api/v1/groups/{group_id}",
            "list_members": "GET /api/v1/groups/{group_id}/members",
            "add_member": "PUT /api/v1/groups/{group_id}/members/{user_id}",
            "remove_member": "DELETE /api/v1/groups/{group_id}/members/{user_id}",
        },
    ),
    Tag(
        "Services",
        "Programs with tokens of their own, which may speak for others: `X-Chatd-User` says for whom.",
        {
            "list_services": "GET /api/v1/services",
            "add_service": "POST /api/v1/services",
            "get_service": "GET /api/v1/services/{user_id}",
            "change_service": "PATCH /api/v1/services/{user_id}",
            "delete_service": "DELETE /api/v1/services/{user_id}",
            "list_end_users": "GET /api/v1/services/{user_id}/end-users",
            "make_user_token": "POST /api/v1/services/me/user-tokens",
        },
    ),
    Tag(
        "Audit",
        "What was done on this server, for administrators and auditors.",
        {
            "list_audit": "GET /api/v1/audit",
            "export_audit": "GET /api/v1/audit/export",
            "verify_audit": "GET /api/v1/audit/verify",
        },
    ),
    Tag(
        "Server",
        "The server itself: how it is, and what counts for all of its chats.",
        {
            "get_settings": "GET /api/v1/settings",
            "change_settings": "PATCH /api/v1/settings",
            "get_advisor": "GET /api/v1/settings/advisor",
            "put_advisor": "PUT /api/v1/settings/advisor",
            "get_openapi": "GET /api/v1/openapi.json",
            "get_health": "GET /healthz",
            "get_readiness": "GET /readyz",
            "get_metrics": "GET /metrics",
            "list_replicas": "GET /api/v1/replicas",
        },
    ),
)


class Operation(Struct, frozen=True):
    name: str
    tag: str


OPERATIONS: Mapping[str, Operation] = {
    route: Operation(name, tag.name) for tag in TAGS for name, route in tag.operations.items()
}


def operation_of(method: str, path: str) -> Operation:
    route = f"{method} {path}"
    assert route in OPERATIONS, f"Give {route} a name, in a tag of api/openapi/operations.py."
    return OPERATIONS[route]
