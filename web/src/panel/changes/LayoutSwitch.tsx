import { Columns2, Rows2 } from "lucide-react";
import { IconButton } from "@/ui/IconButton";

export type Layout = "unified" | "split";

export function LayoutSwitch({ value, onChange }: { value: Layout; onChange: (layout: Layout) => void }) {
  return (
    <div className="flex gap-0.5">
      <IconButton
        icon={Rows2}
        label="In one column"
        aria-pressed={value === "unified"}
        onClick={() => onChange("unified")}
      />
      <IconButton
        icon={Columns2}
        label="Before and after side by side"
        aria-pressed={value === "split"}
        onClick={() => onChange("split")}
      />
    </div>
  );
}
