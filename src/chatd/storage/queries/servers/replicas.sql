-- beat_replica --
-- A server says that it is alive, by the database's clock.
INSERT INTO replicas (id, host, version, address, worker_id, started_at, beat_at)
VALUES ($1, $2, $3, $4, $5, chatd_now(), chatd_now())
    ON CONFLICT (id) DO UPDATE SET beat_at = excluded.beat_at;

-- live_replicas --
-- Those that have said so within $1 microseconds, with the chats that each drives.
SELECT r.id, r.host, r.version, r.address, r.worker_id, r.started_at, chatd_now() - r.beat_at,
       (SELECT COUNT(*)
          FROM chats c
         WHERE c.status IN ('running', 'interrupting') AND c.worker_id = r.worker_id)
  FROM replicas r
 WHERE r.beat_at >= chatd_now() - $1
 ORDER BY r.started_at, r.id;

-- count_serving_replicas --
SELECT COUNT(*)
  FROM replicas
 WHERE address IS NOT NULL AND beat_at >= chatd_now() - $1;

-- forget_replica --
DELETE FROM replicas
 WHERE id = $1;

-- forget_quiet_replicas --
DELETE FROM replicas
 WHERE beat_at < chatd_now() - $1;
