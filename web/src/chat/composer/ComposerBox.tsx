import { ArrowUp, ListTodo, Paperclip, Square } from "lucide-react";
import {
  type ClipboardEvent,
  type DragEvent,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import type { When } from "@/api/types";
import { useShortcut } from "@/lib/browser/shortcuts";
import { useMedia } from "@/lib/browser/useMedia";
import { classes } from "@/lib/classes";
import { clearDraft, setDraft, useDraft } from "@/lib/kept/draft";
import { usePreference } from "@/lib/kept/preferences";
import { IconButton } from "@/ui/IconButton";
import type { Outgoing } from "../send";
import { Attachments } from "./Attachments";
import { isLong, textFile, useUploads } from "./attachments";
import { contentOf } from "./content";
import type { Offer } from "./offers/menu";
import { Offers, useOffers } from "./offers/Offers";
import { SendMode } from "./SendMode";
import type { Choice } from "./setup/choice";
import { ModelPicker } from "./setup/ModelPicker";
import { usePast } from "./usePast";

const HEIGHT_MAX_PX = 280;

export interface ComposerBoxProps {
  /** Where its draft is kept. */
  place: string;
  chatId: string | null;
  placeholder: string;
  choice: Choice;
  /** The agent is at work: what is sent waits, and there is something to stop. */
  isActive: boolean;
  isBusy?: boolean;
  isPlanning: boolean;
  /** Null: that is for somebody else to say. */
  onPlanning: ((on: boolean) => void) | null;
  /** Which MCP servers it uses. */
  mcp: ReactNode;
  onSend: (outgoing: Outgoing) => void | Promise<void>;
  onStop: () => void;
  /** Enter in an empty field. */
  onEmptySend?: () => void;
  /** Esc when there is nothing else to leave; true: it was of use. */
  onLeave?: () => boolean;
  prompts: readonly string[];
  commands: readonly Offer[];
  /** Above the field. */
  notice?: ReactNode;
  /** Beside the buttons. */
  aside?: ReactNode;
  autoFocus?: boolean;
}

/** The field in which messages are written, and what goes with them. */
export function ComposerBox(props: ComposerBoxProps) {
  const { place, choice, isActive, onPlanning, onSend, onStop } = props;
  const draft = useDraft(place);
  const { uploads, add, isUploading } = useUploads(place);
  const field = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const [isDropping, setDropping] = useState(false);
  const [isPicking, setPicking] = useState(false);
  const [when, setWhen] = useState<When>("queue");
  const plainPaste = useRef(false);
  const isTouch = useMedia("(pointer: coarse)");
  const sendsWith = usePreference("send.with");
  const past = usePast(place, props.prompts);
  const commands = [
    ...props.commands,
    { name: "model", label: "Choose the model", run: () => setPicking(true) },
  ];
  const offers = useOffers({ field, place, text: draft.text, commands, chatId: props.chatId });

  useShortcut("composer", () => field.current?.focus());
  useFocus(field, place, props.autoFocus ?? false);
  useGrowing(field, draft.text);

  const isEmpty = contentOf(draft).length === 0;
  const canSend = !isEmpty && !isUploading && !props.isBusy && choice.model !== null;

  function submit(): void {
    if (isEmpty && !isUploading) props.onEmptySend?.();
    if (!canSend) return;
    past.leave();
    const sent = onSend({
      content: contentOf(draft),
      when: isActive ? when : "queue",
      model: choice.model?.name ?? null,
      effort: choice.effort,
    });
    // A failed send keeps everything, unless it was shown and can be sent again from there.
    if (sent instanceof Promise) void sent.then(() => clearDraft(place)).catch(() => undefined);
    else clearDraft(place);
  }

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
    plainPaste.current = event.shiftKey && event.key.toLowerCase() === "v";
    if (event.nativeEvent.isComposing) return;
    if (offers.onKeyDown(event) || past.onKeyDown(event, draft.text)) return;
    const sends = sendsWith === "enter" ? !event.shiftKey : event.ctrlKey || event.metaKey;
    if (event.key === "Enter" && sends && !isTouch) {
      event.preventDefault();
      submit();
    }
    if (event.key === "Escape") {
      if (!props.onLeave?.() && isActive) onStop();
    }
  }

  function onPaste(event: ClipboardEvent): void {
    const files = [...event.clipboardData.files];
    const text = event.clipboardData.getData("text/plain");
    if (files.length > 0) {
      event.preventDefault();
      add(files);
    } else if (isLong(text) && !plainPaste.current) {
      event.preventDefault();
      add([textFile(text)]);
    }
  }

  function onDrop(event: DragEvent): void {
    event.preventDefault();
    setDropping(false);
    add([...event.dataTransfer.files]);
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button beside the field does the same as a drop
    <div
      onDragOver={(event) => {
        event.preventDefault();
        setDropping(true);
      }}
      onDragLeave={() => setDropping(false)}
      onDrop={onDrop}
      className={classes(
        "relative rounded-xl border bg-raised transition-colors focus-within:border-line-strong",
        isDropping ? "border-accent" : "border-line",
      )}
    >
      {props.notice}
      <Offers offers={offers} />
      <Attachments place={place} draft={draft} uploads={uploads} />
      <textarea
        ref={field}
        rows={1}
        aria-label="Message"
        placeholder={isDropping ? "Drop files here" : props.placeholder}
        value={draft.text}
        onChange={(event) => {
          past.leave();
          setDraft(place, { text: event.target.value });
          offers.onSelect();
        }}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
        onSelect={offers.onSelect}
        onBlur={offers.close}
        className="block max-h-70 w-full resize-none bg-transparent px-4 pt-3 pb-1 leading-6 outline-none"
      />
      <div className="flex items-center gap-0.5 p-1.5">
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          aria-label="Files to attach"
          onChange={(event) => {
            add([...(event.target.files ?? [])]);
            event.target.value = "";
          }}
        />
        <IconButton
          icon={Paperclip}
          label="Attach files"
          className="size-8"
          onClick={() => picker.current?.click()}
        />
        {onPlanning && (
          <IconButton
            icon={ListTodo}
            label={props.isPlanning ? "Plan first: on" : "Plan first: off"}
            aria-pressed={props.isPlanning}
            size="medium"
            onClick={() => onPlanning(!props.isPlanning)}
          />
        )}
        {props.mcp}
        <ModelPicker choice={choice} open={isPicking} onOpenChange={setPicking} />
        <span className="flex-1" />
        {props.aside}
        {isActive && !isEmpty && <SendMode when={when} onChange={setWhen} />}
        {isActive && (
          <IconButton
            icon={Square}
            label="Stop"
            shortcut="Esc"
            look="filled"
            size="medium"
            iconSize={13}
            className="[&_svg]:fill-current"
            onClick={onStop}
          />
        )}
        {(!isActive || !isEmpty) && (
          <IconButton
            icon={ArrowUp}
            label="Send"
            shortcut={sendsWith === "enter" ? "Enter" : "Ctrl+Enter"}
            disabled={!canSend}
            onClick={submit}
            look="primary"
            size="medium"
            className="ml-1"
          />
        )}
      </div>
    </div>
  );
}

/** As high as its text, to a bound. */
function useGrowing(field: React.RefObject<HTMLTextAreaElement | null>, text: string): void {
  // Before it is drawn: the buttons below must not move after they were seen.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text may need another height
  useLayoutEffect(() => {
    const box = field.current;
    if (box === null) return;
    box.style.height = "auto";
    box.style.height = `${Math.min(HEIGHT_MAX_PX, box.scrollHeight)}px`;
  }, [field, text]);
}

/** Who opens a chat wants to write; on a phone that would bring the keyboard up over what they want to read. */
function useFocus(
  field: React.RefObject<HTMLTextAreaElement | null>,
  place: string,
  isWanted: boolean,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: another place is another field
  useEffect(() => {
    if (isWanted && !window.matchMedia("(pointer: coarse)").matches) field.current?.focus();
  }, [field, place, isWanted]);
}
