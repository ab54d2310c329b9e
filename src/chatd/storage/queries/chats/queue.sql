-- queue_columns (fragment) --
id, content, created_by, created_at, position, steered, model, effort, key, setup

-- read_queue --
SELECT {queue_columns}
  FROM queued_messages
 WHERE chat_id = $1
 ORDER BY position, id;

-- queued_of_key --
SELECT {queue_columns}
  FROM queued_messages
 WHERE chat_id = $1 AND key = $2;

-- insert_queued --
INSERT INTO queued_messages (chat_id, {queue_columns})
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11);

-- delete_queued --
DELETE FROM queued_messages
 WHERE chat_id = $1 AND id = $2;

-- move_queued --
UPDATE queued_messages
   SET position = $3
 WHERE chat_id = $1 AND id = $2;
