-- What is being said, for a restart to find. No reference to chats: a late batch of a chat that was just
-- deleted must not undo the batches of all others.
CREATE TABLE logged_parts (
    chat_id   TEXT   NOT NULL,
    history   BIGINT NOT NULL,
    attempt   BIGINT NOT NULL,
    first_seq BIGINT NOT NULL,
    count     BIGINT NOT NULL CHECK (count > 0),
    parts     TEXT   NOT NULL,
    PRIMARY KEY (chat_id, history, attempt, first_seq)
);
