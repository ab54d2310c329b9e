import { AGENTS } from "./agents";
import { ASKING } from "./asking";
import { FILES } from "./files";
import { OTHERS } from "./others";
import { PARTS_STORIES } from "./parts";
import { PROCESSES } from "./processes";

/** Every state that a message can be seen in. */
export const CHAPTERS = [...PARTS_STORIES, ...FILES, ...PROCESSES, ...AGENTS, ...ASKING, ...OTHERS];
