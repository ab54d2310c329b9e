-- skill_columns (fragment) --
s.name, s.description, s.created_at, s.updated_at

-- skills_of --
SELECT {skill_columns}
  FROM skills s
 WHERE s.owner_id = $1
 ORDER BY s.name;

-- skill_named --
SELECT {skill_columns}, s.content
  FROM skills s
 WHERE s.owner_id = $1 AND s.name = $2;

-- count_skills --
SELECT count(*)
  FROM skills
 WHERE owner_id = $1;

-- insert_skill --
-- No row comes back when the user has one of this name.
INSERT INTO skills (owner_id, name, description, created_at, updated_at, content)
VALUES ($1, $2, $3, chatd_now(), chatd_now(), $4)
    ON CONFLICT (owner_id, name) DO NOTHING
RETURNING name, description, created_at, updated_at, content;

-- update_skill --
-- No row comes back when the user has none of this name.
UPDATE skills
   SET description = $3, content = $4, updated_at = chatd_now()
 WHERE owner_id = $1 AND name = $2
RETURNING name, description, created_at, updated_at, content;

-- delete_skill --
DELETE FROM skills
 WHERE owner_id = $1 AND name = $2
RETURNING name;
