-- Rules for approvals, as JSON of domain/rule.py, and who has made them. Of a rule that was made of an answer, the
-- call that was answered; its chat may be gone. A list is written as a whole, so positions have no gaps.
CREATE TABLE user_rules (
    user_id           TEXT   NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    position          BIGINT NOT NULL,
    rule              TEXT   NOT NULL,
    created_at        BIGINT NOT NULL,
    created_by        TEXT,
    origin_chat_id    TEXT,
    origin_message_id BIGINT,
    origin_call_id    TEXT,
    PRIMARY KEY (user_id, position)
);

CREATE TABLE chat_rules (
    chat_id           TEXT   NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    position          BIGINT NOT NULL,
    rule              TEXT   NOT NULL,
    created_at        BIGINT NOT NULL,
    created_by        TEXT,
    origin_chat_id    TEXT,
    origin_message_id BIGINT,
    origin_call_id    TEXT,
    PRIMARY KEY (chat_id, position)
);

-- What the person who is asked for a call is shown.
ALTER TABLE calls ADD COLUMN request TEXT;
