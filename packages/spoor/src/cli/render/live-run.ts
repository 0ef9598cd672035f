import type { Display } from "../output/display.ts";
import { layout } from "../output/line.ts";
import type { RunRenderer } from "./run-renderer.ts";
import { shownState, statusLine } from "./status-line.ts";

export interface LiveOptions {
  /** What the title of the terminal says after the state: what was asked. */
  title?: string | undefined;
  /** How to stop, for the status line. */
  stop: string | (() => string);
  /** The time that counts as now. A replay has a clock of its own. */
  now?: () => number;
}

/** Keeps what runs now and the status line below the text of a run, and its state in the title of the terminal. */
export function keepLive(display: Display, renderer: RunRenderer, { title, stop, now = Date.now }: LiveOptions): void {
  const { err } = display;
  display.keep(() => {
    const time = now();
    const { mark } = shownState(renderer.facts, time);
    if (title !== undefined) display.title(`spoor: ${err.plain(mark)} ${title}`);
    const rule = err.paint("dim", err.plain("─".repeat(err.columns)));
    const how = typeof stop === "string" ? stop : stop();
    const status = layout(statusLine(renderer.facts, time, err.columns, how), err);
    return [...renderer.running(time, err.rows - 6), rule, status];
  });
}
