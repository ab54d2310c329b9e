/** A table. One that is too wide scrolls by itself, and one that is too long is cut. */

import type { Tokens } from "marked";
import { Scroll } from "@/ui/Group";

import { Inline } from "./Inline";

const COLUMNS_MAX = 40;
const CELLS_MAX = 3_000;

export function Table({ token }: { token: Tokens.Table }) {
  const header = token.header.slice(0, COLUMNS_MAX);
  const rowsMax = Math.floor(CELLS_MAX / Math.max(1, header.length));
  return (
    <Scroll className="md-table" label="Table">
      <table>
        <thead>
          <tr>
            {header.map((cell, column) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: cells have no other name than their place
              <th key={column} scope="col" align={cell.align ?? undefined}>
                <Inline tokens={cell.tokens} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {token.rows.slice(0, rowsMax).map((row, number) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above
            <tr key={number}>
              {row.slice(0, COLUMNS_MAX).map((cell, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: as above
                <td key={column} align={cell.align ?? undefined}>
                  <Inline tokens={cell.tokens} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {(token.rows.length > rowsMax || token.header.length > COLUMNS_MAX) && (
        <p className="md-host">
          The table is shown in part: it has {token.rows.length.toLocaleString()} rows and{" "}
          {token.header.length.toLocaleString()} columns.
        </p>
      )}
    </Scroll>
  );
}
