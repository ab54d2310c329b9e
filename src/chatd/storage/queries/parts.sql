-- log_parts --
-- A batch whose commit is in doubt is written once more, and may have grown meanwhile.
INSERT INTO logged_parts (chat_id, history, attempt, first_seq, count, parts)
VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (chat_id, history, attempt, first_seq)
       DO UPDATE SET count = excluded.count, parts = excluded.parts;

-- logged_beginnings (sqlite) --
-- Of these chats, the episodes whose first batch is there.
SELECT chat_id, history, attempt
  FROM logged_parts
 WHERE first_seq = 1 AND chat_id IN (SELECT value FROM json_each($1));

-- logged_beginnings (postgres) --
SELECT chat_id, history, attempt
  FROM logged_parts
 WHERE first_seq = 1 AND chat_id IN (SELECT json_array_elements_text(CAST($1 AS json)));

-- logged_episodes --
SELECT chat_id, history, MAX(attempt)
  FROM logged_parts
 GROUP BY chat_id, history;

-- newest_logged_attempt --
SELECT MAX(attempt)
  FROM logged_parts
 WHERE chat_id = $1 AND history = $2;

-- logged_parts_since --
-- The batches of an episode that reach beyond this place.
SELECT parts
  FROM logged_parts
 WHERE chat_id = $1 AND history = $2 AND attempt = $3 AND first_seq + count - 1 > $4
 ORDER BY first_seq;

-- delete_older_parts --
-- What belongs to an earlier history, or to an earlier attempt on this one.
DELETE FROM logged_parts
 WHERE chat_id = $1 AND (history < $2 OR (history = $2 AND attempt < $3));

-- delete_parts_of_chat --
DELETE FROM logged_parts
 WHERE chat_id = $1;

-- delete_stale_parts --
-- What was saved as a message meanwhile, or belongs to a chat that is gone.
DELETE FROM logged_parts
 WHERE NOT EXISTS (
       SELECT 1
         FROM chats c
        WHERE c.id = logged_parts.chat_id AND c.history_version = logged_parts.history);
