import type { Translator } from "./translator.ts";

/** A translator that can also say how a run is now. */
export interface LineTranslator extends Translator<object> {
  /** How the run is, as a line. */
  pane?(): object | undefined;
  /** What is new at a time although nothing happened. */
  check?(now: number, stalledAfterMs: number): object | undefined;
}

/** A language whose messages are lines of JSON. */
export interface LineLanguage {
  readonly summary: string;
  /** Whether a line tells which run it belongs to, so that several runs can be printed at once. */
  readonly namesRuns: boolean;
  open(): Promise<LineTranslator>;
}

/** The languages in which the command line prints runs with `--as`. A translator is loaded when its language is asked for. */
export const lineLanguages = {
  glasspane: {
    summary: "panes with their states, in the words of Glasspane",
    namesRuns: true,
    open: async () => (await import("./glasspane/glasspane.ts")).glasspaneTranslator(),
  },
  zot: {
    summary: "the events of `zot rpc`",
    namesRuns: false,
    open: async () => (await import("./zot/zot.ts")).zotTranslator(),
  },
} as const satisfies Record<string, LineLanguage>;

export type LineLanguageName = keyof typeof lineLanguages;
