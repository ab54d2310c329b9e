/** Places of pinned chats (pure). A place is a number that a chat keeps, so moving one leaves others alone. */

type Pinned = { id: string; pin_order: number };

/** Between two that have no other one beside them. */
const APART = 1024;

/** Below those that were pinned before: places are counted in seconds, and fit until 2038. */
export const lastPlace = (): number => Math.floor(Date.now() / 1000);

/**
 * The places that change so that the chats are in this order, in which one of them was moved.
 *
 * Where its new neighbours leave no room, those behind it move on by one until there is some.
 */
export function placesAfter(order: readonly Pinned[], movedId: string): ReadonlyMap<string, number> {
  const at = order.findIndex((chat) => chat.id === movedId);
  const above = order[at - 1]?.pin_order ?? 0;
  const below = order[at + 1]?.pin_order ?? above + 2 * APART;
  const places = new Map<string, number>();
  let place = Math.max(above + 1, Math.floor((above + below) / 2));
  places.set(movedId, place);
  for (const chat of order.slice(at + 1)) {
    if (chat.pin_order > place) break;
    place += 1;
    places.set(chat.id, place);
  }
  return places;
}
