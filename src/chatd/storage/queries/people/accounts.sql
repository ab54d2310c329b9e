-- insert_user --
-- No row comes back when another user has the name.
INSERT INTO users (id, name, role, created_at)
VALUES ($1, $2, $3, chatd_now())
    ON CONFLICT (name) DO NOTHING
RETURNING id;

-- count_users_to_two --
SELECT count(*) FROM (SELECT 1 FROM users LIMIT 2) AS first_two;

-- user_named --
SELECT id, name, role
  FROM users
 WHERE name = $1;

-- user_of_token --
SELECT u.id, u.name, u.role
  FROM tokens t
  JOIN users u ON u.id = t.user_id
 WHERE t.hash = $1;

-- insert_token --
INSERT INTO tokens (hash, user_id, name, created_at)
VALUES ($1, $2, $3, chatd_now())
    ON CONFLICT (hash) DO NOTHING;

-- delete_other_tokens_named --
-- So that the token $3 is the only one of this name.
DELETE FROM tokens
 WHERE user_id = $1 AND name = $2 AND hash <> $3;

-- tokens_of_user --
-- Of a hash, the first characters: enough to tell one's own tokens apart, and of no other use.
SELECT substr(hash, 1, 16), name, created_at
  FROM tokens
 WHERE user_id = $1
 ORDER BY created_at DESC, hash;

-- delete_token --
DELETE FROM tokens
 WHERE user_id = $1 AND substr(hash, 1, 16) = $2
RETURNING name;
