-- insert_user --
INSERT INTO users (id, name, role, created_at)
VALUES ($1, $2, $3, chatd_now());

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

-- delete_tokens_named --
DELETE FROM tokens
 WHERE user_id = $1 AND name = $2;
