/** Pictures that are too large for providers are made smaller before they are sent. */

const KINDS = /^image\/(?:png|jpeg|webp)$/;
/** What the strictest provider takes: 5 MB in base64, and so many pixels on a side. */
const BYTES_MAX = 3_750_000;
const SIDE_MAX_PX = 8_000;

const TRIES_MAX = 6;
/** So that the next try fits, although sizes do not shrink evenly. */
const MARGIN = 0.9;
const QUALITY = 0.85;

/** Those that may have to be looked at first. */
export const isPicture = (file: File): boolean => KINDS.test(file.type);

/** The picture, smaller if it has to be. What cannot be read or drawn stays as it is. */
export async function shrunk(file: File): Promise<File> {
  try {
    const picture = await createImageBitmap(file);
    try {
      return await fitted(file, picture);
    } finally {
      picture.close();
    }
  } catch {
    return file;
  }
}

async function fitted(file: File, picture: ImageBitmap): Promise<File> {
  let scale = Math.min(1, SIDE_MAX_PX / Math.max(picture.width, picture.height));
  if (scale === 1 && file.size <= BYTES_MAX) return file;
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const drawn = await draw(picture, scale);
    if (drawn.size <= BYTES_MAX)
      return new File([drawn], renamed(file.name, drawn.type), { type: drawn.type });
    scale *= Math.sqrt(BYTES_MAX / drawn.size) * MARGIN;
  }
  return file;
}

function draw(picture: ImageBitmap, scale: number): Promise<Blob> {
  const sides = [picture.width, picture.height].map((side) => Math.max(1, Math.round(side * scale)));
  const [width = 1, height = 1] = sides;
  const canvas = new OffscreenCanvas(width, height);
  canvas.getContext("2d")?.drawImage(picture, 0, 0, width, height);
  return canvas.convertToBlob({ type: "image/webp", quality: QUALITY });
}

/** A browser that cannot write WebP writes PNG. */
function renamed(name: string, type: string): string {
  return `${name.replace(/\.[^.]*$/, "")}.${type.slice(type.indexOf("/") + 1)}`;
}
