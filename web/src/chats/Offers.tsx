import { Gift } from "lucide-react";
import { useState } from "react";
import { type Keep, type Offer, useAccept, useDecline, useOffers } from "@/api/chats/transfers";
import { sentence } from "@/api/errors";
import { visible } from "@/lib/text/visible";
import { plural } from "@/lib/text/words";
import { moment } from "@/lib/time";
import { useListState } from "@/live/listState";
import { Button } from "@/ui/Button";
import { IconButton } from "@/ui/IconButton";
import { Dialog } from "@/ui/overlay/Dialog";
import { Spinner } from "@/ui/Spinner";

interface OffersProps {
  /** A chat is theirs now. */
  onAccepted: (chatId: string) => void;
  /** Where there is room for an icon and no more. */
  isNarrow?: boolean;
}

/** That chats are offered to whoever looks, where it is noticed; nothing while there are none. */
export function Offers({ onAccepted, isNarrow = false }: OffersProps) {
  const { offers: count } = useListState();
  const [isOpen, setOpen] = useState(false);
  if (count === 0 && !isOpen) return null;
  const label = `${plural(count, "chat")} offered to you`;
  return (
    <>
      {isNarrow ? (
        <span className="relative">
          <IconButton icon={Gift} label={label} onClick={() => setOpen(true)} />
          <Badge count={count} className="absolute top-0 right-0" />
        </span>
      ) : (
        <button
          type="button"
          onClick={() => setOpen(true)}
          className="mx-2 mt-1 flex items-center gap-2 rounded-md bg-accent-soft px-2.5 py-2 text-left text-sm hover:opacity-90"
        >
          <Gift aria-hidden size={15} className="shrink-0 text-accent" />
          <span className="min-w-0 flex-1">{count === 1 ? "A chat is" : "Chats are"} offered to you</span>
          <Badge count={count} />
        </button>
      )}
      {isOpen && <OffersDialog count={count} onAccepted={onAccepted} onClose={() => setOpen(false)} />}
    </>
  );
}

function Badge({ count, className = "" }: { count: number; className?: string }) {
  return (
    <span
      className={`flex h-4 min-w-4 items-center justify-center rounded-full bg-accent px-1 text-[0.6875rem] font-medium text-accent-text ${className}`}
    >
      {count}
    </span>
  );
}

interface OffersDialogProps extends OffersProps {
  count: number;
  onClose: () => void;
}

function OffersDialog({ count, onAccepted, onClose }: OffersDialogProps) {
  const offers = useOffers(count);
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Chats that are offered to you"
      description="Who accepts a chat pays for it from then on: your keys, instructions and MCP servers act. Its workspace comes along only where all users of this server may use it."
      actions={<Button onClick={onClose}>Close</Button>}
    >
      {offers.isPending && <Spinner label="Loading offers" />}
      {offers.isError && (
        <p role="alert" className="text-sm text-bad">
          {sentence(offers.error)}
        </p>
      )}
      <ul aria-label="Offers" className="flex flex-col divide-y divide-line">
        {(offers.data ?? []).map((offer) => (
          <OfferRow
            key={offer.chat_id}
            offer={offer}
            onAccepted={() => {
              onAccepted(offer.chat_id);
              onClose();
            }}
          />
        ))}
      </ul>
      {offers.data?.length === 0 && <p className="text-sm text-muted">Nothing is offered to you any more.</p>}
    </Dialog>
  );
}

const KEPT: Readonly<Record<Keep, (name: string) => string>> = {
  nothing: (name) => `${name} will not see it any more.`,
  reader: (name) => `${name} will still read it.`,
  writer: (name) => `${name} will still write in it, at your cost.`,
};

function OfferRow({ offer, onAccepted }: { offer: Offer; onAccepted: () => void }) {
  const accept = useAccept();
  const decline = useDecline();
  const title = visible(offer.title) || "New chat";
  const isBusy = accept.isPending || decline.isPending;
  const error = accept.error ?? decline.error;
  return (
    <li className="flex flex-col gap-1.5 py-3">
      <p className="text-sm font-medium break-words">{title}</p>
      <p className="text-xs text-muted">
        By {offer.by_name || "somebody who left"}. {KEPT[offer.keep](offer.by_name)}
        {offer.expires_at && ` Until ${moment(offer.expires_at)}.`}
      </p>
      <div className="flex gap-2">
        <Button
          size="small"
          look="primary"
          disabled={isBusy}
          busy={accept.isPending}
          aria-label={`Accept “${title}”`}
          onClick={() => accept.mutate({ chatId: offer.chat_id }, { onSuccess: onAccepted })}
        >
          Accept
        </Button>
        <Button
          size="small"
          disabled={isBusy}
          busy={decline.isPending}
          aria-label={`Decline “${title}”`}
          onClick={() => decline.mutate({ chatId: offer.chat_id })}
        >
          Decline
        </Button>
      </div>
      {error && (
        <p role="alert" className="text-xs text-bad">
          {sentence(error)}
        </p>
      )}
    </li>
  );
}
