-- read_queue --
SELECT id, content, created_by, created_at, position, steered, model, effort
  FROM queued_messages
 WHERE chat_id = $1
 ORDER BY position, id;

-- insert_queued --
INSERT INTO queued_messages (chat_id, id, content, created_by, created_at, position, steered, model, effort)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9);

-- delete_queued --
DELETE FROM queued_messages
 WHERE chat_id = $1 AND id = $2;

-- move_queued --
UPDATE queued_messages
   SET position = $3
 WHERE chat_id = $1 AND id = $2;
