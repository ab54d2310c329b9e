import { FileCode, File as FileIcon, X } from "lucide-react";
import { addressOfFile } from "@/api/chats/files";
import { classes } from "@/lib/classes";
import { type Draft, type DraftReference, setDraft } from "@/lib/kept/draft";
import { visible } from "@/lib/text/visible";
import { IconButton } from "@/ui/IconButton";
import type { Upload } from "./attachments";

interface AttachmentsProps {
  place: string;
  draft: Draft;
  uploads: readonly Upload[];
}

/** What goes with the message: what is there, what is on its way, and what was refused. */
export function Attachments({ place, draft, uploads }: AttachmentsProps) {
  const { files, references } = draft;
  if (files.length + references.length + uploads.length === 0) return null;
  const remove = (id: string) => setDraft(place, { files: files.filter((each) => each.id !== id) });
  const takeOut = (key: string) =>
    setDraft(place, { references: references.filter((each) => each.key !== key) });
  return (
    <ul aria-label="Attachments" className="flex flex-wrap gap-2 px-3 pt-3">
      {references.map((each) => (
        <Tile
          key={each.key}
          name={visible(nameOf(each))}
          note={each.comment}
          onRemove={() => takeOut(each.key)}
        >
          <FileCode aria-hidden size={18} className="mx-2 text-muted" />
        </Tile>
      ))}
      {files.map((file) => (
        <Tile
          key={file.id}
          name={file.name}
          note={file.size_bytes === null ? "" : size(file.size_bytes)}
          onRemove={() => remove(file.id)}
        >
          {file.media_type.startsWith("image/") ? (
            <img src={addressOfFile(file.id)} alt="" className="size-9 rounded object-cover" />
          ) : (
            <FileIcon aria-hidden size={18} className="mx-2 text-muted" />
          )}
        </Tile>
      ))}
      {uploads.map((each) => (
        <Tile
          key={each.key}
          name={each.name}
          note={each.error ?? `${Math.round(each.progress * 100)} %`}
          isBad={each.error !== null}
          onRemove={each.stop}
        >
          {each.preview ? (
            <img src={each.preview} alt="" className="size-9 rounded object-cover opacity-60" />
          ) : (
            <FileIcon aria-hidden size={18} className="mx-2 text-muted" />
          )}
          {each.error === null && (
            <progress aria-label={`Uploading ${each.name}`} value={each.progress} className="sr-only" />
          )}
        </Tile>
      ))}
    </ul>
  );
}

interface TileProps {
  name: string;
  note: string;
  isBad?: boolean;
  onRemove: () => void;
  children: React.ReactNode;
}

function Tile({ name, note, isBad, onRemove, children }: TileProps) {
  return (
    <li
      className={classes(
        "flex max-w-64 items-center gap-2 rounded-lg border bg-page py-1 pr-1 pl-1.5 text-sm",
        isBad ? "border-bad" : "border-line",
      )}
    >
      {children}
      <span className="min-w-0 flex-1">
        <span className="block truncate leading-4">{name}</span>
        <span className={classes("block text-xs", isBad ? "text-bad" : "truncate text-muted")}>{note}</span>
      </span>
      <IconButton icon={X} label={`Remove ${name}`} size="small" onClick={onRemove} />
    </li>
  );
}

/** With its range: `main.py:3–5`. */
function nameOf({ file, first, last }: DraftReference): string {
  return first === last ? `${file}:${first}` : `${file}:${first}–${last}`;
}

function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} KiB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
