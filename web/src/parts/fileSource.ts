/** Where files of messages come from. */

import { createContext, useContext, useEffect, useState } from "react";
import { addressOfFile } from "@/api/chats/files";

/** Fetches a file for who is not signed in, and so has no address to give to an image. */
export type FetchFile = (fileId: string) => Promise<Blob>;

export const FetchFileContext = createContext<FetchFile | null>(null);

/** `href`: null until the file is there. */
export interface FileSource {
  href: string | null;
  isBroken: boolean;
  /** Fetch it, if that was left until somebody wants it. */
  load: () => void;
  text: () => Promise<string>;
}

/** An image is fetched at once; anything else when somebody wants it. */
export function useFileSource(fileId: string, isImage: boolean): FileSource {
  const fetchFile = useContext(FetchFileContext);
  const [isWanted, setWanted] = useState(isImage);
  const [blob, setBlob] = useState<Blob | "broken" | null>(null);
  const [href, setHref] = useState<string | null>(null);
  useEffect(() => {
    if (fetchFile === null || !isWanted) return;
    let isLeft = false;
    fetchFile(fileId).then(
      (fetched) => !isLeft && setBlob(fetched),
      () => !isLeft && setBlob("broken"),
    );
    return () => {
      isLeft = true;
    };
  }, [fetchFile, fileId, isWanted]);
  useEffect(() => {
    if (!(blob instanceof Blob)) return;
    const made = URL.createObjectURL(blob);
    setHref(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  if (fetchFile === null) {
    const address = addressOfFile(fileId);
    return { href: address, isBroken: false, load: () => undefined, text: () => textAt(address) };
  }
  return {
    href,
    isBroken: blob === "broken",
    load: () => setWanted(true),
    text: async () => (blob instanceof Blob ? blob : await fetchFile(fileId)).text(),
  };
}

async function textAt(address: string): Promise<string> {
  const response = await fetch(address);
  if (!response.ok) throw new Error("The file is not there any more.");
  return response.text();
}
