-- How a turn ended, on its last message: JSON, as in domain/turn_end.py. The projection of a chat has the number of
-- that message; chats of before get theirs from what is stored of them.
ALTER TABLE messages ADD COLUMN turn_end TEXT;

UPDATE chats
   SET projection = CAST(jsonb_set(CAST(projection AS jsonb), '{last_id}', to_jsonb(newest.id)) AS TEXT)
  FROM (SELECT chat_id, max(id) AS id
          FROM messages
         WHERE NOT deleted AND visibility <> 'model'
         GROUP BY chat_id) newest
 WHERE newest.chat_id = chats.id;
