import { plural } from "../../ui/format.ts";

/** How much happened while the connection was broken. */
export const cameIn = (events: number): string =>
  events === 0 ? "Nothing happened meanwhile." : `${plural(events, "event")} came in meanwhile.`;
