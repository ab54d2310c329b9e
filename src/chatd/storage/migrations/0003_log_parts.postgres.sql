-- What is being said, for a restart to find. Unlogged: it may be lost in a crash of the database, and
-- costs a fraction. No reference to chats: checking it would wait for whoever changes the chat.
CREATE UNLOGGED TABLE logged_parts (
    chat_id   TEXT   NOT NULL,
    history   BIGINT NOT NULL,
    attempt   BIGINT NOT NULL,
    first_seq BIGINT NOT NULL,
    count     BIGINT NOT NULL CHECK (count > 0),
    parts     TEXT   NOT NULL,
    PRIMARY KEY (chat_id, history, attempt, first_seq)
);
