-- groups_of_users (sqlite) --
-- Which groups each of these users is in.
SELECT m.user_id, m.group_id
  FROM group_members m
 WHERE m.user_id IN (SELECT value FROM json_each($1));

-- groups_of_users (postgres) --
SELECT m.user_id, m.group_id
  FROM group_members m
 WHERE m.user_id IN (SELECT json_array_elements_text(CAST($1 AS json)));

-- offers_to_users (sqlite) --
-- How many chats are offered to each of these users; of those to whom none is, there is no row.
SELECT t.to_id, count(*)
  FROM transfers t
 WHERE t.to_id IN (SELECT value FROM json_each($1)) AND t.expires_at > chatd_now()
 GROUP BY t.to_id;

-- offers_to_users (postgres) --
SELECT t.to_id, count(*)
  FROM transfers t
 WHERE t.to_id IN (SELECT json_array_elements_text(CAST($1 AS json))) AND t.expires_at > chatd_now()
 GROUP BY t.to_id;

-- granted_columns (fragment) --
g.subject_id, g.kind, g.chat_id, g.expires_at, c.snapshot_version

-- granted_to_subject (fragment) --
-- Grants that count, from a place on, in the order of the index.
(g.expires_at IS NULL OR g.expires_at > chatd_now())
   AND NOT c.temporary
   AND (g.subject_id, g.kind, g.chat_id) > ($2, $3, $4)
 ORDER BY g.subject_id, g.kind, g.chat_id
 LIMIT $5

-- chats_of_subjects (sqlite) --
-- What these users, groups or everyone were granted.
SELECT {granted_columns}
  FROM chat_grants g
  JOIN chats c ON c.id = g.chat_id
 WHERE g.subject_id IN (SELECT value FROM json_each($1))
   AND {granted_to_subject};

-- chats_of_subjects (postgres) --
SELECT {granted_columns}
  FROM chat_grants g
  JOIN chats c ON c.id = g.chat_id
 WHERE g.subject_id IN (SELECT json_array_elements_text(CAST($1 AS json)))
   AND {granted_to_subject};

-- grants_of_chats (sqlite) --
-- To whom these chats are granted now.
SELECT g.chat_id, g.kind, g.subject_id, g.role, g.expires_at
  FROM chat_grants g
 WHERE g.chat_id IN (SELECT value FROM json_each($1))
   AND (g.expires_at IS NULL OR g.expires_at > chatd_now());

-- grants_of_chats (postgres) --
SELECT g.chat_id, g.kind, g.subject_id, g.role, g.expires_at
  FROM chat_grants g
 WHERE g.chat_id IN (SELECT json_array_elements_text(CAST($1 AS json)))
   AND (g.expires_at IS NULL OR g.expires_at > chatd_now());

-- owners_of_chats (sqlite) --
-- Who owns each of these chats, and how many of the chats that work for it are at it.
SELECT c.id, u.name, u.display_name,
       (SELECT count(*) FROM chats k WHERE k.parent_id = c.id AND k.status IN ('running', 'interrupting'))
  FROM chats c
  JOIN users u ON u.id = c.owner_id
 WHERE c.id IN (SELECT value FROM json_each($1));

-- owners_of_chats (postgres) --
SELECT c.id, u.name, u.display_name,
       (SELECT count(*) FROM chats k WHERE k.parent_id = c.id AND k.status IN ('running', 'interrupting'))
  FROM chats c
  JOIN users u ON u.id = c.owner_id
 WHERE c.id IN (SELECT json_array_elements_text(CAST($1 AS json)));

-- marks_of_readers (sqlite) --
-- What these users have marked in these chats.
SELECT r.user_id, r.chat_id, r.read_id, r.pin_order, r.muted
  FROM chat_readers r
 WHERE r.user_id IN (SELECT value FROM json_each($1))
   AND r.chat_id IN (SELECT value FROM json_each($2));

-- marks_of_readers (postgres) --
SELECT r.user_id, r.chat_id, r.read_id, r.pin_order, r.muted
  FROM chat_readers r
 WHERE r.user_id IN (SELECT json_array_elements_text(CAST($1 AS json)))
   AND r.chat_id IN (SELECT json_array_elements_text(CAST($2 AS json)));

-- versions_of_shared --
-- What the list of a user is made of that has chats of others, in the archive and outside: compared with what a
-- watcher knows. $2: whether they are meant by everyone.
SELECT c.id, c.snapshot_version, COALESCE(r.read_id, 0), COALESCE(r.pin_order, 0), COALESCE(r.muted, FALSE),
       EXISTS (SELECT 1 FROM chat_grants g WHERE g.chat_id = c.id AND g.role = 'writer' AND {counts_for_user})
  FROM chats c
  LEFT JOIN chat_readers r ON r.user_id = $1 AND r.chat_id = c.id
 WHERE {shared_with_user}
 LIMIT $3;
