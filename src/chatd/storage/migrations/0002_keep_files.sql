-- Attachments, and which chats refer to them. A file that a chat refers to is kept.
CREATE TABLE file_links (
    chat_id TEXT NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    file_id TEXT NOT NULL REFERENCES files (id) ON DELETE CASCADE,
    PRIMARY KEY (chat_id, file_id)
);

CREATE INDEX file_links_by_file ON file_links (file_id);
