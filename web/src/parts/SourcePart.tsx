import type { PartProps } from "./index";
import { SourceLink } from "./SourceLink";

export function SourcePart({ part }: PartProps<"source">) {
  return <SourceLink url={part.url} title={part.title} />;
}
