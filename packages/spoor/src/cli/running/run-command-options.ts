import type { ViewOptions } from "../render/view-options.ts";

/**
 * What `spoor run` was called with. Flags that set an option of the run are defined in the table of options and read by
 * `optionsFromFlags`; only those that the command itself needs are listed here.
 */
export interface RunCommandOptions extends ViewOptions {
  cwd: string;
  resume?: string;
  fork?: string;
  session: boolean;
  command?: readonly string[];
  json?: true;
  agentEvents?: true;
  promptFile?: string;
  result?: string;
  queue?: string[];
  debug?: true;
  detach?: true;
  record: boolean;
  tape: boolean;
  data?: string;
  task?: string;
  /** Milliseconds. */
  lockWait?: number;
  ifUnrecorded: "stop" | "continue";
  recordThinking?: true;
  recordToolInput?: true;
  maxRecorded?: number;
}
