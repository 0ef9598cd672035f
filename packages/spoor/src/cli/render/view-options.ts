import type { OutputMode } from "./call-lines.ts";

/** The flags of `run`, `tail` and `replay` that say what is shown. */
export interface ViewOptions {
  output?: Exclude<OutputMode, "some">;
  thinking?: true;
}
