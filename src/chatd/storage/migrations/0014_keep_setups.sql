-- What a chat is set up with: one JSON value, as in domain/setup.py, in a table of its own. It can be long, and
-- SQLite would write it anew with every change of the chat's row. Only chats that are set up have one, which
-- their `setup_version` tells; 0: never. A queued message keeps what it will change.
CREATE TABLE chat_setups (
    chat_id TEXT PRIMARY KEY REFERENCES chats (id) ON DELETE CASCADE,
    setup   TEXT NOT NULL
);

ALTER TABLE chats ADD COLUMN setup_version BIGINT NOT NULL DEFAULT 0;
ALTER TABLE queued_messages ADD COLUMN setup TEXT;

INSERT INTO chat_setups (chat_id, setup)
SELECT id, '{"client_tools":' || client_tools || '}'
  FROM chats
 WHERE client_tools <> '[]';

UPDATE chats
   SET setup_version = snapshot_version
 WHERE client_tools <> '[]';

ALTER TABLE chats DROP COLUMN client_tools;
ALTER TABLE chats DROP COLUMN client_tool_names;
