-- How a turn ended, on its last message: JSON, as in domain/turn_end.py. The projection of a chat has the number of
-- that message; chats of before get theirs from what is stored of them.
ALTER TABLE messages ADD COLUMN turn_end TEXT;

UPDATE chats
   SET projection = json_set(projection, '$.last_id', (
        SELECT max(m.id)
          FROM messages m
         WHERE m.chat_id = chats.id AND NOT m.deleted AND m.visibility <> 'model'))
 WHERE EXISTS (
        SELECT 1
          FROM messages m
         WHERE m.chat_id = chats.id AND NOT m.deleted AND m.visibility <> 'model');
