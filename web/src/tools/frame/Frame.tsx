/** What every card has: an icon, what was done to what, how it went, and more of it on request. */

import { ChevronRight, CircleAlert, type LucideIcon } from "lucide-react";
import { type ReactNode, useId } from "react";
import { classes } from "@/lib/classes";
import { visible } from "@/lib/text/visible";
import type { ShownCall } from "@/live/rows/call";
import { Group } from "@/ui/Group";
import { Spinner } from "@/ui/Spinner";

import { Approval } from "./Approval";
import { Badges } from "./Badges";
import { Elapsed } from "./Elapsed";
import { FailureText } from "./FailureText";
import { foldModeOfTools, useFold } from "./folds";
import { type CallState, failureOf, stateOf, type Verbs, verbOf } from "./state";

// More has no room on a line in any case.
const LINE_CHARACTERS_MAX = 500;
const onLine = (text: string) => visible(text.slice(0, LINE_CHARACTERS_MAX));

export interface FrameProps {
  call: ShownCall;
  icon: LucideIcon;
  verbs: Verbs;
  /** In place of the one that follows from the state. */
  verb?: string;
  /** A path, a command, a question: on one line, cut where there is no room. */
  target?: string;
  /** The target is code. */
  mono?: boolean;
  /** A few words at the end of the line, such as `+3 −1`. */
  meta?: ReactNode;
  /** Beside the line, such as a link. */
  aside?: ReactNode;
  /** What the tool says of itself differs from what the call says of it. */
  state?: CallState;
  /** Whether the rest is shown at first. What failed shows why in any case. */
  open?: boolean;
  children?: ReactNode;
}

export function Frame(props: FrameProps) {
  const { call, icon, aside, target = "", meta, open = false, children } = props;
  const state = props.state ?? stateOf(call);
  const id = useId();
  const [isOpen, setOpen] = useFold(`${call.messageId}:${call.id}`, foldModeOfTools(), open);
  const hasMore = children !== undefined && children !== null && children !== false;
  const line = (
    <Line
      {...props}
      target={onLine(target)}
      meta={typeof meta === "string" ? onLine(meta) : meta}
      state={state}
      icon={icon}
      hasMore={hasMore}
      isOpen={isOpen}
    />
  );
  const look = classes(
    "flex min-h-8 min-w-0 flex-1 items-center gap-2 rounded-md px-1.5 text-left text-sm",
    // On a phone, what stands beside it goes below it.
    Boolean(aside) && "basis-64",
  );
  return (
    <Group label={call.name} className="my-0.5 min-w-0" data-state={state}>
      <div className="flex min-w-0 flex-wrap items-center gap-1">
        {hasMore ? (
          <button
            type="button"
            aria-expanded={isOpen}
            aria-controls={id}
            onClick={() => setOpen(!isOpen)}
            className={classes(look, "hover:bg-hover")}
          >
            {line}
          </button>
        ) : (
          <div className={look}>{line}</div>
        )}
        {aside}
      </div>
      {failureOf(call) && <FailureText text={failureOf(call)} isBad={state !== "stopped"} />}
      {hasMore && isOpen && (
        <div id={id} className="mt-1 mb-2 ml-1.5 min-w-0 border-l border-line pl-4">
          {children}
        </div>
      )}
      {call.waiting?.kind === "approval" && <Approval waiting={call.waiting} />}
    </Group>
  );
}

interface LineProps extends FrameProps {
  state: CallState;
  hasMore: boolean;
  isOpen: boolean;
}

function Line({
  call,
  icon: Icon,
  verbs,
  verb,
  target,
  mono = false,
  meta,
  state,
  hasMore,
  isOpen,
}: LineProps) {
  return (
    <>
      <StateIcon state={state} icon={Icon} />
      <span className="flex min-w-0 flex-1 items-baseline gap-1.5">
        <span className={classes("truncate", state === "running" ? "text-text" : "text-muted")}>
          {verb === undefined ? verbOf(state, verbs) : onLine(verb)}
        </span>
        {target && (
          <span
            dir="auto"
            // It gives way before the verb does.
            className={classes("shrink-999 truncate", mono && "font-mono text-[0.8125rem]")}
            title={target}
          >
            {target}
          </span>
        )}
      </span>
      <Badges call={call} state={state} />
      {meta && <span className="shrink-0 text-xs text-muted tabular-nums">{meta}</span>}
      <Elapsed call={call} state={state} />
      {hasMore && (
        <ChevronRight
          aria-hidden
          size={14}
          className={classes("shrink-0 text-muted transition-transform", isOpen && "rotate-90")}
        />
      )}
    </>
  );
}

function StateIcon({ state, icon: Icon }: { state: CallState; icon: LucideIcon }) {
  if (state === "running") return <Spinner className="text-accent" />;
  if (state === "failed") return <CircleAlert aria-hidden size={15} className="shrink-0 text-bad" />;
  return <Icon aria-hidden size={15} strokeWidth={1.75} className="shrink-0 text-muted" />;
}
