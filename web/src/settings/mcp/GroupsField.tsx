import type { ComponentProps } from "react";
import { TextArea } from "@/ui/Field";

type GroupsFieldProps = Omit<ComponentProps<typeof TextArea>, "label" | "help" | "rows">;

/** Which groups a server is given to. */
export function GroupsField(props: GroupsFieldProps) {
  return (
    <TextArea
      label="Only for groups (optional)"
      help="The name of a group on each line. Without any it is for all users."
      rows={2}
      {...props}
    />
  );
}
