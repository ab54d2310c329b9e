-- user_of_identity --
-- With whether the user is suspended.
SELECT {user_columns}, u.suspended_at IS NOT NULL
  FROM identities i
  JOIN users u ON u.id = i.user_id
 WHERE i.issuer = $1 AND i.subject = $2
   AND u.deleted_at IS NULL;

-- insert_identity --
-- No row comes back when the identity is another user's, or this one's already.
INSERT INTO identities (issuer, subject, user_id, created_at)
VALUES ($1, $2, $3, chatd_now())
    ON CONFLICT (issuer, subject) DO NOTHING
RETURNING user_id;

-- use_identity --
-- Its user signs in.
UPDATE identities
   SET used_at = chatd_now()
 WHERE issuer = $1 AND subject = $2;

-- identities_of_user --
SELECT i.issuer, i.subject, i.created_at, i.used_at
  FROM identities i
 WHERE i.user_id = $1
 ORDER BY i.created_at, i.issuer, i.subject
 LIMIT $2;

-- delete_identities_of_user --
DELETE FROM identities
 WHERE user_id = $1;

-- has_identity_at --
SELECT 1
  FROM identities
 WHERE user_id = $1 AND issuer = $2
 LIMIT 1;

-- memberships_of --
SELECT g.id, g.name_key, m.source
  FROM group_members m
  JOIN groups g ON g.id = m.group_id
 WHERE m.user_id = $1
 ORDER BY g.name_key;

-- provider_group_named --
SELECT id
  FROM groups
 WHERE name_key = $1 AND source = 'oidc';

-- insert_provider_member --
INSERT INTO group_members (group_id, user_id, source, created_at)
VALUES ($1, $2, 'oidc', chatd_now())
    ON CONFLICT (group_id, user_id) DO NOTHING;

-- delete_provider_member --
DELETE FROM group_members
 WHERE group_id = $1 AND user_id = $2 AND source = 'oidc';

-- users_of_verified_email --
-- Two at most: then it is nobody's. With whether the user is suspended.
SELECT {user_columns}, u.suspended_at IS NOT NULL
  FROM users u
 WHERE u.email_key = $1 AND u.email_verified AND u.deleted_at IS NULL
 LIMIT 2;

-- insert_oidc_state --
INSERT INTO oidc_states (hash, browser_hash, issuer, return_to, user_id, expires_at, network)
VALUES ($1, $2, $3, $4, $5, chatd_now() + $6, $7);

-- take_oidc_state --
-- Of two that come back at once, one finds it gone. In another browser it stays.
DELETE FROM oidc_states
 WHERE hash = $1 AND browser_hash = $2 AND expires_at > chatd_now()
RETURNING issuer, return_to, user_id;

-- delete_expired_oidc_states --
DELETE FROM oidc_states
 WHERE expires_at <= (SELECT chatd_now());

-- delete_oldest_oidc_states_of_network --
-- So that $1 has no more than $2.
DELETE FROM oidc_states
 WHERE hash IN (SELECT hash FROM oidc_states
                 WHERE network = $1
                 ORDER BY expires_at DESC, hash
                 LIMIT 1000 OFFSET $2);

-- delete_oldest_oidc_states_of_most --
-- $1 of them, the oldest of the networks that have most.
DELETE FROM oidc_states
 WHERE hash IN (SELECT s.hash
                  FROM oidc_states s
                  JOIN (SELECT network, count(*) AS held FROM oidc_states GROUP BY network) n
                    ON n.network = s.network
                 ORDER BY n.held DESC, s.expires_at, s.hash
                 LIMIT $1);

-- count_oidc_states --
-- Up to $1.
SELECT count(*) FROM (SELECT 1 FROM oidc_states LIMIT $1) AS first_ones;
