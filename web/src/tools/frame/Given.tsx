import { readable } from "@/lib/json";
import type { ShownCall } from "@/live/rows/call";

import { Output } from "./Output";

/** What a call was given, as JSON; while it is being said, as far as it was. */
export function Given({ call }: { call: ShownCall }) {
  const text = call.part === null && call.argsText ? call.argsText : readable(call.args);
  if (text === "" || text === "{}" || text === "null") return null;
  return <Output text={text} label={`Arguments of ${call.name}`} live={call.progress === "saying"} />;
}
