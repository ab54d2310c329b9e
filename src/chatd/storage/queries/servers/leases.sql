-- beat --
-- A worker says that it is alive, by the database's clock.
INSERT INTO workers (id, beat_at)
VALUES ($1, chatd_now())
    ON CONFLICT (id) DO UPDATE SET beat_at = excluded.beat_at;

-- forget_worker --
DELETE FROM workers
 WHERE id = $1;

-- forget_quiet_workers --
DELETE FROM workers
 WHERE beat_at < chatd_now() - $1;

-- forget_all_workers --
DELETE FROM workers;

-- list_workers --
SELECT id, beat_at, chatd_now() - beat_at
  FROM workers
 ORDER BY id;

-- chats_of_worker --
-- What a worker has taken, as far as the database knows.
SELECT c.id
  FROM chats c
 WHERE c.status IN ('running', 'interrupting')
   AND c.worker_id = $1
 UNION ALL
SELECT c.id
  FROM chats c
 WHERE c.deadline_at IS NOT NULL
   AND c.worker_id = $1;

-- chats_without_worker --
-- Chats that have work to do and no live worker: to be stopped first, then the ones whose client did
-- not answer in time, then the rest; the longest waiting first. One that still waits for its client, or
-- for a person, is not looked at: there may be very many.
-- Running chats of the users in $3, a JSON list, are left where they are, and those that work for others if the
-- user is in $4; * is every user.
SELECT due.id
  FROM (SELECT c.id, c.status, c.updated_at, c.worker_id
          FROM chats c
         WHERE c.status IN ('running', 'interrupting')
           AND NOT c.archived
           AND (c.status = 'interrupting'
                OR (CASE WHEN c.parent_id IS NULL THEN $3 ELSE $4 END <> '*'
                    AND CASE WHEN c.parent_id IS NULL THEN $3 ELSE $4 END NOT LIKE '%"' || c.owner_id || '"%'))
         UNION ALL
        SELECT c.id, c.status, c.updated_at, c.worker_id
          FROM chats c
         WHERE c.deadline_at <= (SELECT chatd_now())
           AND NOT c.archived) due
  LEFT JOIN workers w ON w.id = due.worker_id AND w.beat_at >= chatd_now() - $1
 WHERE w.id IS NULL
 ORDER BY CASE due.status WHEN 'interrupting' THEN 0 WHEN 'requires_action' THEN 1 ELSE 2 END,
          due.updated_at, due.id
 LIMIT $2;

-- chats_with_work --
-- Driven or not: to see whether all of them can be read.
SELECT c.id
  FROM chats c
 WHERE c.status IN ('running', 'interrupting', 'requires_action')
   AND NOT c.archived
 ORDER BY c.updated_at, c.id
 LIMIT $1;
