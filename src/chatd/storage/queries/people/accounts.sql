-- user_columns (fragment) --
u.id, u.name, u.role, u.kind, u.service_id

-- profile_columns (fragment) --
u.id, u.name, u.role, u.kind, u.service_id, u.display_name, u.email, u.created_at, u.suspended_at, u.deleted_at

-- service_columns (fragment) --
m.id, m.name, m.role, m.kind, m.service_id, m.suspended_at IS NOT NULL, s.acts_for,
       EXISTS (SELECT 1 FROM group_members g WHERE g.group_id = s.group_id AND g.user_id = u.id)

-- rates_columns (fragment) --
t.rates, (SELECT r.rates FROM services r WHERE r.user_id = COALESCE(m.id, u.service_id, u.id))

-- insert_user --
-- One whose name has only letters that every database makes small alike. No row comes back when the name is taken.
INSERT INTO users (id, name, role, name_key, created_at)
VALUES ($1, $2, $3, lower($2), chatd_now())
    ON CONFLICT (name_key) DO NOTHING
RETURNING id;

-- insert_person --
-- $4 is the name in small letters. No row comes back when another user has it.
INSERT INTO users (id, name, role, name_key, display_name, created_at)
VALUES ($1, $2, $3, $4, $5, chatd_now())
    ON CONFLICT (name_key) DO NOTHING
RETURNING id;

-- count_users_to_two --
-- A user who was deleted may come back, and is none of these until then.
SELECT count(*) FROM (SELECT 1 FROM users WHERE deleted_at IS NULL LIMIT 2) AS first_two;

-- user_named --
SELECT {user_columns}
  FROM users u
 WHERE u.name_key = $1;

-- user_of_token --
-- With what the token is good for, whether it has ended, whether its last use was longer than $2 ago, when it ends,
-- whether the user is suspended, whether this is the secret from before a rotation, and limits of its own and of
-- the service that asks; and the service, if one has made the token to have somebody else speak for themselves.
SELECT {user_columns}, t.id, t.scopes, COALESCE(t.expires_at <= chatd_now(), FALSE),
       t.used_at IS NULL OR t.used_at < chatd_now() - $2,
       CASE WHEN t.hash <> $1 AND (t.expires_at IS NULL OR t.expires_at > t.old_until) THEN t.old_until
            ELSE t.expires_at END,
       u.suspended_at IS NOT NULL, t.hash <> $1, t.chat_id, {rates_columns}, {service_columns}
  FROM tokens t
  JOIN users u ON u.id = t.user_id
  LEFT JOIN users m ON m.id = t.made_by AND m.kind = 'service' AND m.id <> u.id
  LEFT JOIN services s ON s.user_id = m.id
 WHERE (t.hash = $1 OR (t.old_hash = $1 AND t.old_until > chatd_now()))
   AND u.deleted_at IS NULL
   AND m.deleted_at IS NULL;

-- use_token --
UPDATE tokens
   SET used_at = chatd_now()
 WHERE id = $1;

-- insert_token --
-- One of the server: for everything, and without an end. No row comes back when it is there already.
INSERT INTO tokens (id, hash, user_id, name, shown, scopes, created_at)
VALUES (substr($1, 1, 16), $1, $2, $3, '',
        'account act_as admin audit:read chats:read chats:share chats:write files:write metrics:read '
        || 'models:read usage:read', chatd_now())
    ON CONFLICT (hash) DO NOTHING
RETURNING id;

-- insert_scoped_token --
-- One of a user. It ends at $7, or never.
INSERT INTO tokens (id, hash, user_id, name, shown, scopes, created_at, expires_at, chat_id, made_by, rates)
VALUES ($1, $2, $3, $4, $5, $6, chatd_now(), $7, $8, $9, $10);

-- count_tokens --
-- Of a user. What services have made for a person are not the person's own doing.
SELECT count(*)
  FROM tokens t
  LEFT JOIN services s ON s.user_id = t.made_by
 WHERE t.user_id = $1 AND s.user_id IS NULL;

-- delete_other_tokens_named --
-- So that the token $3 is the only one of this name.
DELETE FROM tokens
 WHERE user_id = $1 AND name = $2 AND hash <> $3;

-- note_served --
UPDATE tokens
   SET served_at = chatd_now()
 WHERE hash = $1
RETURNING id;

-- delete_left_server_tokens --
-- Tokens of servers, of user $1 and other than $2: of which nobody has said for $3 that its server lives, and
-- that nobody has used; and of those of which nobody has for $4, all but the newest $5. Up to $6 at once.
DELETE FROM tokens
 WHERE hash IN (SELECT q.hash
                  FROM (SELECT t.hash, t.served_at, COALESCE(t.used_at, 0) AS used_at,
                               row_number() OVER (ORDER BY t.served_at DESC, t.hash) AS place
                          FROM tokens t
                         WHERE t.user_id = $1 AND t.hash <> $2 AND t.served_at < chatd_now() - $4
                           AND COALESCE(t.used_at, 0) < chatd_now() - $4) q
                 WHERE q.place > $5 OR (q.served_at < chatd_now() - $3 AND q.used_at < chatd_now() - $3)
                 LIMIT $6)
RETURNING id, name;

-- tokens_of_user --
-- Those that have ended too: their user sees why a program is not let in.
SELECT id, name, shown, scopes, created_at, expires_at, used_at,
       CASE WHEN old_until > chatd_now() THEN old_until END, chat_id, made_by, rates
  FROM tokens
 WHERE user_id = $1
 ORDER BY created_at DESC, id;

-- delete_token --
DELETE FROM tokens
 WHERE user_id = $1 AND id = $2
RETURNING name;

-- delete_ended_tokens --
-- Of a user who makes another one: ended ones take no room.
DELETE FROM tokens
 WHERE user_id = $1 AND expires_at <= chatd_now();

-- rotate_token --
-- The secret $3 counts from now on, and the one before for $5 more.
UPDATE tokens
   SET old_hash = CASE WHEN CAST($5 AS BIGINT) > 0 THEN hash END,
       old_until = CASE WHEN CAST($5 AS BIGINT) > 0 THEN chatd_now() + CAST($5 AS BIGINT) END,
       hash = $3, shown = $4
 WHERE user_id = $1 AND id = $2 AND (expires_at IS NULL OR expires_at > chatd_now())
RETURNING id;
