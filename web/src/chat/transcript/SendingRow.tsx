import { RotateCcw, X } from "lucide-react";
import type { Sending } from "@/live/outbox";
import { storeOf } from "@/live/store";
import { Button } from "@/ui/Button";
import { LongText } from "@/ui/long/LongText";
import { Spinner } from "@/ui/Spinner";
import { resend } from "../send";

/** A message that is on its way, or did not get there. Nothing that was typed is lost. */
export function SendingRow({ chatId, sending }: { chatId: string; sending: Sending }) {
  const text = sending.content.map((part) => ("text" in part ? part.text : "")).join("\n");
  const files = sending.content.filter((part) => part.type === "file").length;
  const remove = () => storeOf(chatId).setSending((all) => all.filter((each) => each.key !== sending.key));
  return (
    <div className="mx-auto w-full max-w-(--chat-width) px-4 py-2">
      <article aria-label="You, sending" className="flex flex-col items-end">
        <div className="max-w-[85%] rounded-2xl rounded-br-md bg-sunken px-4 py-2.5">
          <LongText text={text} />
          {files > 0 && <p className="text-xs text-muted">{files === 1 ? "1 file" : `${files} files`}</p>}
        </div>
        <div className="flex min-h-7 items-center gap-2 pt-0.5 text-xs text-muted">
          {sending.failed === null ? (
            <>
              <Spinner className="size-3" /> Sending
            </>
          ) : (
            <>
              <span role="alert" className="text-bad">
                Not sent. {sending.failed}
              </span>
              <Button size="small" look="quiet" onClick={() => void resend(chatId, sending)}>
                <RotateCcw aria-hidden size={13} /> Try again
              </Button>
              <Button size="small" look="quiet" onClick={remove}>
                <X aria-hidden size={13} /> Remove
              </Button>
            </>
          )}
        </div>
      </article>
    </div>
  );
}
