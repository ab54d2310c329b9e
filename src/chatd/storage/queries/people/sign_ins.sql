-- insert_sign_in_code --
INSERT INTO sign_in_codes (hash, purpose, user_id, created_at, expires_at)
VALUES ($1, $2, $3, chatd_now(), chatd_now() + $4);

-- delete_expired_sign_in_codes --
DELETE FROM sign_in_codes
 WHERE expires_at <= chatd_now();

-- delete_oldest_sign_in_codes --
-- So that a user has no more than $2.
DELETE FROM sign_in_codes
 WHERE user_id = $1
   AND hash NOT IN (SELECT hash FROM sign_in_codes
                     WHERE user_id = $1
                     ORDER BY created_at DESC, hash
                     LIMIT $2);

-- use_sign_in_code --
-- Of two that come at once, one finds it used.
UPDATE sign_in_codes
   SET used_at = chatd_now()
 WHERE hash = $1 AND used_at IS NULL AND expires_at > chatd_now()
   AND user_id IN (SELECT id FROM users WHERE suspended_at IS NULL AND deleted_at IS NULL)
RETURNING user_id;

-- insert_sign_in --
INSERT INTO sign_ins (id, hash, user_id, method, token_id, created_at, used_at, ends_at, address, browser)
VALUES ($1, $2, $3, $4, $5, chatd_now(), chatd_now(), chatd_now() + $6, $7, $8);

-- user_of_sign_in --
-- With whether its last use was longer than $2 ago, what the token is good for with which it began, its limits,
-- and whether the user is suspended.
SELECT {user_columns}, s.id, s.used_at < chatd_now() - $2, t.scopes, t.expires_at, t.id, t.rates,
       u.suspended_at IS NOT NULL
  FROM sign_ins s
  JOIN users u ON u.id = s.user_id
  LEFT JOIN tokens t ON t.id = s.token_id
 WHERE s.hash = $1 AND s.ends_at > chatd_now()
   AND u.deleted_at IS NULL
   AND (t.expires_at IS NULL OR t.expires_at > chatd_now());

-- use_sign_in --
-- It ends $2 after its last use, and in any case $3 after its beginning.
UPDATE sign_ins
   SET used_at = chatd_now(),
       ends_at = CASE WHEN created_at + $3 < chatd_now() + $2 THEN created_at + $3 ELSE chatd_now() + $2 END
 WHERE id = $1 AND ends_at > chatd_now();

-- sign_ins_of_user --
SELECT id, method, created_at, used_at, ends_at, address, browser
  FROM sign_ins
 WHERE user_id = $1 AND ends_at > chatd_now()
 ORDER BY used_at DESC, id DESC;

-- delete_sign_in --
DELETE FROM sign_ins
 WHERE user_id = $1 AND id = $2
RETURNING id;

-- delete_sign_ins_of_token --
DELETE FROM sign_ins
 WHERE user_id = $1 AND token_id = $2;

-- delete_sign_in_of_hash --
DELETE FROM sign_ins
 WHERE hash = $1;

-- delete_sign_ins_of_user --
DELETE FROM sign_ins
 WHERE user_id = $1;

-- delete_ended_sign_ins --
-- At most $1, those that ended first. In order and with a limit PostgreSQL reads no others: without, it
-- supposes that a third of them has ended, and goes through all.
DELETE FROM sign_ins
 WHERE id IN (SELECT id FROM sign_ins
               WHERE ends_at <= (SELECT chatd_now())
               ORDER BY ends_at
               LIMIT $1);

-- delete_oldest_sign_ins --
-- So that a user has no more than $2.
DELETE FROM sign_ins
 WHERE user_id = $1
   AND id NOT IN (SELECT id FROM sign_ins
                   WHERE user_id = $1
                   ORDER BY used_at DESC, id DESC
                   LIMIT $2);
