import { useState } from "react";
import type { RowChat } from "@/api/chats/chats";
import type { Subject } from "@/api/chats/sharing";
import { type Keep, type Offer, useOffer, useOfferChat, useWithdraw } from "@/api/chats/transfers";
import { sentence } from "@/api/errors";
import { visible } from "@/lib/text/visible";
import { moment } from "@/lib/time";
import { FindPeople } from "@/people/FindPeople";
import { Button } from "@/ui/Button";
import { Select, TextArea } from "@/ui/Field";
import { Dialog } from "@/ui/overlay/Dialog";
import { toast } from "@/ui/overlay/Toast";
import { Spinner } from "@/ui/Spinner";

interface TransferDialogProps {
  chat: Pick<RowChat, "id" | "title" | "access" | "owner">;
  onClose: () => void;
}

const KEEPS: Readonly<Record<Keep, string>> = {
  nothing: "Nothing",
  reader: "Read it",
  writer: "Write in it",
};

/** The owner offers a chat to somebody, or takes that back; an administrator hands it over, and says why. */
export function TransferDialog({ chat, onClose }: TransferDialogProps) {
  const offer = useOffer(chat.id);
  return offer.data && chat.access === "owner" ? (
    <Offered chat={chat} offer={offer.data} onClose={onClose} />
  ) : (
    <OfferForm
      chat={chat}
      isLoading={offer.isPending}
      trouble={offer.isError ? sentence(offer.error) : null}
      onClose={onClose}
    />
  );
}

function Offered({ chat, offer, onClose }: TransferDialogProps & { offer: Offer }) {
  const withdraw = useWithdraw();
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`“${visible(chat.title)}” is offered to ${offer.to_name}`}
      description={
        offer.expires_at
          ? `It stays yours until ${offer.to_name} accepts it. The offer ends on ${moment(offer.expires_at)}.`
          : undefined
      }
      actions={
        <>
          <Button onClick={onClose}>Done</Button>
          <Button
            look="danger"
            busy={withdraw.isPending}
            onClick={() => withdraw.mutate({ chatId: chat.id }, { onSuccess: onClose })}
          >
            Take the offer back
          </Button>
        </>
      }
    >
      {withdraw.isError && (
        <p role="alert" className="text-sm text-bad">
          {sentence(withdraw.error)}
        </p>
      )}
    </Dialog>
  );
}

interface OfferFormProps extends TransferDialogProps {
  isLoading: boolean;
  /** Why it is not known whether it is offered already. */
  trouble: string | null;
}

function OfferForm({ chat, isLoading, trouble, onClose }: OfferFormProps) {
  const isOwner = chat.access === "owner";
  const [to, setTo] = useState<Subject | null>(null);
  const [keep, setKeep] = useState<Keep>("nothing");
  const [reason, setReason] = useState("");
  const offer = useOfferChat();
  const isReady = to !== null && (isOwner || reason.trim() !== "");

  function submit(): void {
    if (to === null) return;
    const wanted = { chatId: chat.id, to: to.id, keep, ...(!isOwner && { reason: reason.trim() }) };
    offer.mutate(wanted, {
      onSuccess: () => {
        toast({ text: isOwner ? `Offered to ${to.name}.` : `${to.name} has it now.` });
        onClose();
      },
    });
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Hand over “${visible(chat.title)}”`}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" disabled={!isReady} busy={offer.isPending} onClick={submit}>
            {isOwner ? "Offer it" : "Hand it over now"}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {isLoading && <Spinner label="Loading whether it is offered" />}
        {to === null ? (
          <FindPeople label="To whom" kinds={["user"]} except={chat.owner.id} onChosen={setTo} />
        ) : (
          <div className="flex items-center gap-2 text-sm">
            <span className="min-w-0 flex-1 truncate">
              To <strong>{to.name}</strong>
            </span>
            <Button size="small" look="quiet" onClick={() => setTo(null)}>
              Somebody else
            </Button>
          </div>
        )}
        <Select
          label={isOwner ? "What you can do with it afterwards" : "What its owner can do with it afterwards"}
          value={keep}
          onChange={(event) => setKeep(event.target.value as Keep)}
        >
          {(Object.keys(KEEPS) as Keep[]).map((each) => (
            <option key={each} value={each}>
              {KEEPS[each]}
            </option>
          ))}
        </Select>
        {!isOwner && (
          <TextArea
            label="Why"
            rows={2}
            maxLength={2000}
            help="It is written down in the audit. The chat is handed over at once, without asking."
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        )}
        <WhatFollows name={to?.name ?? "the new owner"} isOwner={isOwner} />
        {(offer.isError || trouble) && (
          <p role="alert" className="text-sm text-bad">
            {offer.isError ? sentence(offer.error) : trouble}
          </p>
        )}
      </div>
    </Dialog>
  );
}

/** In words, before somebody decides. */
function WhatFollows({ name, isOwner }: { name: string; isOwner: boolean }) {
  const former = isOwner ? "you have" : "its owner has";
  return (
    <div className="text-xs text-muted">
      <p className="font-medium">{isOwner ? "Once it is accepted, within 14 days:" : "From then on:"}</p>
      <ul className="mt-1 flex list-disc flex-col gap-1 pl-4">
        <li>
          It belongs to {name}, with the agents that work for it: {name} pays, and the keys, instructions and
          MCP servers of {name} act. What it has cost so far stays where it is.
        </li>
        <li>
          What {former} allowed its agent counts no more, also not for calls that have been approved and have
          not run.
        </li>
        <li>Its public links end.</li>
        <li>Files that are attached only here count for {name}.</li>
        <li>
          Its workspace goes along only where all users of this server may use it. Otherwise it is detached:
          the chat says so, and its agent is told.
        </li>
      </ul>
    </div>
  );
}
