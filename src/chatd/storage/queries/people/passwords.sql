-- password_of_name --
-- $1 is the name in small letters. With whether the user is suspended.
SELECT {user_columns}, u.password, u.suspended_at IS NOT NULL
  FROM users u
 WHERE u.name_key = $1 AND u.kind = 'person' AND u.deleted_at IS NULL;

-- replace_password --
-- Unless it has changed since $2 was read. $3 is what is kept from now on.
UPDATE users
   SET password = $3
 WHERE id = $1 AND deleted_at IS NULL
   AND COALESCE(password, '') = COALESCE(CAST($2 AS TEXT), '')
RETURNING id;

-- forget_password --
UPDATE users
   SET password = NULL
 WHERE id = $1;

-- has_password --
SELECT password IS NOT NULL
  FROM users
 WHERE id = $1;

-- delete_other_sign_ins --
-- All of a user but $2, if that is one.
DELETE FROM sign_ins
 WHERE user_id = $1 AND id <> COALESCE(CAST($2 AS TEXT), '');

-- forget_password_tries --
DELETE FROM password_tries
 WHERE forget_at <= (SELECT chatd_now());

-- insert_password_tries --
INSERT INTO password_tries (name_hash, failures, since, waits, wait_until, forget_at)
VALUES ($1, 0, 0, 0, 0, chatd_now() + 1000000)
    ON CONFLICT (name_hash) DO NOTHING;

-- lock_password_tries (sqlite) --
SELECT failures, since, waits, wait_until, forget_at
  FROM password_tries
 WHERE name_hash = $1;

-- lock_password_tries (postgres) --
SELECT failures, since, waits, wait_until, forget_at
  FROM password_tries
 WHERE name_hash = $1
   FOR UPDATE;

-- update_password_tries --
UPDATE password_tries
   SET failures = $2, since = $3, waits = $4, wait_until = $5, forget_at = $6
 WHERE name_hash = $1;

-- delete_password_tries --
DELETE FROM password_tries
 WHERE name_hash = $1;
