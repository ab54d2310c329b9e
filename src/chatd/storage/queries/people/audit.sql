-- insert_audit --
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
