-- count_work --
-- Chats that have work to do: all of them, those without a live worker, and for how long the first of these waits.
SELECT COUNT(*),
       COUNT(CASE WHEN w.id IS NULL THEN 1 END),
       COALESCE(MAX(CASE WHEN w.id IS NULL THEN chatd_now() - c.updated_at END), 0)
  FROM chats c
  LEFT JOIN workers w ON w.id = c.worker_id AND w.beat_at >= chatd_now() - $1
 WHERE c.status IN ('running', 'interrupting')
   AND NOT c.archived;

-- count_workers --
SELECT COUNT(*), COALESCE(MAX(chatd_now() - beat_at), 0)
  FROM workers;

-- count_queued --
SELECT COUNT(*)
  FROM queued_messages;

-- count_calls --
-- An answered one is history, of which there is no end.
SELECT state, COUNT(*)
  FROM calls
 WHERE state <> 'answered'
 GROUP BY state;

-- quiet_for --
SELECT chatd_now() - beat_at
  FROM workers
 WHERE id = $1;
