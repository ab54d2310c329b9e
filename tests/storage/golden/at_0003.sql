-- A chat as it was stored at migration 0003: asked, half answered, with a message in the queue.
INSERT INTO users (id, name, role, created_at)
VALUES ('owner', 'owner', 'member', 1800000000000000);

INSERT INTO chats (id, owner_id, created_at, updated_at, status, archived, last_error, retry_state, deadline_at, compaction_requested_at, worker_id, runner_id, snapshot_version, history_version, queue_version, retry_version, attempt, projection, queued, open_calls, branch, branch_count, last_number, last_model, last_effort, finish_reason, parent_id, root_id, title, title_folded, labels, pin_order, client_tool_names, client_tools)
VALUES ('chat', 'owner', 1800000000000000, 1800000000000000, 'running', FALSE, NULL, NULL, NULL, NULL, NULL, NULL, 3, 2, 3, 0, 0, '{"last_role":"assistant","turn_start":1,"steps":1,"advisor_uses":0,"ending":false,"boundary":0,"messages_since_boundary":2,"replies_since_boundary":1,"first_prompt_tokens":0,"prompt_tokens":0,"context_limit":0,"estimated_tokens":32,"system_tokens":0}', 1, 1, 1, 1, 3, NULL, NULL, NULL, NULL, NULL, '', '', '{}', 0, '["open_tab"]', '[{"name":"open_tab","description":"","input_schema":null}]');

INSERT INTO messages (chat_id, id, role, content, content_version, visibility, compressed, deleted, revision, branch, model, effort, created_by, usage, runtime_ms, ends_turn, advisor_uses, tokens, created_at, internal)
VALUES ('chat', 1, 'user', '[{"type":"text","text":"hello"}]', 1, 'both', FALSE, FALSE, 1, 1, NULL, NULL, 'owner', NULL, NULL, FALSE, 0, 8, 1800000000000000, NULL);

INSERT INTO messages (chat_id, id, role, content, content_version, visibility, compressed, deleted, revision, branch, model, effort, created_by, usage, runtime_ms, ends_turn, advisor_uses, tokens, created_at, internal)
VALUES ('chat', 2, 'assistant', '[{"type":"text","text":"let me"},{"type":"tool-call","tool_call_id":"a","tool_name":"read_file"}]', 1, 'both', FALSE, FALSE, 2, 1, NULL, NULL, NULL, NULL, NULL, FALSE, 0, 24, 1800000000000000, NULL);

INSERT INTO queued_messages (chat_id, id, content, created_by, created_at, position, steered, model, effort)
VALUES ('chat', 3, '[{"type":"text","text":"later"}]', 'owner', 1800000000000000, 3, FALSE, NULL, NULL);

INSERT INTO calls (chat_id, message_id, id, ordinal, tool, kind, effect, state, args, created_at, result, decided_by, reason, runner_id, started_at, finished_at, answered_at)
VALUES ('chat', 2, 'a', 0, 'read_file', 'local', 'once', 'open', 'null', 1800000000000000, NULL, NULL, NULL, NULL, NULL, NULL, NULL);

