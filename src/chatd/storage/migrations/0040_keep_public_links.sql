-- Links with which anybody reads a chat. Older servers know nothing of them, and show nothing.

CREATE TABLE public_links (
    id         TEXT   PRIMARY KEY,
    -- SHA-256 of the code, which is shown once.
    hash       TEXT   NOT NULL UNIQUE,
    -- A root.
    chat_id    TEXT   NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    -- The owner at that time. With another owner it counts no more, whoever has handed the chat over.
    made_by    TEXT   NOT NULL,
    made_at    BIGINT NOT NULL,
    -- Where the history ended, and on which branch; NULL: the link follows on.
    up_to_id   BIGINT,
    branch     BIGINT,
    -- What is shown beside words, as JSON.
    include    TEXT   NOT NULL,
    expires_at BIGINT NOT NULL,
    revoked_at BIGINT,
    opened     BIGINT NOT NULL DEFAULT 0,
    CHECK ((up_to_id IS NULL) = (branch IS NULL))
);
CREATE INDEX public_links_by_chat ON public_links (chat_id, made_at);
