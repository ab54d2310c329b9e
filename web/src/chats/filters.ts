/** What the list shows, as it is in the address: so it survives a reload, and can be sent to somebody. */

import type { Filters } from "@/api/chats/chats";

export const NO_FILTERS: Filters = { shared: false, archived: false, unread: false, labels: [] };

export function filtersOf(search: string): Filters {
  const params = new URLSearchParams(search);
  return {
    shared: params.has("shared"),
    archived: params.has("archived"),
    unread: params.has("unread"),
    labels: params.getAll("label"),
  };
}

/** As the end of an address: empty, or `?…`. */
export function searchOf({ shared, archived, unread, labels }: Filters): string {
  const params = new URLSearchParams();
  if (shared) params.set("shared", "1");
  if (archived) params.set("archived", "1");
  if (unread) params.set("unread", "1");
  for (const label of labels) params.append("label", label);
  const text = params.toString();
  return text && `?${text}`;
}

export const isFiltered = ({ shared, archived, unread, labels }: Filters): boolean =>
  shared || archived || unread || labels.length > 0;
