"""What a token may be used for; never more than its user may do."""

from enum import StrEnum


class TokenScope(StrEnum):
    CHATS_READ = "chats:read"
    CHATS_WRITE = "chats:write"
    CHATS_SHARE = "chats:share"
    FILES_WRITE = "files:write"
    MODELS_READ = "models:read"
    ACCOUNT = "account"
    USAGE_READ = "usage:read"
    AUDIT_READ = "audit:read"
    METRICS_READ = "metrics:read"
    ADMIN = "admin"
    ACT_AS = "act_as"


# A browser that is signed in may be used for whatever its user may do.
ALL_SCOPES = frozenset(TokenScope)
# Of a token for which nothing else was said: to chat, and no more.
USUAL_SCOPES = frozenset(
    {TokenScope.CHATS_READ, TokenScope.CHATS_WRITE, TokenScope.FILES_WRITE, TokenScope.MODELS_READ}
)
