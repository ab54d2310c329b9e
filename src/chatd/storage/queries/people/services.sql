-- service_of_columns (fragment) --
{profile_columns}, s.acts_for, s.group_id, s.end_users, s.end_users_max, s.rates

-- insert_service_user --
-- $4 is the name in small letters. No row comes back when another user has it.
INSERT INTO users (id, name, role, name_key, display_name, kind, created_at)
VALUES ($1, $2, $3, $4, $5, 'service', chatd_now())
    ON CONFLICT (name_key) DO NOTHING
RETURNING id;

-- insert_service --
INSERT INTO services (user_id, acts_for, group_id, end_users_max, rates)
VALUES ($1, $2, $3, $4, $5);

-- save_service --
UPDATE services
   SET acts_for = $2, group_id = $3, end_users_max = $4, rates = $5
 WHERE user_id = $1;

-- service_of_id --
SELECT {service_of_columns}
  FROM services s
  JOIN users u ON u.id = s.user_id
 WHERE s.user_id = $1 AND u.deleted_at IS NULL;

-- services_after --
-- In the order of their names, those behind $1.
SELECT {service_of_columns}
  FROM services s
  JOIN users u ON u.id = s.user_id
 WHERE u.name_key > $1 AND u.deleted_at IS NULL
 ORDER BY u.name_key
 LIMIT $2;

-- end_user_columns (fragment) --
{profile_columns}, u.external_id

-- end_users_after --
-- Of a service, those behind $2 in the order of its own names for them; $3 is one of these names, or NULL.
SELECT {end_user_columns}
  FROM users u
 WHERE u.service_id = $1
   AND u.external_id > $2
   AND u.deleted_at IS NULL
   AND (CAST($3 AS TEXT) IS NULL OR u.external_id = $3)
 ORDER BY u.external_id
 LIMIT $4;

-- end_user_spoken_for --
-- The end user of service $1 whom it calls $2, beside what the service may do.
SELECT {user_columns}, u.suspended_at IS NOT NULL, {service_columns}
  FROM users m
  JOIN services s ON s.user_id = m.id
  JOIN users u ON u.service_id = m.id
 WHERE m.id = $1
   AND m.deleted_at IS NULL
   AND u.external_id = $2
   AND u.deleted_at IS NULL;

-- person_spoken_for --
-- The same for the person whose name in small letters is $2.
SELECT {user_columns}, u.suspended_at IS NOT NULL, {service_columns}
  FROM users m
  JOIN services s ON s.user_id = m.id
 CROSS JOIN users u
 WHERE m.id = $1
   AND m.deleted_at IS NULL
   AND u.name_key = $2
   AND u.deleted_at IS NULL;

-- lock_service (sqlite) --
SELECT acts_for, end_users < end_users_max
  FROM services
 WHERE user_id = $1;

-- lock_service (postgres) --
-- Whoever speaks for somebody for the first time waits here for another one who does.
SELECT acts_for, end_users < end_users_max
  FROM services
 WHERE user_id = $1
   FOR UPDATE;

-- insert_end_user --
-- They are in no list of names, so their own may be another user's as well.
INSERT INTO users (id, name, role, name_key, kind, service_id, external_id, created_at)
VALUES ($1, $2, 'member', $1, 'end_user', $3, $2, chatd_now());

-- count_end_users --
-- $2 more, or fewer.
UPDATE services
   SET end_users = end_users + $2
 WHERE user_id = $1;

-- insert_user_token --
-- One that service $7 has made for somebody. It ends $9 from now, and not behind $10, unless that is NULL.
INSERT INTO tokens (id, hash, user_id, name, shown, scopes, made_by, chat_id, created_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, chatd_now(),
        CASE WHEN CAST($10 AS BIGINT) < chatd_now() + CAST($9 AS BIGINT) THEN CAST($10 AS BIGINT)
             ELSE chatd_now() + CAST($9 AS BIGINT) END)
RETURNING expires_at;

-- delete_oldest_user_tokens --
-- Of those that service $2 has made for user $1, so that there are no more than $3.
DELETE FROM tokens
 WHERE user_id = $1 AND made_by = $2
   AND id NOT IN (SELECT id FROM tokens
                   WHERE user_id = $1 AND made_by = $2
                   ORDER BY created_at DESC, id DESC
                   LIMIT $3);
