import { CircleAlert, Hand, MessageSquare } from "lucide-react";
import type { Status } from "@/api/types";
import { Spinner } from "@/ui/Spinner";

const LOOKS: Record<Status, { says: string; icon: React.ReactNode }> = {
  waiting: {
    says: "",
    icon: <MessageSquare aria-hidden size={15} strokeWidth={1.75} className="text-muted" />,
  },
  running: { says: "Working", icon: <Spinner className="text-accent" /> },
  interrupting: { says: "Stopping", icon: <Spinner className="text-warn" /> },
  requires_action: { says: "Needs you", icon: <Hand aria-hidden size={15} className="text-warn" /> },
  error: { says: "Failed", icon: <CircleAlert aria-hidden size={15} className="text-bad" /> },
};

export function StatusIcon({ status }: { status: Status }) {
  const { says, icon } = LOOKS[status];
  return (
    <span className="flex size-4 shrink-0 items-center justify-center">
      {icon}
      {says && <span className="sr-only">{says}</span>}
    </span>
  );
}
