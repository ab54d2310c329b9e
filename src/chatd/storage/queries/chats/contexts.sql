-- resource_columns (fragment) --
r.kind, r.source, r.status, r.size_bytes, r.error, r.skill_name, r.skill_description

-- delete_context --
DELETE FROM context_resources
 WHERE chat_id = $1;

-- insert_context_resource --
INSERT INTO context_resources (
    chat_id, ordinal, kind, source, status, size_bytes, error, skill_name, skill_description, body)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);

-- read_context --
-- Without the texts.
SELECT {resource_columns}, ''
  FROM context_resources r
 WHERE r.chat_id = $1
 ORDER BY r.ordinal;

-- read_context_for_prompt --
-- With the texts of instruction files: those of skills are read one by one, when a model asks for them.
SELECT {resource_columns}, CASE WHEN r.kind = 'instruction_file' THEN r.body ELSE '' END
  FROM context_resources r
 WHERE r.chat_id = $1 AND r.status = 'ok' AND r.kind IN ('instruction_file', 'skill')
 ORDER BY r.ordinal;

-- read_skill_body --
SELECT r.body
  FROM context_resources r
 WHERE r.chat_id = $1 AND r.kind = 'skill' AND r.status = 'ok' AND r.source = $2;
