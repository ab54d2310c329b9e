import { useCallback, useRef, useState } from "react";
import { FILE_BYTES_MAX, type FileAdded, upload } from "@/api/chats/files";
import { isAbort } from "@/api/client";
import { ApiError, sentence } from "@/api/errors";
import { isPicture, shrunk } from "@/lib/browser/shrinkPicture";
import { draftOf, setDraft } from "@/lib/kept/draft";

/** A file that is on its way to the server, or was refused. What arrived is in the draft. */
export interface Upload {
  key: number;
  name: string;
  /** How much of it is there, from 0 to 1. */
  progress: number;
  error: string | null;
  /** Where a picture is shown from before it has arrived. */
  preview: string | null;
  stop: () => void;
}

export const FILES_MAX = 20;

let counted = 0;

/** Uploads of one place: each file begins at once, and goes to its draft when it has arrived. */
export function useUploads(place: string) {
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const newest = useRef(place);
  newest.current = place;

  const change = useCallback((key: number, how: Partial<Upload> | null) => {
    setUploads((all) =>
      how === null
        ? all.filter((each) => each.key !== key)
        : all.map((each) => (each.key === key ? { ...each, ...how } : each)),
    );
  }, []);

  const add = useCallback(
    (files: readonly File[]) => {
      const target = newest.current;
      for (const file of files.slice(0, FILES_MAX)) {
        counted += 1;
        const key = counted;
        const control = new AbortController();
        const preview = isPicture(file) ? URL.createObjectURL(file) : null;
        const remove = () => {
          if (preview) URL.revokeObjectURL(preview);
          change(key, null);
        };
        const stop = () => {
          control.abort();
          remove();
        };
        setUploads((all) => [...all, { key, name: file.name, progress: 0, error: null, preview, stop }]);
        arrive(file, (progress) => change(key, { progress }), control.signal)
          .then((added) => {
            setDraft(target, { files: [...draftOf(target).files, added] });
            remove();
          })
          .catch((error) => isAbort(error) || change(key, { error: sentence(error) }));
      }
    },
    [change],
  );

  return { uploads, add, isUploading: uploads.some((each) => each.error === null) };
}

/** Only what is small enough is sent at all. */
async function arrive(
  given: File,
  onProgress: (part: number) => void,
  signal: AbortSignal,
): Promise<FileAdded> {
  const file = isPicture(given) ? await shrunk(given) : given;
  signal.throwIfAborted();
  if (file.size > FILE_BYTES_MAX) throw TOO_LARGE;
  return upload(file, onProgress, signal);
}

const TOO_LARGE = new ApiError({
  status: 413,
  code: "too_large",
  message: "Too large: files may have up to 10 MiB.",
});

const LINES_MIN = 10;
const CHARACTERS_MIN = 1000;

/** A long text is read better beside the message than in it. */
export function isLong(text: string): boolean {
  return text.length >= CHARACTERS_MIN || text.split("\n").length >= LINES_MIN;
}

export function textFile(text: string): File {
  return new File([text], "pasted.txt", { type: "text/plain" });
}
