/** A file of a message: an image is shown, a text can be read, anything can be downloaded. */
import { Download, FileText, ImageOff } from "lucide-react";
import { useState } from "react";

import { visible } from "@/lib/text/visible";
import { IconButton } from "@/ui/IconButton";
import { Dialog } from "@/ui/overlay/Dialog";
import { Spinner } from "@/ui/Spinner";

import { useFileSource } from "./fileSource";
import type { PartProps } from "./index";
import { TextPreview } from "./TextPreview";

const IMAGES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

export function FilePart({ part }: Pick<PartProps<"file">, "part">) {
  const [isOpen, setOpen] = useState(false);
  const [isBroken, setBroken] = useState(false);
  const name = visible(part.name || "File");
  const isImage = IMAGES.has(part.media_type);
  const isText = part.media_type.startsWith("text/") || part.media_type === "application/json";
  const source = useFileSource(part.file_id, isImage);
  const { href } = source;
  if ((isImage && isBroken) || source.isBroken) return <Missing name={name} />;
  if (isImage && href === null) return <Spinner label={`Loading ${name}`} />;
  return (
    <>
      {isImage ? (
        <button
          type="button"
          aria-label={`Open ${name}`}
          onClick={() => setOpen(true)}
          className="block max-w-full"
        >
          <img
            src={href ?? undefined}
            alt={name}
            loading="lazy"
            onError={() => setBroken(true)}
            className="max-h-72 min-h-16 max-w-full rounded-lg border border-line object-contain"
          />
        </button>
      ) : (
        <Tile
          name={name}
          href={href}
          type={part.media_type}
          onLoad={source.load}
          onOpen={isText ? () => setOpen(true) : undefined}
        />
      )}
      {isOpen && (
        <Dialog
          open
          onOpenChange={setOpen}
          title={name}
          wide
          actions={href !== null && <DownloadLink href={href} name={name} />}
        >
          {isImage ? (
            <img
              src={href ?? undefined}
              alt={name}
              className="mx-auto max-h-[70dvh] max-w-full object-contain"
            />
          ) : (
            <TextPreview id={part.file_id} read={source.text} name={name} type={part.media_type} />
          )}
        </Dialog>
      )}
    </>
  );
}

interface TileProps {
  name: string;
  /** Null: it has to be fetched first. */
  href: string | null;
  type: string;
  onLoad: () => void;
  onOpen?: () => void;
}

function Tile({ name, href, type, onLoad, onOpen }: TileProps) {
  const words = (
    <>
      <FileText aria-hidden size={18} strokeWidth={1.5} className="shrink-0 text-muted" />
      <span className="min-w-0 text-left">
        <span className="block truncate text-sm">{name}</span>
        <span className="block truncate text-xs text-muted">{visible(type)}</span>
      </span>
    </>
  );
  return (
    <div className="inline-flex max-w-full items-center gap-1 self-start rounded-lg border border-line bg-raised pr-1">
      {onOpen ? (
        <button
          type="button"
          onClick={onOpen}
          className="flex min-w-0 items-center gap-2.5 rounded-lg py-2 pr-2 pl-3 hover:bg-hover"
        >
          {words}
        </button>
      ) : (
        <span className="flex min-w-0 items-center gap-2.5 py-2 pr-2 pl-3">{words}</span>
      )}
      {href === null ? (
        <IconButton icon={Download} label={`Load ${name}`} size="small" onClick={onLoad} />
      ) : (
        <a
          href={href}
          download={name}
          aria-label={`Download ${name}`}
          className="flex size-8 shrink-0 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-text"
        >
          <Download aria-hidden size={15} />
        </a>
      )}
    </div>
  );
}

function DownloadLink({ href, name }: { href: string; name: string }) {
  return (
    <a
      href={href}
      download={name}
      className="inline-flex h-9 items-center gap-1.5 rounded-md border border-line px-3.5 text-sm font-medium hover:bg-hover"
    >
      <Download aria-hidden size={15} /> Download
    </a>
  );
}

function Missing({ name }: { name: string }) {
  return (
    <p className="inline-flex items-center gap-2 rounded-lg border border-dashed border-line-strong px-3 py-2 text-sm text-muted">
      <ImageOff aria-hidden size={15} className="shrink-0" />
      {name} cannot be shown: it was removed, or is damaged.
    </p>
  );
}
