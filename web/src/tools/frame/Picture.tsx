import type { PartOf } from "@/api/types";
import { fieldsOf, textOf } from "@/lib/json";
import { visible } from "@/lib/text/visible";
import { FilePart } from "@/parts/FilePart";

// An SVG can be drawn as an image, but not by every name of it: only what is a picture for sure is shown.
const SHOWN = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** What a tool has shown: a file, or a picture inside of the result, as results of before have it. */
export function Picture({ result }: { result: PartOf<"tool-result"> }) {
  const value = fieldsOf(result.result);
  const type = textOf(value.mime_type);
  const data = textOf(value.data);
  const text = visible(textOf(value.text));
  const isInside = SHOWN.has(type) && BASE64.test(data);
  if (!result.media && !isInside)
    return <p className="text-sm text-muted">{text || type || "No picture."}</p>;
  return (
    <figure>
      {result.media ? (
        <FilePart part={result.media} />
      ) : (
        <img
          src={`data:${type};base64,${data}`}
          alt={text || "A picture from the tool"}
          className="max-h-96 max-w-full rounded-md border border-line"
        />
      )}
      {text && <figcaption className="mt-1 text-xs text-muted">{text}</figcaption>}
    </figure>
  );
}
