import { Paperclip } from "lucide-react";

import { fieldsOf, textOf } from "@/lib/json";

import { Frame } from "../frame/Frame";
import type { ToolCardProps } from "../index";

/** The file itself is a part of the message that follows: this says where it came from. */
export function AttachCard({ call }: ToolCardProps) {
  const args = fieldsOf(call.args);
  const name = textOf(fieldsOf(call.result?.result).name);
  return (
    <Frame
      call={call}
      icon={Paperclip}
      verbs={["Attaching", "Attached", "Could not attach"]}
      target={name || textOf(args.name) || textOf(args.path)}
      mono
    />
  );
}
