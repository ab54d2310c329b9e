-- insert_audit --
-- Where a chat is created with a message, both are sent together.
INSERT INTO audit (id, at, actor_id, on_behalf_of, via, token_id, address, request_id, deed, target_kind,
                   target_id, outcome, changes)
VALUES ($1, chatd_now(), $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12);

-- audit_columns (fragment) --
a.id, a.at, a.actor_id, a.on_behalf_of, a.via, a.token_id, a.address, a.request_id, a.deed, a.target_kind,
a.target_id, a.outcome, a.changes

-- audit_filter (fragment) --
(CAST($5 AS TEXT) IS NULL OR a.actor_id = $5)
   AND (CAST($6 AS TEXT) IS NULL OR a.deed = $6)
   AND (CAST($7 AS TEXT) IS NULL OR a.target_id = $7)
   AND (CAST($8 AS TEXT) IS NULL OR a.outcome = $8)
   AND a.at >= $9 AND a.at < $10

-- audit_after --
-- In their order, those behind ($1, $2) that are older than $3: by then what was written at that time is
-- committed. $5 and on are what is looked for, or NULL.
SELECT {audit_columns}
  FROM audit a
 WHERE (a.at, a.id) > ($1, $2)
   AND a.at < chatd_now() - $3
   AND {audit_filter}
 ORDER BY a.at, a.id
 LIMIT $4;

-- audit_before --
-- The same, the newest first, those before ($1, $2).
SELECT {audit_columns}
  FROM audit a
 WHERE (a.at, a.id) < ($1, $2)
   AND a.at < chatd_now() - $3
   AND {audit_filter}
 ORDER BY a.at DESC, a.id DESC
 LIMIT $4;

-- last_audit_seal (sqlite) --
SELECT number, at, up_to_at, up_to_id, entries, hash
  FROM audit_seals
 ORDER BY number DESC
 LIMIT 1;

-- last_audit_seal (postgres) --
-- Locked: of two servers that seal at once, the second one goes on after the first.
SELECT number, at, up_to_at, up_to_id, entries, hash
  FROM audit_seals
 ORDER BY number DESC
 LIMIT 1
   FOR NO KEY UPDATE;

-- audit_seals_after --
SELECT number, at, up_to_at, up_to_id, entries, hash
  FROM audit_seals
 WHERE number > $1
 ORDER BY number
 LIMIT $2;

-- audit_between --
-- Those behind ($1, $2) up to and with ($3, $4).
SELECT {audit_columns}
  FROM audit a
 WHERE (a.at, a.id) > ($1, $2) AND (a.at, a.id) <= ($3, $4)
 ORDER BY a.at, a.id
 LIMIT $5;

-- audit_to_seal --
-- Those behind ($1, $2) that are older than $3.
SELECT {audit_columns}
  FROM audit a
 WHERE (a.at, a.id) > ($1, $2) AND a.at < chatd_now() - $3
 ORDER BY a.at, a.id
 LIMIT $4;

-- insert_audit_seal --
INSERT INTO audit_seals (number, at, up_to_at, up_to_id, entries, hash)
VALUES ($1, chatd_now(), $2, $3, $4, $5);

-- oldest_audit_seal_to_purge --
-- The oldest one that has rows, all of which are older than $1. What is before it was purged.
SELECT number, at, up_to_at, up_to_id, entries, hash
  FROM audit_seals s
 WHERE s.up_to_at < chatd_now() - $1
   AND EXISTS (SELECT 1 FROM audit a WHERE (a.at, a.id) <= (s.up_to_at, s.up_to_id))
 ORDER BY number
 LIMIT 1;

-- purge_audit --
DELETE FROM audit
 WHERE (at, id) <= ($1, $2);

-- purge_audit_seals --
-- The newest of those whose rows are gone stays: the next one begins with its hash.
DELETE FROM audit_seals
 WHERE number < $1;

-- audit_seal_to_blank --
-- With where the one before it ends.
SELECT s.number, s.up_to_at, s.up_to_id, COALESCE(b.up_to_at, -1), COALESCE(b.up_to_id, '')
  FROM audit_seals s
  LEFT JOIN audit_seals b ON b.number = s.number - 1
 WHERE NOT s.blanked AND s.up_to_at < chatd_now() - $1
 ORDER BY s.number
 LIMIT 1;

-- blank_audit_addresses --
UPDATE audit
   SET address = NULL
 WHERE (at, id) > ($1, $2) AND (at, id) <= ($3, $4) AND address IS NOT NULL
RETURNING id;

-- mark_audit_blanked --
UPDATE audit_seals
   SET blanked = TRUE
 WHERE number = $1;

-- audit_now --
SELECT chatd_now();

-- insert_audit_read --
-- As above, unless the same caller has done this to the same within the last $13.
INSERT INTO audit (id, at, actor_id, on_behalf_of, via, token_id, address, request_id, deed, target_kind,
                   target_id, outcome, changes)
SELECT $1, chatd_now(), $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12
 WHERE NOT EXISTS (SELECT 1
                     FROM audit a
                    WHERE a.target_id = $10 AND a.actor_id = $2 AND a.deed = $8 AND a.outcome = $11
                      AND a.at > chatd_now() - CAST($13 AS BIGINT));
