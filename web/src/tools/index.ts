import type { ComponentType } from "react";
import type { ShownCall } from "@/live/rows/call";
import { AdvisorCard } from "./AdvisorCard";
import {
  InterruptAgentCard,
  ListAgentsCard,
  ListModelsCard,
  MergeAgentCard,
  MessageAgentCard,
  SpawnCard,
} from "./agents/AgentCards";
import { WaitCard } from "./agents/WaitCard";
import { PlanCard } from "./asking/PlanCard";
import { QuestionCard } from "./asking/QuestionCard";
import { DefaultCard } from "./DefaultCard";
import { AttachCard } from "./files/AttachCard";
import { EditCard, WriteCard } from "./files/ChangeCards";
import { ReadCard } from "./files/ReadCard";
import { FindCard, SearchCard } from "./files/SearchCards";
import { McpCard } from "./McpCard";
import { ExecuteCard } from "./processes/ExecuteCard";
import {
  ProcessInputCard,
  ProcessListCard,
  ProcessOutputCard,
  ProcessSignalCard,
} from "./processes/ProcessCards";
import { SummaryCard } from "./SummaryCard";
import { FindToolsCard, SkillCard, SkillFileCard } from "./skills/SkillCards";
import { FetchCard, WebSearchCard } from "./web/WebCards";

export interface ToolCardProps {
  chatId: string;
  call: ShownCall;
}

export type ToolCard = ComponentType<ToolCardProps>;

/** Tools that deserve a card of their own. */
export const CARDS: Readonly<Record<string, ToolCard>> = {
  advisor: AdvisorCard,
  ask_user_question: QuestionCard,
  attach_file: AttachCard,
  chat_summarized: SummaryCard,
  close_agent: InterruptAgentCard,
  edit_files: EditCard,
  execute: ExecuteCard,
  fetch_url: FetchCard,
  find_files: FindCard,
  find_tools: FindToolsCard,
  interrupt_agent: InterruptAgentCard,
  list_agents: ListAgentsCard,
  list_subagent_models: ListModelsCard,
  merge_agent: MergeAgentCard,
  message_agent: MessageAgentCard,
  process_input: ProcessInputCard,
  process_list: ProcessListCard,
  process_output: ProcessOutputCard,
  process_signal: ProcessSignalCard,
  propose_plan: PlanCard,
  read_file: ReadCard,
  read_skill: SkillCard,
  read_skill_file: SkillFileCard,
  search_files: SearchCard,
  spawn_agent: SpawnCard,
  wait_agent: WaitCard,
  web_search: WebSearchCard,
  write_file: WriteCard,
};

/** Names are a model's: one such as `constructor` is none of ours. */
export const cardFor = (tool: string): ToolCard =>
  Object.hasOwn(CARDS, tool) ? (CARDS[tool] ?? DefaultCard) : tool.includes("__") ? McpCard : DefaultCard;
