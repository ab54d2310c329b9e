-- chat_columns (fragment) --
c.id, c.owner_id, c.created_at, c.updated_at,
       c.status, c.archived, c.last_error, c.retry_state, c.deadline_at, c.compaction_requested_at,
       c.worker_id, c.runner_id,
       c.snapshot_version, c.history_version, c.queue_version, c.retry_version, c.attempt,
       c.projection, c.queued, c.open_calls,
       c.branch, c.branch_count, c.last_number, c.last_model, c.last_effort, c.finish_reason, c.totals,
       c.setup_version, c.context, c.parent_id, c.root_id, c.agent_type, c.title, c.labels, c.pin_order, c.key,
       c.temporary, c.title_by, c.turn_label, c.summary, c.read_id, c.children, c.service_id, c.access_version

-- shut_out (fragment) --
-- Whether nothing that costs may be done for the user `u`. The service `m` of an end user takes them along.
u.suspended_at IS NOT NULL OR u.deleted_at IS NOT NULL OR u.role = 'viewer'
       OR COALESCE(m.suspended_at IS NOT NULL OR m.deleted_at IS NOT NULL OR m.role = 'viewer', FALSE)

-- owner_is_shut_out (fragment) --
(SELECT {shut_out}
          FROM users u
          LEFT JOIN users m ON m.id = u.service_id
         WHERE u.id = c.owner_id)

-- lock_chat --
-- The first statement of every transition: no other transaction changes this chat until we commit.
-- The lock is on the chat alone; its worker goes on beating. A statement that waited for the lock tells of the
-- owner as it was before the wait.
SELECT chatd_now(), {owner_is_shut_out},
       {chat_columns}
  FROM chats c
 WHERE c.id = $1
   FOR UPDATE;

-- lock_known_chat --
-- The same for who knows the chat: in which snapshot it is tells whether that is still true. Not of its owner.
SELECT chatd_now(), c.snapshot_version, {owner_is_shut_out}
  FROM chats c
 WHERE c.id = $1
   FOR UPDATE;

-- beat_of --
-- Under the lock, and not joined to it: a statement that waited for the lock sees the chat as it is
-- now, and beside it the worker of before.
SELECT chatd_now(), w.beat_at
  FROM workers w
 WHERE w.id = $1;

-- look_at_chat --
SELECT chatd_now(), w.beat_at, {owner_is_shut_out},
       {chat_columns}
  FROM chats c
  LEFT JOIN workers w ON w.id = c.worker_id
 WHERE c.id = $1;

-- now --
SELECT chatd_now();

-- read_chat --
SELECT {chat_columns}
  FROM chats c
 WHERE c.id = $1;

-- chat_of_key --
SELECT c.key_digest,
       {chat_columns}
  FROM chats c
 WHERE c.owner_id = $1 AND c.key = $2;

-- chats_beginning_with --
SELECT c.id
  FROM chats c
 WHERE substr(c.id, 1, length($1)) = $1
 ORDER BY c.id
 LIMIT $2;

-- read_setup --
SELECT s.setup
  FROM chat_setups s
 WHERE s.chat_id = $1;

-- save_setup --
INSERT INTO chat_setups (chat_id, setup)
VALUES ($1, $2)
ON CONFLICT (chat_id) DO UPDATE SET setup = excluded.setup;

-- insert_chat --
-- No row comes back when the owner has a chat of this key. PostgreSQL waits for a transaction that is about to
-- make one, so of two requests at once one makes the chat, and the other finds it.
-- A chat of an end user tells whose end user that is.
INSERT INTO chats (
    id, owner_id, created_at, updated_at,
    status, archived, last_error, retry_state, deadline_at, compaction_requested_at,
    worker_id, runner_id,
    snapshot_version, history_version, queue_version, retry_version, attempt,
    projection, queued, open_calls,
    branch, branch_count, last_number, last_model, last_effort, finish_reason, totals,
    setup_version, context, parent_id, root_id, agent_type, title, labels, pin_order,
    temporary, title_folded, key, key_digest, title_by, service_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20,
        $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37, $38, $39, $40,
        (SELECT u.service_id FROM users u WHERE u.id = $2))
    ON CONFLICT (owner_id, key) WHERE key IS NOT NULL DO NOTHING
RETURNING id;

-- save_chat --
-- Everything a transition may have changed. When the chat began never changes.
-- Sent with: insert_message
UPDATE chats
   SET updated_at = $2,
       status = $3, archived = $4, last_error = $5, retry_state = $6,
       deadline_at = $7, compaction_requested_at = $8,
       worker_id = $9, runner_id = $10,
       snapshot_version = $11, history_version = $12, queue_version = $13, retry_version = $14, attempt = $15,
       projection = $16, queued = $17, open_calls = $18,
       branch = $19, branch_count = $20, last_number = $21, last_model = $22, last_effort = $23,
       finish_reason = $24, totals = $25, setup_version = $26, context = $27, pin_order = $28
 WHERE id = $1;

-- save_title --
UPDATE chats
   SET title = $2, title_folded = $3, title_by = $4
 WHERE id = $1;

-- save_texts --
-- What models wrote about the chat.
UPDATE chats
   SET turn_label = $2, summary = $3
 WHERE id = $1;

-- save_read --
UPDATE chats
   SET read_id = $2
 WHERE id = $1;

-- save_access --
-- Who may do something with it is written elsewhere. A chat that is handed over loses its key, and it has the
-- steward of its new owner.
UPDATE chats
   SET access_version = $2, owner_id = $3,
       service_id = (SELECT u.service_id FROM users u WHERE u.id = $3),
       key = CAST($4 AS TEXT),
       key_digest = CASE WHEN CAST($4 AS TEXT) IS NULL THEN NULL ELSE key_digest END,
       read_id = $5
 WHERE id = $1;

-- save_children --
UPDATE chats
   SET children = $2
 WHERE id = $1;

-- save_temporary --
UPDATE chats
   SET temporary = $2
 WHERE id = $1;

-- save_labels --
UPDATE chats
   SET labels = $2
 WHERE id = $1;

-- delete_labels --
DELETE FROM chat_labels
 WHERE chat_id = $1;

-- insert_label --
INSERT INTO chat_labels (chat_id, key, value)
VALUES ($1, $2, $3);

-- delete_chat --
DELETE FROM chats
 WHERE id = $1;

-- family_of --
-- A chat and the chats that work for it, the root first.
SELECT c.id
  FROM chats c
 WHERE c.id = $1 OR c.root_id = $1
 ORDER BY (c.id = $1) DESC, c.created_at, c.id;

-- children_of --
-- The chats that work for this one; the one that was changed last first.
SELECT {chat_columns}
  FROM chats c
 WHERE c.parent_id = $1
 ORDER BY c.updated_at DESC, c.id
 LIMIT $2;

-- busy_children (sqlite) --
-- Of the chats that work for these, the ones that are at it, or that wait for a person or a client.
SELECT {chat_columns}
  FROM chats c
 WHERE c.parent_id IN (SELECT value FROM json_each($1))
   AND c.status IN ('running', 'interrupting', 'requires_action')
 ORDER BY c.created_at, c.id;

-- busy_children (postgres) --
SELECT {chat_columns}
  FROM chats c
 WHERE c.parent_id IN (SELECT json_array_elements_text(CAST($1 AS json)))
   AND c.status IN ('running', 'interrupting', 'requires_action')
 ORDER BY c.created_at, c.id;

-- expired (fragment) --
c.temporary
   AND c.status IN ('waiting', 'error')
   AND c.updated_at <= (SELECT chatd_now()) - $1

-- expired_chats --
-- Temporary chats whose last turn ended long enough ago, the oldest first, after a place. One whose children are
-- at work is left alone.
SELECT c.updated_at, c.id
  FROM chats c
 WHERE {expired}
   AND (c.updated_at, c.id) > ($2, $3)
   AND NOT EXISTS (
           SELECT 1
             FROM chats m
            WHERE m.root_id = c.id AND m.status NOT IN ('waiting', 'error'))
 ORDER BY c.updated_at, c.id
 LIMIT $4;

-- lock_expired_chat (sqlite) --
SELECT c.id
  FROM chats c
 WHERE {expired}
   AND c.id = $2;

-- lock_expired_chat (postgres) --
-- One that is locked is in use after all, or another server removes it.
SELECT c.id
  FROM chats c
 WHERE {expired}
   AND c.id = $2
   FOR UPDATE SKIP LOCKED;

-- is_listed (fragment) --
c.owner_id = $1
   AND c.parent_id IS NULL
   AND NOT c.temporary
   AND c.archived = $2
   AND c.title_folded LIKE $3 ESCAPE '\'

-- has_labels_sqlite (fragment) --
NOT EXISTS (
       SELECT 1
         FROM json_each($4) wanted
        WHERE NOT EXISTS (
                  SELECT 1
                    FROM chat_labels l
                   WHERE l.chat_id = c.id AND l.key = wanted.key AND l.value = wanted.value))

-- has_labels_postgres (fragment) --
NOT EXISTS (
       SELECT 1
         FROM json_each_text(CAST($4 AS json)) wanted
        WHERE NOT EXISTS (
                  SELECT 1
                    FROM chat_labels l
                   WHERE l.chat_id = c.id AND l.key = wanted.key AND l.value = wanted.value))

-- read_or_not_sqlite (fragment) --
($10 IS NULL OR $10 = COALESCE(
       json_extract(c.projection, '$.last_role') IN ('assistant', 'tool')
       AND json_extract(c.projection, '$.last_id') > c.read_id, FALSE))

-- read_or_not_postgres (fragment) --
(CAST($10 AS boolean) IS NULL OR $10 = COALESCE(
       CAST(c.projection AS json) ->> 'last_role' IN ('assistant', 'tool')
       AND CAST(CAST(c.projection AS json) ->> 'last_id' AS BIGINT) > c.read_id, FALSE))

-- page_of_chats (fragment) --
AND ((c.pin_order = 0), c.pin_order, -c.updated_at, c.id) > ($5, $6, $7, $8)
 ORDER BY (c.pin_order = 0), c.pin_order, -c.updated_at, c.id
 LIMIT $9

-- list_chats (sqlite) --
-- One page of a user's chats: pinned first, then the newest. $4 is an object of labels, which must all match.
-- $5 to $8 are the place where the page before ended. $10: only those that are unread, or only the others.
SELECT {around_columns},
       {chat_columns}
  FROM {around_tables}
 WHERE {is_listed}
   AND {has_labels_sqlite}
   AND {read_or_not_sqlite}
   {page_of_chats};

-- list_chats (postgres) --
SELECT {around_columns},
       {chat_columns}
  FROM {around_tables}
 WHERE {is_listed}
   AND {has_labels_postgres}
   AND {read_or_not_postgres}
   {page_of_chats};

-- counts_for_user (fragment) --
-- Of a grant `g`: whether it counts for the user $1 now. $2: whether they are meant by everyone.
(g.expires_at IS NULL OR g.expires_at > (SELECT chatd_now()))
   AND ((g.subject_id = $1 AND g.kind = 'user')
        OR (g.subject_id IN (SELECT m.group_id FROM group_members m WHERE m.user_id = $1) AND g.kind = 'group')
        OR (g.subject_id = 'all' AND g.kind = 'everyone' AND $2))

-- shared_with_user (fragment) --
-- Chats of others.
c.id IN (SELECT g.chat_id FROM chat_grants g WHERE {counts_for_user})
   AND c.owner_id <> $1
   AND c.parent_id IS NULL
   AND NOT c.temporary

-- page_of_shared (fragment) --
AND c.archived = $3
   AND c.title_folded LIKE $4 ESCAPE '\'
   AND ((COALESCE(r.pin_order, 0) = 0), COALESCE(r.pin_order, 0), -c.updated_at, c.id) > ($5, $6, $7, $8)
 ORDER BY (COALESCE(r.pin_order, 0) = 0), COALESCE(r.pin_order, 0), -c.updated_at, c.id
 LIMIT $9

-- list_shared_chats (sqlite) --
-- With the user's own pins. $5 to $8 are the place where the page before ended, $10 as in list_chats.
SELECT COALESCE(r.pin_order, 0), {chat_columns}
  FROM chats c
  LEFT JOIN chat_readers r ON r.user_id = $1 AND r.chat_id = c.id
 WHERE {shared_with_user}
   AND ($10 IS NULL OR $10 = COALESCE(
           json_extract(c.projection, '$.last_role') IN ('assistant', 'tool')
           AND json_extract(c.projection, '$.last_id') > COALESCE(r.read_id, 0), FALSE))
   {page_of_shared};

-- list_shared_chats (postgres) --
SELECT COALESCE(r.pin_order, 0), {chat_columns}
  FROM chats c
  LEFT JOIN chat_readers r ON r.user_id = $1 AND r.chat_id = c.id
 WHERE {shared_with_user}
   AND (CAST($10 AS boolean) IS NULL OR $10 = COALESCE(
           CAST(c.projection AS json) ->> 'last_role' IN ('assistant', 'tool')
           AND CAST(CAST(c.projection AS json) ->> 'last_id' AS BIGINT) > COALESCE(r.read_id, 0), FALSE))
   {page_of_shared};

-- owners_of_shared --
SELECT DISTINCT c.owner_id
  FROM chats c
 WHERE {shared_with_user}
 LIMIT $3;

-- shared_among (sqlite) --
-- Which of these chats were shared with a user, with what they have read of each.
SELECT COALESCE(r.read_id, 0), {chat_columns}
  FROM json_each($3) asked
 CROSS JOIN chats c ON c.id = asked.value
  LEFT JOIN chat_readers r ON r.user_id = $1 AND r.chat_id = c.id
 WHERE {shared_with_user};

-- shared_among (postgres) --
SELECT COALESCE(r.read_id, 0), {chat_columns}
  FROM chats c
  LEFT JOIN chat_readers r ON r.user_id = $1 AND r.chat_id = c.id
 WHERE c.id IN (SELECT json_array_elements_text(CAST($3 AS json)))
   AND {shared_with_user};

-- list_all_chats --
-- Of a user, $1, of the end users of a service, $2, or of everybody. $5 and $6: where the page before ended.
SELECT {chat_columns}
  FROM chats c
 WHERE (CAST($1 AS TEXT) IS NULL OR c.owner_id = $1)
   AND (CAST($2 AS TEXT) IS NULL OR c.service_id = $2)
   AND c.parent_id IS NULL
   AND NOT c.temporary
   AND c.archived = $3
   AND c.title_folded LIKE $4 ESCAPE '\'
   AND (-c.updated_at, c.id) > ($5, $6)
 ORDER BY -c.updated_at, c.id
 LIMIT $7;

-- snapshots_of_list --
-- What a list of a user's chats, in the archive and outside, is made of, with the chats that work for them.
-- Compared with what a watcher knows.
SELECT c.id, c.snapshot_version
  FROM chats c
 WHERE c.owner_id = $1
   AND NOT c.temporary
 LIMIT $2;

-- read_chats (sqlite) --
SELECT {chat_columns}
  FROM chats c
 WHERE c.id IN (SELECT value FROM json_each($1));

-- read_chats (postgres) --
SELECT {chat_columns}
  FROM chats c
 WHERE c.id IN (SELECT json_array_elements_text(CAST($1 AS json)));

-- setups_at_work --
-- Of chats that an agent works on, other than this one.
SELECT c.id, s.setup
  FROM chats c
  JOIN chat_setups s ON s.chat_id = c.id
 WHERE c.status IN ('running', 'interrupting') AND c.id <> $1
 LIMIT $2;

-- existing_chats (sqlite) --
SELECT c.id
  FROM chats c
 WHERE c.id IN (SELECT value FROM json_each($1));

-- existing_chats (postgres) --
SELECT c.id
  FROM chats c
 WHERE c.id IN (SELECT json_array_elements_text(CAST($1 AS json)));
