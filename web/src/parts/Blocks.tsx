/** Everything that a message is made of, in its order. */
import { type ComponentType, memo } from "react";

import type { Role } from "@/api/types";
import type { Block } from "@/live/rows/rows";
import { ReadGroupCard } from "@/tools/files/ReadGroupCard";
import { cardFor } from "@/tools/index";

import { Boundary } from "@/ui/boundary/Boundary";

import { type Group, groupsOf } from "./groups";
import { PARTS, type PartProps } from "./index";
import { SourcesRow } from "./SourcesRow";

interface Props {
  blocks: readonly Block[];
  chatId: string;
  role: Role;
  /** It is still being said: its last block is not at its end. */
  live: boolean;
}

export function Blocks({ blocks, chatId, role, live }: Props) {
  const groups = groupsOf(blocks);
  return groups.map((group, index) => (
    <Boundary key={group.key} what="This part of the message">
      <ShowGroup group={group} chatId={chatId} role={role} live={live && index === groups.length - 1} />
    </Boundary>
  ));
}

type GroupProps = Omit<Props, "blocks"> & { group: Group };

function ShowGroup({ group, chatId, role, live }: GroupProps) {
  if (group.type === "reads") return <ReadGroupCard chatId={chatId} calls={group.calls} />;
  if (group.type === "sources") return <SourcesRow sources={group.sources} />;
  return <ShowBlock block={group.block} chatId={chatId} role={role} live={live} />;
}

const ShowBlock = memo(function ShowBlock({
  block,
  chatId,
  role,
  live,
}: Omit<Props, "blocks"> & { block: Block }) {
  if (block.type === "call") {
    const Card = cardFor(block.call.name);
    return <Card chatId={chatId} call={block.call} />;
  }
  // The table has a component for each kind, for parts of that kind.
  const Part = PARTS[block.part.type] as ComponentType<PartProps<typeof block.part.type>> | undefined;
  return Part === undefined ? null : <Part part={block.part} chatId={chatId} role={role} live={live} />;
});
