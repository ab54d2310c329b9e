import { type Fields, textOf } from "@/lib/json";
import { visible } from "@/lib/text/visible";

// An SVG can be drawn as an image, but not by every name of it: only what is a picture for sure is shown.
const SHOWN = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** A picture that a tool came back with, written out in its result. */
export function Picture({ result }: { result: Fields }) {
  const type = textOf(result.mime_type);
  const data = textOf(result.data);
  const text = visible(textOf(result.text));
  if (!SHOWN.has(type) || !BASE64.test(data))
    return <p className="text-sm text-muted">{text || type || "No picture."}</p>;
  return (
    <figure>
      <img
        src={`data:${type};base64,${data}`}
        alt={text || "A picture from the tool"}
        className="max-h-96 max-w-full rounded-md border border-line"
      />
      {text && <figcaption className="mt-1 text-xs text-muted">{text}</figcaption>}
    </figure>
  );
}
