import { useCallback, useRef, useState } from "react";
import { FILE_BYTES_MAX, upload } from "@/api/chats/files";
import { isAbort } from "@/api/client";
import { sentence } from "@/api/errors";
import { draftOf, setDraft } from "@/lib/kept/draft";

/** A file that is on its way to the server, or was refused. What arrived is in the draft. */
export interface Upload {
  key: number;
  name: string;
  /** How much of it is there, from 0 to 1. */
  progress: number;
  error: string | null;
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
        const stop = () => {
          control.abort();
          change(key, null);
        };
        const tooLarge = file.size > FILE_BYTES_MAX ? "Too large: files may have up to 10 MiB." : null;
        setUploads((all) => [...all, { key, name: file.name, progress: 0, error: tooLarge, stop }]);
        if (tooLarge) continue;
        upload(file, (progress) => change(key, { progress }), control.signal)
          .then((added) => {
            setDraft(target, { files: [...draftOf(target).files, added] });
            change(key, null);
          })
          .catch((error) => isAbort(error) || change(key, { error: sentence(error) }));
      }
    },
    [change],
  );

  return { uploads, add, isUploading: uploads.some((each) => each.error === null) };
}

const LINES_MIN = 10;
const CHARACTERS_MIN = 1000;

/** A long text is read better beside the message than in it. */
export function isLong(text: string): boolean {
  return text.length >= CHARACTERS_MIN || text.split("\n").length >= LINES_MIN;
}

export function textFile(text: string): File {
  return new File([text], "pasted.txt", { type: "text/plain" });
}
