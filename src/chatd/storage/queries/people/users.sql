-- users_after --
-- In the order of their names, those behind $1. $2, $3, $5 and $6 are what is looked for, or NULL.
SELECT {profile_columns}
  FROM users u
 WHERE u.name_key > $1
   AND u.kind <> 'end_user'
   AND u.deleted_at IS NULL
   AND (CAST($2 AS TEXT) IS NULL OR u.role = $2)
   AND (CAST($3 AS TEXT) IS NULL OR u.name_key LIKE $3 ESCAPE '!')
   AND (CAST($5 AS TEXT) IS NULL OR u.kind = $5)
   AND (CAST($6 AS BOOLEAN) IS NULL OR (u.suspended_at IS NOT NULL) = $6)
 ORDER BY u.name_key
 LIMIT $4;

-- find_people --
-- Who can be shared with.
SELECT {profile_columns}
  FROM users u
 WHERE u.kind = 'person'
   AND u.deleted_at IS NULL
   AND u.suspended_at IS NULL
   AND (u.name_key LIKE $1 ESCAPE '!' OR lower(u.display_name) LIKE $1 ESCAPE '!')
 ORDER BY u.name_key
 LIMIT $2;

-- count_accounts --
SELECT count(*)
  FROM users
 WHERE kind <> 'end_user' AND deleted_at IS NULL;

-- user_profile --
SELECT {profile_columns}
  FROM users u
 WHERE u.id = $1;

-- names_of_authors (sqlite) --
-- Of those who have left as well, as long as their account is kept.
SELECT u.id, u.name, u.display_name
  FROM users u
 WHERE u.id IN (SELECT value FROM json_each($1))
 ORDER BY u.name_key, u.id;

-- names_of_authors (postgres) --
SELECT u.id, u.name, u.display_name
  FROM users u
 WHERE u.id IN (SELECT json_array_elements_text(CAST($1 AS json)))
 ORDER BY u.name_key, u.id;

-- lock_active_admins (sqlite) --
SELECT id
  FROM users
 WHERE role = 'admin' AND kind = 'person' AND suspended_at IS NULL AND deleted_at IS NULL;

-- lock_active_admins (postgres) --
-- In one order, so that two who look at once do not wait for each other.
SELECT id
  FROM users
 WHERE role = 'admin' AND kind = 'person' AND suspended_at IS NULL AND deleted_at IS NULL
 ORDER BY id
   FOR NO KEY UPDATE;

-- have_run_the_server --
-- No row comes back when they do already.
UPDATE users
   SET role = 'admin', suspended_at = NULL
 WHERE id = $1 AND (role <> 'admin' OR suspended_at IS NOT NULL)
RETURNING id;

-- change_user --
UPDATE users
   SET role = $2, display_name = $3
 WHERE id = $1;

-- set_email --
-- $3 is the address in small letters.
UPDATE users
   SET email = $2, email_key = $3, email_verified = $4
 WHERE id = $1;

-- suspend_user --
UPDATE users
   SET suspended_at = COALESCE(suspended_at, chatd_now())
 WHERE id = $1;

-- activate_user --
UPDATE users
   SET suspended_at = NULL
 WHERE id = $1;

-- delete_user --
-- The name is free at once. $2 is what becomes of their chats.
UPDATE users
   SET deleted_at = chatd_now(), name_key = id, leaving = $2
 WHERE id = $1;

-- restore_user --
-- $2 is the name in small letters, $3 how long a user can be brought back. No row comes back when it is too late.
UPDATE users
   SET deleted_at = NULL, name_key = $2, leaving = NULL
 WHERE id = $1 AND deleted_at > chatd_now() - $3
RETURNING id;

-- delete_tokens_of_user --
DELETE FROM tokens
 WHERE user_id = $1;

-- delete_keys_of_user --
DELETE FROM user_provider_keys
 WHERE user_id = $1;

-- delete_settings_of_user --
DELETE FROM user_settings
 WHERE user_id = $1;

-- delete_sign_in_codes_of_user --
DELETE FROM sign_in_codes
 WHERE user_id = $1;

-- is_shut_out --
-- Whether nothing that costs may be done for a user.
SELECT {shut_out}
  FROM users u
  LEFT JOIN users m ON m.id = u.service_id
 WHERE u.id = $1;

-- working_roots_of --
-- Chats of a user or of the end users of a service, behind $2 and not of their family, in whose family an agent
-- works.
SELECT DISTINCT COALESCE(root_id, id)
  FROM chats
 WHERE (owner_id = $1 OR service_id = $1)
   AND status IN ('running', 'interrupting', 'requires_action')
   AND COALESCE(root_id, id) > $2
 ORDER BY COALESCE(root_id, id)
 LIMIT $3;

-- working_roots_of_shut_out --
-- Chats whose owners may have nothing done that costs, as above, in whose family an agent works.
SELECT DISTINCT COALESCE(c.root_id, c.id)
  FROM chats c
  JOIN users u ON u.id = c.owner_id
  LEFT JOIN users m ON m.id = u.service_id
 WHERE c.status IN ('running', 'requires_action')
   AND ({shut_out})
 LIMIT $1;

-- roots_of --
-- Chats of a user or of the end users of a service, behind $2, that work for no other one; with $4 also those in
-- the archive.
SELECT id
  FROM chats
 WHERE (owner_id = $1 OR service_id = $1) AND id > $2 AND parent_id IS NULL AND (NOT archived OR $4)
 ORDER BY id
 LIMIT $3;

-- names_of_users (sqlite) --
SELECT id, name
  FROM users
 WHERE id IN (SELECT value FROM json_each($1));

-- names_of_users (postgres) --
SELECT id, name
  FROM users
 WHERE id IN (SELECT json_array_elements_text(CAST($1 AS json)));
