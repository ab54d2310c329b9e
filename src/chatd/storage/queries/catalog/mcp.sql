-- mcp_server_columns (fragment) --
id, owner_id, slug, enabled, availability, version, document, secrets, revision

-- mcp_servers_for --
-- Those of all users, and those of this one; the oldest first.
SELECT {mcp_server_columns}
  FROM mcp_servers
 WHERE owner_id IS NULL OR owner_id = $1
 ORDER BY owner_id IS NOT NULL, created_at, id;

-- mcp_server_of_id --
SELECT {mcp_server_columns}
  FROM mcp_servers
 WHERE id = $1;

-- mcp_server_for_groups --
-- One of those that only members of some groups are given, if there are any.
SELECT id
  FROM mcp_servers
 WHERE for_groups
 LIMIT 1;

-- insert_mcp_server --
INSERT INTO mcp_servers (id, owner_id, slug, enabled, availability, version, document, secrets, for_groups, created_at,
                         updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, chatd_now(), chatd_now());

-- save_mcp_server --
-- No row comes back when it was changed since it was read.
UPDATE mcp_servers
   SET enabled = $3, availability = $4, version = $5, document = $6, secrets = $7, for_groups = $8,
       revision = revision + 1, updated_at = chatd_now()
 WHERE id = $1 AND revision = $2
RETURNING id;

-- delete_mcp_server --
DELETE FROM mcp_servers
 WHERE id = $1;

-- mcp_grant_columns (fragment) --
server_id, version, serial, tokens, refused

-- mcp_grants_of_user --
SELECT {mcp_grant_columns}
  FROM mcp_grants
 WHERE user_id = $1;

-- mcp_grant --
SELECT {mcp_grant_columns}
  FROM mcp_grants
 WHERE server_id = $1 AND user_id = $2;

-- insert_mcp_grant --
INSERT INTO mcp_grants (server_id, user_id, version, serial, tokens, refused, updated_at)
VALUES ($1, $2, $3, $4, $5, FALSE, chatd_now())
    ON CONFLICT (server_id, user_id) DO UPDATE
       SET version = excluded.version, serial = excluded.serial, tokens = excluded.tokens, refused = FALSE,
           updated_at = excluded.updated_at;

-- renew_mcp_grant --
-- Not if it is another one by now, or gone. Another server that refreshed it at the same moment may have been refused.
UPDATE mcp_grants
   SET serial = $4, tokens = $5, refused = FALSE, updated_at = chatd_now()
 WHERE server_id = $1 AND user_id = $2 AND serial = $3
RETURNING server_id;

-- refuse_mcp_grant --
UPDATE mcp_grants
   SET refused = TRUE, updated_at = chatd_now()
 WHERE server_id = $1 AND user_id = $2 AND serial = $3;

-- delete_mcp_grant --
DELETE FROM mcp_grants
 WHERE server_id = $1 AND user_id = $2
RETURNING {mcp_grant_columns};

-- delete_mcp_grants_of_server --
DELETE FROM mcp_grants
 WHERE server_id = $1;

-- begin_mcp_sign_in --
-- One that was begun before is given up.
INSERT INTO mcp_sign_ins (server_id, user_id, version, state, code, tries, sealed, expires_at)
VALUES ($1, $2, $3, $4, NULL, 0, $5, chatd_now() + $6)
    ON CONFLICT (server_id, user_id) DO UPDATE
       SET version = excluded.version, state = excluded.state, code = NULL, tries = 0, sealed = excluded.sealed,
           expires_at = excluded.expires_at;

-- take_mcp_state --
-- A state is used once, by the first who brings it.
UPDATE mcp_sign_ins
   SET state = NULL
 WHERE state = $1 AND server_id = $2 AND expires_at > chatd_now()
RETURNING user_id, version, sealed;

-- keep_mcp_tokens --
-- Until the user repeats the code. Not if a newer sign-in was begun meanwhile.
UPDATE mcp_sign_ins
   SET code = $4, sealed = $5
 WHERE server_id = $1 AND user_id = $2 AND sealed = $3 AND state IS NULL;

-- mcp_sign_in --
SELECT version, code, tries, sealed
  FROM mcp_sign_ins
 WHERE server_id = $1 AND user_id = $2 AND expires_at > chatd_now();

-- count_mcp_try --
UPDATE mcp_sign_ins
   SET tries = tries + 1
 WHERE server_id = $1 AND user_id = $2;

-- delete_mcp_sign_in --
DELETE FROM mcp_sign_ins
 WHERE server_id = $1 AND user_id = $2;

-- delete_mcp_sign_ins_of_server --
DELETE FROM mcp_sign_ins
 WHERE server_id = $1;

-- delete_expired_mcp_sign_ins --
DELETE FROM mcp_sign_ins
 WHERE expires_at <= chatd_now();

-- forget_mcp_secrets --
UPDATE mcp_servers
   SET secrets = NULL, revision = revision + 1
 WHERE secrets NOT LIKE $1;

-- forget_mcp_grants --
DELETE FROM mcp_grants
 WHERE tokens NOT LIKE $1;

-- forget_mcp_sign_ins --
DELETE FROM mcp_sign_ins
 WHERE sealed NOT LIKE $1;

-- mcp_trust_of --
SELECT digest
  FROM mcp_trust
 WHERE user_id = $1 AND root = $2;

-- count_other_mcp_trusts --
SELECT count(*) AS others
  FROM mcp_trust
 WHERE user_id = $1 AND root <> $2;

-- write_mcp_trust --
-- Instead of what was trusted there before.
INSERT INTO mcp_trust (user_id, root, digest, created_at)
VALUES ($1, $2, $3, chatd_now())
ON CONFLICT (user_id, root) DO UPDATE SET digest = excluded.digest, created_at = excluded.created_at;

-- delete_mcp_trust --
DELETE FROM mcp_trust
 WHERE user_id = $1 AND root = $2;
