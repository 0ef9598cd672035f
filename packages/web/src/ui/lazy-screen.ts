import { type ComponentType, lazy } from "react";

type Load<Props> = () => Promise<{ default: ComponentType<Props> }>;

/** The page has painted its first screen by then. */
const LOAD_AFTER_MS = 3_000;

/**
 * A screen that is no part of the first download. It is loaded when it is shown or, at the latest, a moment after the page,
 * so that it can also be shown while there is no server.
 */
export function lazyScreen<Props>(load: Load<Props>) {
  setTimeout(() => load().catch(() => {}), LOAD_AFTER_MS);
  return lazy(load);
}
