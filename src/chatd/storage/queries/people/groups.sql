-- group_columns (fragment) --
g.id, g.name, g.source, g.created_at, (SELECT count(*) FROM group_members n WHERE n.group_id = g.id)

-- one_maker_of_groups (sqlite) --
SELECT 1;

-- one_maker_of_groups (postgres) --
-- Of two who make a group at once, both would find room for one more.
LOCK TABLE groups IN SHARE ROW EXCLUSIVE MODE;

-- insert_group --
-- $3 is the name in small letters. No row comes back when another group has it.
INSERT INTO groups (id, name, name_key, source, created_at)
VALUES ($1, $2, $3, $4, chatd_now())
    ON CONFLICT (name_key) DO NOTHING
RETURNING id;

-- group_named --
SELECT {group_columns}
  FROM groups g
 WHERE g.name_key = $1;

-- group_of_id --
SELECT {group_columns}
  FROM groups g
 WHERE g.id = $1;

-- groups_after --
-- In the order of their names, those behind $1 with $2 in their name, unless it is NULL.
SELECT {group_columns}
  FROM groups g
 WHERE g.name_key > $1
   AND (CAST($2 AS TEXT) IS NULL OR g.name_key LIKE $2 ESCAPE '!')
 ORDER BY g.name_key
 LIMIT $3;

-- groups_of_user --
SELECT {group_columns}
  FROM groups g
  JOIN group_members m ON m.group_id = g.id
 WHERE m.user_id = $1
 ORDER BY g.name_key;

-- group_ids_of_user --
SELECT group_id
  FROM group_members
 WHERE user_id = $1;

-- group_names --
SELECT id, name
  FROM groups;

-- rename_group --
UPDATE groups
   SET name = $2, name_key = $3
 WHERE id = $1;

-- delete_group --
DELETE FROM groups
 WHERE id = $1;

-- members_after --
-- In the order of their names, those behind $2.
SELECT {profile_columns}
  FROM group_members m
  JOIN users u ON u.id = m.user_id
 WHERE m.group_id = $1
   AND u.name_key > $2
   AND u.deleted_at IS NULL
 ORDER BY u.name_key
 LIMIT $3;

-- count_groups_of_user --
SELECT count(*)
  FROM group_members
 WHERE user_id = $1;

-- insert_member --
-- No row comes back for one who is a member already.
INSERT INTO group_members (group_id, user_id, source, created_at)
VALUES ($1, $2, $3, chatd_now())
    ON CONFLICT (group_id, user_id) DO NOTHING
RETURNING user_id;

-- delete_member --
DELETE FROM group_members
 WHERE group_id = $1 AND user_id = $2
RETURNING user_id;

-- have_services_speak_for_no_group --
-- Those that speak for people of a group which is about to go.
UPDATE services
   SET acts_for = 'nobody', group_id = NULL
 WHERE group_id = $1;

-- count_groups --
SELECT count(*)
  FROM groups;
