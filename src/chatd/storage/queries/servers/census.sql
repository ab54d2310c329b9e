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
-- An answered one is history, of which there is no end. And for how long the oldest has been so, of those of our
-- own tools in chats that have work to do: a client or a person may take days.
SELECT k.state,
       COUNT(*),
       COALESCE(MAX(CASE WHEN k.kind = 'local' AND c.status IN ('running', 'interrupting') AND NOT c.archived
                         THEN chatd_now() - COALESCE(k.finished_at, k.started_at, k.created_at) END), 0)
  FROM calls k
  JOIN chats c ON c.id = k.chat_id
 WHERE k.state <> 'answered'
 GROUP BY k.state;

-- quiet_for --
SELECT chatd_now() - beat_at
  FROM workers
 WHERE id = $1;
