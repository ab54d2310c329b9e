-- How many chats work for a chat, so that those of most chats are never looked for.
ALTER TABLE chats ADD COLUMN children BIGINT NOT NULL DEFAULT 0;
UPDATE chats
   SET children = (SELECT COUNT(*) FROM chats k WHERE k.parent_id = chats.id)
 WHERE id IN (SELECT k.parent_id FROM chats k WHERE k.parent_id IS NOT NULL);
