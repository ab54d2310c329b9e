import { Trash2 } from "lucide-react";
import { useDeleteModel, useDeleteProvider } from "@/api/catalog/providers";
import { sentence } from "@/api/errors";
import { IconButton } from "@/ui/IconButton";
import { toast } from "@/ui/overlay/Toast";
import { Mark, Row } from "../Rows";

interface UnreadableRowsProps {
  kind: "model" | "provider";
  unreadable: readonly { id: string; name: string; reason: string }[];
}

/** Stored by another version of the server: they can only be deleted here. */
export function UnreadableRows({ kind, unreadable }: UnreadableRowsProps) {
  const deleteModel = useDeleteModel();
  const deleteProvider = useDeleteProvider();
  const remove = kind === "model" ? deleteModel : deleteProvider;
  return unreadable.map((each) => (
    <Row
      key={each.id}
      title={each.name}
      marks={<Mark look="bad">Unreadable</Mark>}
      note={`This version of the server cannot read it: ${each.reason}`}
      actions={
        <IconButton
          icon={Trash2}
          label={`Delete ${each.name}`}
          onClick={() =>
            remove.mutate(each.id, { onError: (error) => toast({ text: sentence(error), bad: true }) })
          }
        />
      }
    />
  ));
}
