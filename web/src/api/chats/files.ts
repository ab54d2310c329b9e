import { ROOT } from "@/lib/browser/base";
import { ApiError, UNREACHABLE } from "../errors";
import type { components } from "../types.gen";

export type FileAdded = components["schemas"]["FileAdded"];

/** As the server says: what is larger is refused there as well. */
export const FILE_BYTES_MAX = 10_240 * 1024;

export const addressOfFile = (fileId: string): string =>
  new URL(`api/v1/files/${encodeURIComponent(fileId)}`, ROOT).href;

/** Sends a file. By XMLHttpRequest, for only that tells how far it is. */
export function upload(
  file: File,
  onProgress: (part: number) => void,
  signal: AbortSignal,
): Promise<FileAdded> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", new URL("api/v1/files", ROOT));
    request.setRequestHeader("Content-Type", file.type || "application/octet-stream");
    request.setRequestHeader("Content-Disposition", `attachment; filename*=UTF-8''${encoded(file.name)}`);
    request.upload.onprogress = (event) => event.lengthComputable && onProgress(event.loaded / event.total);
    request.onerror = () => reject(UNREACHABLE);
    request.onabort = () => reject(new DOMException("The upload was stopped.", "AbortError"));
    request.onload = () =>
      request.status === 201 ? resolve(JSON.parse(request.responseText)) : reject(refusal(request));
    signal.addEventListener("abort", () => request.abort());
    request.send(file);
  });
}

function encoded(name: string): string {
  const usual = encodeURIComponent(name || "file");
  return usual.replace(/['()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
}

function refusal(request: XMLHttpRequest): ApiError {
  const { status } = request;
  try {
    const { error } = JSON.parse(request.responseText);
    return new ApiError({ status, code: error.code, message: error.message, hint: error.hint });
  } catch {
    return new ApiError({ status, code: "unknown", message: `The server answered with status ${status}.` });
  }
}
