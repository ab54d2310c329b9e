import { type KeyboardEvent, type RefObject, useId, useState } from "react";
import { useSkills } from "@/api/catalog/catalog";
import { useContext } from "@/api/chats/inspect";
import { useWorkspaceFiles } from "@/api/chats/workspace";
import { classes } from "@/lib/classes";
import { setDraft } from "@/lib/kept/draft";
import { useDeeds } from "@/live/useDeeds";
import { Spinner } from "@/ui/Spinner";
import { commandsFor, filesFor, type Offer, type Skill, triggerAt } from "./menu";

interface OffersOf {
  field: RefObject<HTMLTextAreaElement | null>;
  place: string;
  text: string;
  commands: readonly Offer[];
  chatId: string | null;
}

export function useOffers({ field, place, text, commands, chatId }: OffersOf) {
  const [cursor, setCursor] = useState(0);
  const [dismissed, setDismissed] = useState<string | null>(null);
  const [chosen, setChosen] = useState(0);
  const list = useId();
  const found = triggerAt(text, cursor);
  const trigger = found && dismissed !== text ? found : null;
  const deeds = useDeeds(chatId);
  const skills = useAllSkills(chatId, trigger?.kind === "/" && deeds.has("chat.inspect"));
  const mayLook = chatId === null || deeds.has("chat.workspace");
  const files = useWorkspaceFiles(chatId, trigger?.kind === "@" && mayLook ? trigger.text : null);
  const offers =
    trigger === null
      ? []
      : trigger.kind === "@"
        ? filesFor(files.data ?? [])
        : commandsFor(trigger.text, commands, skills);
  const at = Math.min(chosen, offers.length - 1);

  function choose(offer: Offer | undefined): void {
    if (offer === undefined || trigger === null) return;
    const insert = offer.insert ?? "";
    setDraft(place, { text: text.slice(0, trigger.from) + insert + text.slice(cursor) });
    const end = trigger.from + insert.length;
    setChosen(0);
    requestAnimationFrame(() => field.current?.setSelectionRange(end, end));
    offer.run?.();
  }

  function onKeyDown(event: KeyboardEvent): boolean {
    if (trigger === null || offers.length === 0) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setChosen((at + step + offers.length) % offers.length);
    else if (event.key === "Enter" || event.key === "Tab") choose(offers[at]);
    else if (event.key === "Escape") setDismissed(text);
    else return false;
    event.preventDefault();
    return true;
  }

  return {
    list,
    offers,
    at,
    isLoading: trigger?.kind === "@" && files.isFetching,
    isOpen: trigger !== null,
    kind: trigger?.kind,
    choose,
    onKeyDown,
    onSelect: () => setCursor(field.current?.selectionStart ?? 0),
    close: () => setDismissed(text),
  };
}

/** Those of the workspace, as the agent was told of them, and the user's own. */
function useAllSkills(chatId: string | null, isWanted: boolean): readonly Skill[] {
  const own = useSkills().data ?? [];
  const resources = useContext(isWanted ? chatId : null).data?.resources ?? [];
  return [
    ...resources.flatMap(({ kind, status, skill_name, skill_description }): Skill[] =>
      kind === "skill" && status === "ok" && skill_name
        ? [{ name: skill_name, description: skill_description ?? "", origin: "workspace" }]
        : [],
    ),
    ...own.map(({ name, description }): Skill => ({ name, description, origin: "personal" })),
  ];
}

/** What is offered, above the field. The field keeps the focus and the keys. */
export function Offers({ offers }: { offers: ReturnType<typeof useOffers> }) {
  if (!offers.isOpen || (offers.offers.length === 0 && !offers.isLoading)) return null;
  return (
    <div
      id={offers.list}
      role="listbox"
      aria-label={offers.kind === "/" ? "Commands" : "Files"}
      className="absolute inset-x-0 bottom-full z-20 mb-1 max-h-72 overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-raised"
    >
      {offers.offers.map((offer, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
        // biome-ignore lint/a11y/useFocusableInteractive: as above
        <div
          key={offer.name}
          role="option"
          aria-selected={index === offers.at}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => offers.choose(offer)}
          className={classes(
            "flex cursor-pointer gap-3 rounded-md px-2.5 py-1.5 text-sm",
            index === offers.at && "bg-hover",
          )}
        >
          <span className="shrink-0 font-medium">
            {offers.kind === "/" && "/"}
            {offer.name}
          </span>
          <span className="min-w-0 flex-1 truncate text-muted">{offer.label}</span>
        </div>
      ))}
      {offers.isLoading && offers.offers.length === 0 && (
        <p className="p-2">
          <Spinner label="Looking for files" />
        </p>
      )}
    </div>
  );
}
