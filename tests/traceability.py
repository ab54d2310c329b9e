"""Which test proves which behaviour of the specifications.

A test says `@proves("state-machine", 14)`, one of the web page `// proves web-ui 14` in the line before it.
`tools/generate.py` draws docs/traceability from these marks, and a house test fails when a behaviour has
neither a test nor a reason.
"""

from collections.abc import Callable, Mapping
from typing import TypeVar

Test = TypeVar("Test", bound=Callable[..., object])

# How many behaviours each specification asks for.
BEHAVIOURS: Mapping[str, int] = {
    "worker": 57,
    "state-machine": 66,
    "streaming": 48,
    "model-layer": 160,
    "errors": 40,
    "config-cache": 32,
    "loop": 53,
    "api": 84,
    "tools": 83,
    "workspaces": 61,
    "mcp-skills-hooks": 72,
    "subagents": 62,
    "advisor": 40,
    "people": 84,
    "web-ui": 69,
}

# What the design replaces by something else, with its name: a test, a file or a decision.
SUPERSEDED: Mapping[tuple[str, int], str] = {
    ("api", 8): (
        "There is no `client_type`; an unknown field is refused, "
        "test_an_unknown_field_is_named_with_a_suggestion, and so is a mode that does not exist, "
        "test_another_mode_is_refused."
    ),
    ("workspaces", 45): (
        "There is no terminal and no desktop. Files, diffs and checkpoints of a workspace are the owner's, "
        "whoever reads or writes in the chat: test_every_route_answers_as_the_table_says."
    ),
    ("workspaces", 37): (
        "No repository is watched. What a chat has changed is told by the checkpoints of its steps, whether "
        "there is a repository or not: test_the_diff_of_a_turn_and_of_everything_since."
    ),
    ("workspaces", 38): (
        "As 37: a diff until now has what others have changed, a child too, "
        "test_the_diff_until_now_has_what_later_turns_and_people_have_changed."
    ),
    ("workspaces", 39): "As 37: test_a_long_diff_is_left_out_and_can_be_had_file_by_file.",
    ("workspaces", 40): (
        "As 37: nothing is scanned by itself. A diff is made when it is asked for, "
        "test_the_diff_of_a_turn_and_of_everything_since."
    ),
    ("workspaces", 41): (
        "As 37: no repository is told of, so that none is taken back, "
        "test_the_diff_of_a_turn_and_of_everything_since."
    ),
    ("mcp-skills-hooks", 28): (
        "A picture beside text is shown with it, and so is a picture alone: "
        "test_a_picture_is_shown_alone_and_beside_text in `tests/mcp/wire/test_transports.py`."
    ),
    ("workspaces", 1): (
        "A chat without a workspace, a child too, is offered no tools for one and told nothing of it: "
        "test_without_a_workspace_it_has_neither_tools_nor_words_about_one."
    ),
    ("state-machine", 9): (
        "The model is not asked once more: the call gets its error result and the message is heard "
        "at once, test_a_message_may_interrupt_a_chat_that_waits_for_a_client. Decision 0024."
    ),
    ("state-machine", 32): (
        "Finishing an interruption answers every open call itself and cannot be refused: "
        "test_finishing_an_interruption_answers_every_open_call_itself."
    ),
    ("state-machine", 38): (
        "The model is not asked once more: the turn ends and the queue goes on, "
        "test_stopping_a_chat_that_waits_lets_its_queue_go_on. Decision 0024."
    ),
    ("state-machine", 54): (
        "There are no triggers. Revisions and versions are given out by one module, and only one "
        "door writes: tests/house/test_one_door.py."
    ),
    ("advisor", 9): (
        "Two questions can never be under way at once: the tool is exclusive, so that both are refused, and "
        "one server drives a chat. test_two_questions_in_one_reply_are_both_refused_and_cost_no_use."
    ),
    ("advisor", 15): (
        "The turn does not fail: the agent is told, and goes on without advice, "
        "test_a_model_that_cannot_be_found_is_an_error_and_the_turn_goes_on. Decision 0040."
    ),
    ("advisor", 24): (
        "A result itself tells the name of its tool, so that only the input is missing: "
        "test_a_result_whose_call_is_not_shown_keeps_its_name_and_lacks_the_input."
    ),
    ("tools", 81): (
        "The user's words stand before those of the workspace, since chats of a user begin alike in all of "
        "their workspaces; the words on planning stand behind both: "
        "test_what_is_told_of_planning_stands_behind_what_is_the_same_in_other_chats. Decision 0041."
    ),
    ("tools", 80): (
        "Nothing of the prompt is stored with a chat: what an administrator changes counts from the "
        "next turn of every chat: "
        "test_what_an_administrator_changes_counts_from_the_next_turn_of_every_chat. "
        "Decision 0041."
    ),
    ("worker", 8): (
        "Waiting for capacity is a line in memory, not the order of a query, so a message does not "
        "cost a chat its place: "
        "test_a_slot_that_is_given_back_goes_to_the_user_who_holds_the_fewest."
    ),
    ("worker", 10): (
        "Capacity is a slot that a chat waits for, not a refusal, so nothing is attempted twice: "
        "test_with_one_slot_each_user_gets_a_turn."
    ),
    ("worker", 11): (
        "As 10: no chat is refused, so none can be left behind with a moved version. "
        "test_with_one_slot_each_user_gets_a_turn."
    ),
    ("worker", 14): (
        "Slots are counted in the process that works, so a takeover cannot count twice: "
        "test_a_chat_whose_worker_died_is_taken_over_after_its_lease."
    ),
    ("worker", 15): (
        "Slots are counted in the memory of the process that works, so they end with it; its chats "
        "are taken over: test_a_chat_whose_worker_died_is_taken_over_after_its_lease. There is no "
        "unlock: how many there are is a setting."
    ),
    ("worker", 22): (
        "A duty waits until the one before it has ended. One that never does loses its lease, "
        "whatever the history: "
        "test_a_duty_that_does_not_heed_its_cancellation_is_left_behind_and_its_chat_given_up."
    ),
    ("worker", 26): (
        "A query that is cancelled with its duty is not classified: the duty is begun anew and "
        "looks again. test_a_duty_that_hangs_is_begun_anew."
    ),
    ("worker", 37): "Giving back is fenced by the lease: test_a_worker_whose_chat_moved_on_cannot_write.",
    ("worker", 47): (
        "No chat ends because a summary made no room: "
        "test_a_threshold_below_what_every_prompt_begins_with_kills_no_chat. Decision 0037."
    ),
    ("worker", 41): (
        "The count is a column, and a pending pause is waited out, not begun anew: "
        "test_a_restart_does_not_begin_the_waiting_anew, and for every kind of restart "
        "test_no_promise_is_broken_whatever_goes_wrong."
    ),
    ("streaming", 1): (
        "Opening an episode twice gives the same episode, and one that was closed stays closed: "
        "test_the_first_to_close_an_episode_wins."
    ),
    ("streaming", 3): (
        "Speaking never fails, and an unknown episode has said nothing: "
        "test_an_unknown_episode_has_said_nothing."
    ),
    ("streaming", 13): (
        "Nothing is handed to viewers, so no viewer can be late in taking it. A connection that does "
        "not take what is sent is reset: "
        "test_a_viewer_who_takes_nothing_is_disconnected_and_nothing_is_kept_for_them."
    ),
    ("streaming", 15): (
        "There is no buffer to shut down. Streams end through their bells: "
        "test_streams_end_when_the_server_does."
    ),
    ("streaming", 17): (
        "A newer snapshot with the same versions may be a new title, so it is read: "
        "test_a_hint_is_followed_exactly_when_its_snapshot_is_newer."
    ),
    ("streaming", 19): (
        "There is no after_id. A cursor says exactly what is known: test_any_cursor_continues_exactly."
    ),
    ("streaming", 20): "As 19: test_any_cursor_continues_exactly.",
    ("streaming", 21): (
        "An edit is told as tombstones, and nothing is sent again: test_an_edit_is_told_as_tombstones."
    ),
    ("streaming", 27): (
        "A preview is reset when it is over: when the history moves, or when a newer attempt "
        "speaks. test_what_a_broken_off_attempt_said_stays_until_the_next_one_speaks."
    ),
    ("streaming", 28): (
        "A hole ends nothing: it is not jumped over, and the viewer asks again from where they "
        "are. test_only_what_comes_next_is_heard."
    ),
    ("streaming", 40): "There is no session that could drop; as 43 and test_any_cursor_continues_exactly.",
    ("streaming", 46): (
        "There is no history_reset; that parts of an abandoned episode never follow an edit is "
        "proven by test_an_edit_is_told_as_tombstones."
    ),
    ("streaming", 47): (
        "A takeover is a new attempt, as 27: "
        "test_what_a_broken_off_attempt_said_stays_until_the_next_one_speaks."
    ),
    ("errors", 15): (
        "We speak HTTP/1.1 to providers, so there is no typed error of an HTTP/2 stream. The texts "
        "in which gateways pass such errors on are classified: "
        "test_a_connection_that_broke_behind_a_gateway_is_tried_again and "
        "test_a_connection_that_would_break_again_is_not_tried_again."
    ),
    ("errors", 17): (
        "As 15. A status in the text beats the reset: test_the_number_of_a_stream_is_no_status."
    ),
    ("errors", 31): (
        "A provider is never guessed from a text: we know whom we called. "
        "test_an_error_gets_the_name_of_its_provider_and_keeps_the_rest."
    ),
    ("model-layer", 14): (
        "What was said stays in the order in which it was said, and a call whose arguments are not "
        "whole is no call: tests/agent/generation/test_salvage.py. Whole ones are answered when the "
        "interruption is finished."
    ),
    ("model-layer", 52): (
        "One policy decides where a prompt may be cached, and no caller marks single parts: "
        "test_the_cache_is_marked_where_the_next_request_will_begin_the_same."
    ),
    ("loop", 4): (
        "A block needs no opening: its first delta opens it, so that what is shown and what is "
        "kept are one. test_blocks_stand_in_the_order_in_which_they_were_completed."
    ),
    ("loop", 8): (
        "The timer fails the reader itself; nothing that comes later is looked at: "
        "test_a_stream_that_stalls_is_given_up_after_the_silence."
    ),
    ("loop", 12): (
        "A cancellation is asyncio's own and never an error of a provider: "
        "test_a_stop_ends_a_call_and_is_no_failure."
    ),
    ("loop", 16): (
        "They overlap, and each has its own completion time. A result is published as soon as it is "
        "known, as 1.2 of the tools specification has it, and only the history keeps the order of the "
        "calls: test_a_result_is_shown_as_soon_as_it_is_known_with_its_own_time."
    ),
    ("loop", 25): (
        "Our tools as specified: test_arguments_that_do_not_fit_run_nothing_and_can_be_corrected. "
        "A client's tool is not given a key twice either, since which of the two counts is not for "
        "us to say: test_arguments_that_no_one_can_read_are_answered_and_never_reach_the_client."
    ),
    ("loop", 11): (
        "Errors and metrics both name the provider as it is configured, so that one leads to the other: "
        "test_errors_and_numbers_name_the_provider_as_it_is_configured."
    ),
    ("loop", 47): (
        "A picture that is too large is no reason to fail a turn: the model is told of it, "
        "test_a_picture_over_the_limit_becomes_a_notice_that_names_it. Pasted text and files that are gone "
        "as specified: test_pasted_text_is_what_the_user_said_up_to_a_bound, "
        "test_files_that_are_gone_empty_or_the_models_own_are_not_sent."
    ),
    ("subagents", 52): (
        "A family is archived as a whole, so that a chat whose agents are archived calls no tool: "
        "test_a_family_is_archived_and_taken_back_as_a_whole, "
        "test_a_child_is_neither_archived_nor_deleted_by_itself."
    ),
    ("subagents", 61): (
        "There is no number of roots. A parent that waits holds no slot, so that its children have it: "
        "test_parents_that_wait_for_a_hundred_children_do_not_starve_them."
    ),
    ("loop", 30): (
        "There is an error part, and no error of the chat: it goes on with a summary that no model has "
        "made, test_what_no_model_could_summarize_is_summed_up_without_one; or with its history, where "
        "there is room, test_a_summary_that_was_asked_for_and_cannot_be_made_gives_nothing_up. "
        "Decision 0037."
    ),
    ("loop", 42): (
        "The file part follows its result, in the tool's own message, because the assistant's is "
        "committed before its tools run: test_an_attached_file_follows_its_result_live_and_stored. A "
        "file that cannot be attached makes its call fail: "
        "test_a_file_without_a_name_or_without_content_is_refused_and_can_be_corrected. Decision 0034."
    ),
    ("api", 4): "Only types that may be input can be uploaded: test_what_is_not_what_it_says_is_refused.",
    ("api", 22): (
        "`pin_order` is a number that the caller chooses, and others keep theirs: "
        "test_pinned_chats_come_first_in_their_order."
    ),
    ("api", 46): (
        "A chat takes any part of what it waits for: test_any_part_of_it_may_be_answered. A "
        "duplicate or an unknown id is refused as specified: test_a_bad_answer_changes_nothing."
    ),
    ("api", 49): (
        "SVG and HTML are text, and are kept and served as plain text, which no browser runs: "
        "test_a_file_is_kept_as_what_it_is. Bytes of another type than they say are refused as "
        "specified: test_what_is_not_what_it_says_is_refused."
    ),
    ("api", 57): (
        "There is no query language: `q` is text, and everything else a parameter of its own. "
        "test_unknown_parameters_are_all_named."
    ),
    ("api", 59): (
        "There are no phrases: `q` finds words that are all in one message, "
        "test_words_of_different_messages_are_not_found_together. What only the model sees is not "
        "found, as specified: test_only_what_people_see_is_found."
    ),
    ("api", 60): "`q` and `title` may both be given, and both count: test_other_filters_count_as_well.",
    ("workspaces", 61): (
        "The server starts, and the workspace is off while there are several users, unless it is shared: "
        "test_not_when_there_is_a_second_user_unless_it_is_for_all."
    ),
    ("tools", 31): (
        "A page says where the next one begins, so that no call is lost to an error: "
        "test_a_long_file_is_read_page_by_page_whatever_limit_is_asked_for, "
        "test_of_long_lines_as_many_are_shown_as_fit_and_none_is_missed."
    ),
    ("tools", 33): (
        "A relative path starts at the root of the workspace, and is what models are told to use: "
        "test_a_path_is_relative_to_the_root_or_absolute_inside_of_it. The others give their errors: "
        "test_what_cannot_be_read_says_why_and_what_to_do."
    ),
    ("tools", 34): (
        "Files of any size are read in parts: test_the_end_of_a_file_of_2_gib_is_read_without_the_rest."
    ),
    ("tools", 47): (
        "There is no home beside the workspace. In plan mode every path but that of the plan is refused, and "
        "the error names it: test_in_plan_mode_no_other_file_than_the_plan_is_written_whatever_the_rules_say."
    ),
    ("tools", 51): (
        "The turn does not end: the chat waits for a word on the plan, which is kept as a version: "
        "test_a_plan_waits_over_a_kill_is_changed_accepted_and_then_carried_out. Decision 0038."
    ),
    ("tools", 53): (
        "The turn does not end: the chat waits, over restarts, and the answers are the result of the call: "
        "test_questions_wait_over_a_kill_beside_calls_that_run_and_the_turn_goes_on_with_the_answers. "
        "Decision 0038."
    ),
    ("worker", 7): (
        "Candidates are taken by age; a parent that waits holds no slot, so children need no pool of slots: "
        "test_parents_that_wait_for_a_hundred_children_do_not_starve_them. Decision 0039."
    ),
    ("api", 13): (
        "First below pinned ones: test_pinned_chats_come_first_in_their_order. "
        "Children are listed with their parent, in a request of its own, and not in the list: "
        "test_children_are_listed_with_their_parent_and_nowhere_else."
    ),
    ("subagents", 28): (
        "What a chat that explores may use of MCP servers does not depend on its parent: the tools that are "
        "let into plan mode, test_a_child_that_explores_has_what_changes_nothing."
    ),
    ("web-ui", 10): (
        "There is one box, `Only unread`, so that no choice of boxes shows nothing: "
        "web/src/chats/chats.test.ts."
    ),
    ("web-ui", 17): (
        "Nothing has to be loaded before a message is sent: a chat for which nothing was chosen has what is "
        "on by default, test_a_chat_that_says_nothing_has_what_is_on_by_default. A choice: "
        "test_servers_are_chosen_for_a_new_chat_and_changed_later."
    ),
    ("web-ui", 50): (
        "There is no message of a popup to be believed: the other page shows a code, and who has begun the "
        "sign-in finishes it with that. web/src/settings/mcp/SignIn.test.tsx, "
        "test_the_code_of_one_user_is_of_no_use_to_another."
    ),
    ("web-ui", 55): (
        "What is shown is what the chat has changed, not what git has not committed yet. Turns stay listed "
        "when nothing of them is left: test_files_are_brought_back_as_they_were_and_that_is_taken_back."
    ),
    ("web-ui", 31): (
        "A plan waits for a word where it is proposed, and is accepted, sent back or declined there: "
        "test_a_plan_is_proposed_changed_and_accepted_by_keyboard. Decision 0038."
    ),
    ("subagents", 29): (
        "A change of the servers of a chat that explores is taken, and gives it no tool that changes "
        "something: as 28, test_a_child_that_explores_has_what_changes_nothing."
    ),
}

# What is to come, with the part of chatd that it comes with, and what no test proves yet.

# Of people.md, by the sections that are not there yet.
_PEOPLE_LATER: Mapping[str, tuple[int, ...]] = {
    "budgets": tuple(range(35, 53)),
    "policy": tuple(range(53, 58)),
    "webhooks, policy hooks and notices": tuple(range(64, 75)),
    "retention, export and erasure": (75, 76, 78, 80, 81),
}

NOT_YET: Mapping[tuple[str, int], str] = {
    **{
        ("people", number): f"Comes with {section}."
        for section, numbers in _PEOPLE_LATER.items()
        for number in numbers
    },
    ("worker", 52): "Comes with the chores (auto-archive).",
    ("worker", 55): "Comes with hooks.",
    ("worker", 56): "Comes with hooks.",
    ("worker", 57): "Comes with hooks.",
    ("model-layer", 54): "There are no computer tools yet.",
    ("loop", 21): "Comes with hooks.",
    ("loop", 44): "Comes with hooks.",
    ("loop", 45): "Comes with hooks.",
    ("api", 12): "There is no switch for the agents.",
    ("api", 24): "Comes with workspaces made from templates: chats are not listed by their directory.",
    ("api", 40): "Comes with hooks.",
    ("api", 53): "There are no signed links.",
    ("api", 58): "Comes with pull requests of workspaces.",
    ("api", 61): "Comes with pull requests of workspaces.",
    ("api", 69): "Comes with model overrides.",
    ("api", 72): "Comes with workspaces and with retention that administrators set.",
    ("api", 82): "Comes with the chores (auto-archive).",
    ("api", 83): (
        "Comes with retention of archived chats; files without a chat go already: "
        "tests/storage/tables/test_unused_files.py."
    ),
    ("tools", 54): "Comes with workspaces made from templates.",
    ("tools", 55): "Comes with workspaces made from templates.",
    ("tools", 56): "Comes with workspaces made from templates.",
    ("tools", 57): "Comes with workspaces made from templates.",
    ("tools", 58): "Comes with workspaces made from templates.",
    ("tools", 59): "Comes with workspaces made from templates.",
    ("tools", 60): "Comes with workspaces made from templates.",
    ("tools", 61): "Comes with workspaces made from templates.",
    ("tools", 62): "Comes with workspaces made from templates.",
    ("tools", 63): "Comes with workspaces made from templates.",
    ("tools", 64): "Comes with workspaces made from templates.",
    ("tools", 65): "Comes with workspaces made from templates.",
    ("tools", 66): "Comes with workspaces made from templates.",
    ("tools", 75): "There are no computer tools yet.",
    ("tools", 76): "There are no computer tools yet.",
    ("tools", 77): "There are no computer tools yet.",
    ("workspaces", 2): "Comes with workspaces on other machines.",
    ("workspaces", 3): "Comes with workspaces on other machines.",
    ("workspaces", 4): "Comes with workspaces on other machines.",
    ("workspaces", 5): "Comes with workspaces on other machines.",
    ("workspaces", 6): "Comes with workspaces on other machines.",
    ("workspaces", 7): "Comes with workspaces on other machines.",
    ("workspaces", 8): "Comes with workspaces on other machines.",
    ("workspaces", 9): "Comes with workspaces on other machines.",
    ("workspaces", 10): "Comes with workspaces on other machines.",
    ("workspaces", 32): "Comes with workspaces made from templates: a directory has no start-up scripts.",
    ("workspaces", 42): "Comes with pull requests of workspaces.",
    ("workspaces", 43): "Comes with pull requests of workspaces.",
    ("workspaces", 44): "Comes with pull requests of workspaces.",
    ("workspaces", 46): "Comes with workspaces made from templates.",
    ("workspaces", 47): "Comes with workspaces made from templates.",
    ("workspaces", 48): "Comes with workspaces made from templates.",
    ("workspaces", 49): "Comes with workspaces made from templates.",
    ("workspaces", 50): "Comes with workspaces on other machines.",
    ("workspaces", 52): "Comes with workspaces on other machines.",
    ("workspaces", 53): "Comes with workspaces on other machines.",
    ("workspaces", 54): "Comes with workspaces on other machines.",
    ("workspaces", 55): "Comes with workspaces made from templates.",
    ("workspaces", 56): "Comes with workspaces made from templates.",
    ("workspaces", 57): "Comes with workspaces made from templates.",
    ("workspaces", 58): "Comes with workspaces made from templates.",
    ("workspaces", 60): "Comes with workspaces on other machines.",
    ("mcp-skills-hooks", 54): "Comes with hooks.",
    ("mcp-skills-hooks", 55): "Comes with hooks.",
    ("mcp-skills-hooks", 56): "Comes with hooks.",
    ("mcp-skills-hooks", 57): "Comes with hooks.",
    ("mcp-skills-hooks", 58): "Comes with hooks.",
    ("mcp-skills-hooks", 59): "Comes with hooks.",
    ("mcp-skills-hooks", 60): "Comes with hooks.",
    ("mcp-skills-hooks", 61): "Comes with hooks.",
    ("mcp-skills-hooks", 62): "Comes with hooks.",
    ("mcp-skills-hooks", 63): "Comes with hooks.",
    ("mcp-skills-hooks", 64): "Comes with hooks.",
    ("mcp-skills-hooks", 65): "Comes with hooks.",
    ("mcp-skills-hooks", 66): "Comes with hooks.",
    ("mcp-skills-hooks", 67): "Comes with hooks.",
    ("mcp-skills-hooks", 68): "Comes with hooks.",
    ("mcp-skills-hooks", 69): "Comes with hooks.",
    ("mcp-skills-hooks", 70): "Comes with hooks.",
    ("mcp-skills-hooks", 71): "Comes with hooks.",
    ("mcp-skills-hooks", 72): "Comes with hooks.",
    ("subagents", 34): "Comes with hooks.",
    ("subagents", 35): "Comes with hooks.",
    ("subagents", 36): "Comes with hooks.",
    ("web-ui", 8): (
        "A chat is deleted after a question, its workspace never: that directory outlives its chats. "
        "Comes with workspaces made from templates."
    ),
    ("web-ui", 12): (
        "The search takes words, in web/src/app/CommandPalette.test.tsx, and the list has its filters beside "
        "it. There are no pull requests to ask for: a pill for them comes with those of workspaces."
    ),
    ("web-ui", 21): (
        "What the server says against a new chat is shown, and what was written stays: "
        "web/src/chat/new/NewChatPage.test.tsx. There is no policy yet that could say it. Comes with hooks."
    ),
    ("web-ui", 35): (
        "What a tool says is in its card while it runs: test_the_output_of_a_tool_is_seen_while_it_runs. "
        "There is no build to show, as no tool makes a workspace. Comes with workspaces made from templates."
    ),
}

# What speaks of something that chatd does not have and is not to have.
NOT_HERE: Mapping[tuple[str, int], str] = {
    ("state-machine", 59): (
        "A retry payload is a typed value; there is no way to spell an empty or malformed one."
    ),
    ("worker", 42): (
        "There is no phase of preparation that could fail on its own; the duty as a whole is retried."
    ),
    ("streaming", 26): "Failures and retries are typed values; there is no way to spell a malformed one.",
    ("streaming", 33): "There is no relay: a viewer follows the chat, not an episode. As 43.",
    ("streaming", 34): "As 33, and 10.",
    ("streaming", 36): "There is one way to the parts: the shared board.",
    ("streaming", 37): "There is no dialing.",
    ("streaming", 38): "There is no dialing.",
    ("streaming", 39): "There is no dialing.",
    ("streaming", 41): "No credentials are forwarded: nothing is fetched from another replica.",
    ("model-layer", 143): "As 15 of the errors: HTTP/1.1 has no streams that could be reset.",
    ("model-layer", 154): "We speak HTTP/1.1: aiohttp, which was measured to cost least, has no HTTP/2.",
    ("loop", 9): "Timer and reader take turns on one event loop: there is nothing to race.",
    ("subagents", 32): "No agent can make a workspace, with or without a parent.",
    ("subagents", 7): "There is no agent that uses a desktop; nothing of it is planned.",
    ("subagents", 8): "As 7: there is no agent that uses a desktop.",
    ("subagents", 9): "As 7: there is no agent that uses a desktop.",
    ("subagents", 10): "As 7: there is no agent that uses a desktop.",
    ("subagents", 26): "As 7: there is no agent that uses a desktop.",
    ("subagents", 54): "As 7: there is no agent that uses a desktop.",
    ("subagents", 55): "As 7: there is no agent that uses a desktop.",
    ("subagents", 56): "As 7: there is no agent that uses a desktop.",
    ("api", 1): "There are no organizations, which the design leaves out.",
    ("api", 2): "As 1: there are no organizations.",
    ("mcp-skills-hooks", 9): "There are no organizations with administrators of their own.",
    ("web-ui", 16): "There are no organizations, which the design leaves out.",
    ("web-ui", 58): "There is no agent that uses a desktop; nothing of it is planned.",
}


def proves(specification: str, *numbers: int) -> Callable[[Test], Test]:
    """Mark a test as the proof of these behaviours. Does nothing when the test runs."""
    assert all(1 <= number <= BEHAVIOURS[specification] for number in numbers)
    return lambda test: test
