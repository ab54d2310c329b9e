import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Plugin } from "vite";

const COMPRESSIBLE = /\.(?:css|html|js|json|svg|txt|webmanifest)$/;
/** Below this, what is saved is less than the headers of the answer. */
const BYTES_MIN = 512;

/** What the chat page may weigh before anything is loaded lazily, as the browser receives it. */
const FIRST_LOAD_BYTES_MAX = 300 * 1000;

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

/** Writes each file also as .br and .gz, so that the server never compresses, and weighs the first load. */
export function compress(): Plugin {
  let directory = "";
  return {
    name: "chatd:compress",
    apply: "build",
    configResolved(config) {
      directory = join(config.root, config.build.outDir);
    },
    async closeBundle() {
      const sizes = new Map<string, number>();
      for (const file of await filesIn(directory)) {
        sizes.set(relative(directory, file), await compressFile(file));
      }
      weigh(await readFile(join(directory, "index.html"), "utf8"), sizes);
    },
  };
}

async function filesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** The size of the smallest form. */
async function compressFile(file: string): Promise<number> {
  const data = await readFile(file);
  if (!COMPRESSIBLE.test(file) || data.length < BYTES_MIN) return data.length;
  const small = await brotli(data, {
    params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY },
  });
  await writeFile(`${file}.br`, small);
  await writeFile(`${file}.gz`, await gzipped(data, { level: 9 }));
  return small.length;
}

/** What the document names is loaded before anything can be seen. */
function weigh(document: string, sizes: Map<string, number>): void {
  const named = [...document.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, name]) => name ?? "");
  const bytes = named.reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0);
  const say = `First load: ${named.length} files, ${(bytes / 1000).toFixed(1)} kB compressed.`;
  if (bytes > FIRST_LOAD_BYTES_MAX) {
    throw new Error(`${say} The limit is ${FIRST_LOAD_BYTES_MAX / 1000} kB: load something of it lazily.`);
  }
  console.log(say);
}
