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

-- The words of each document. The owner is a word too, so that the index finds only theirs.
CREATE TABLE search_words (
    id       BIGINT   PRIMARY KEY REFERENCES search_documents (id) ON DELETE CASCADE,
    owner_id TEXT     NOT NULL,
    words    TSVECTOR NOT NULL
);

CREATE INDEX search_words_by_word ON search_words USING gin (words);
-- For words that are in most documents: the newest few are found without looking at the others.
CREATE INDEX search_words_by_owner ON search_words (owner_id, id);
-- Samples with more words than usual: with its estimate for an unknown word, the planner would walk through all
-- documents of a user for a word that is in none of them.
ALTER TABLE search_words ALTER COLUMN words SET STATISTICS 1000;
