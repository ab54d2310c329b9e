-- What can be searched for: the words of titles and messages, brought up to date soon after each change.

-- How far that has come with each chat: the snapshot that was looked at, and the last message of it, in the
-- order of revisions. Only this row refers to its chat. The check of a reference locks the chat for a moment,
-- and this is once for each chat instead of once for each message.
CREATE TABLE search_progress (
    chat_id    TEXT   PRIMARY KEY REFERENCES chats (id) ON DELETE CASCADE,
    version    BIGINT NOT NULL,
    revision   BIGINT NOT NULL,
    message_id BIGINT NOT NULL,
    title      TEXT   NOT NULL
);

-- A message, or with the number 0 a title. Ids rise with the time at which it was said.
CREATE TABLE search_documents (
    id         BIGINT PRIMARY KEY,
    chat_id    TEXT   NOT NULL REFERENCES search_progress (chat_id) ON DELETE CASCADE,
    message_id BIGINT NOT NULL,
    UNIQUE (chat_id, message_id)
);

-- The words of each document, separated by blanks; the row id is that of the document. The owner is a word too,
-- so that the index finds only theirs. Positions are not kept: words are looked for in any order.
CREATE VIRTUAL TABLE search_words USING fts5(words, detail = none, tokenize = 'ascii');
