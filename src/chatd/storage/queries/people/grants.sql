-- grants_for_user --
-- What a user was granted of the family of $3.
SELECT g.role, g.expires_at
  FROM chat_grants g
 WHERE g.chat_id = $3
   AND {counts_for_user};

-- grant_columns (fragment) --
g.kind, g.subject_id, g.role, g.made_by, g.made_at, g.expires_at

-- grants_of_chat --
-- With the name and the display name of whom each is for. Those that have ended count for nobody.
SELECT {grant_columns}, COALESCE(u.name, p.name, ''), COALESCE(u.display_name, '')
  FROM chat_grants g
  LEFT JOIN users u ON u.id = g.subject_id AND g.kind = 'user'
  LEFT JOIN groups p ON p.id = g.group_id
 WHERE g.chat_id = $1
   AND (g.expires_at IS NULL OR g.expires_at > chatd_now())
   AND (g.kind <> 'user' OR u.deleted_at IS NULL)
 ORDER BY g.made_at, g.kind, g.subject_id;

-- grant_of_chat --
SELECT {grant_columns}
  FROM chat_grants g
 WHERE g.chat_id = $1 AND g.kind = $2 AND g.subject_id = $3
   AND (g.expires_at IS NULL OR g.expires_at > chatd_now());

-- delete_ended_grants --
-- Before another one is made: ended ones take no room.
DELETE FROM chat_grants
 WHERE chat_id = $1 AND expires_at <= chatd_now();

-- count_grants --
SELECT count(*)
  FROM chat_grants
 WHERE chat_id = $1;

-- save_grant --
INSERT INTO chat_grants (chat_id, kind, subject_id, group_id, role, made_by, made_at, expires_at)
VALUES ($1, $2, $3, CASE WHEN CAST($2 AS TEXT) = 'group' THEN CAST($3 AS TEXT) END, $4, $5, chatd_now(), $6)
    ON CONFLICT (chat_id, kind, subject_id)
    DO UPDATE SET role = excluded.role, made_by = excluded.made_by, expires_at = excluded.expires_at;

-- delete_grant --
DELETE FROM chat_grants
 WHERE chat_id = $1 AND kind = $2 AND subject_id = $3
RETURNING chat_id;

-- group_by_id_or_name --
SELECT p.id, p.name
  FROM groups p
 WHERE p.id = $1 OR p.name_key = $2
 ORDER BY (p.id = $1) DESC
 LIMIT 1;

-- person_by_id_or_name --
-- Whom a chat can be shared with or handed to. $2 is the name in small letters.
SELECT {user_columns}, u.display_name
  FROM users u
 WHERE (u.id = $1 OR u.name_key = $2)
   AND u.deleted_at IS NULL
 ORDER BY (u.id = $1) DESC
 LIMIT 1;
