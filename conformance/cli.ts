import type { Beside } from "./beside.ts";

/**
 * The agents' real programs as data: where each is, and how to point it at a model server, offline and in a private
 * home. In strings, `{url}` is the model server, `{home}` the private home, `{prompt}` the prompt, `"{port}"` a free
 * port as a number, `{modules}` the folder of the pinned programs, `{platform}` Node's platform and architecture,
 * `{triple}` the same in Rust's notation.
 */
export interface Cli {
  name: string;
  /** Below `conformance/node_modules`. A `.js` file runs on the Node that runs this script. */
  program: string;
  /** The npm package, if the program's folder has another name. */
  package?: string;
  /** The runtime for the script, below the same folder, if it is not Node. */
  runtime?: string;
  version: readonly string[];
  /**
   * Arguments for one prompt that is answered on stdout as JSON lines, with tools run without asking. Nothing here
   * points at the model server. Absent: the agent speaks only ACP.
   */
  oneShot?: readonly string[];
  /** The agent does nothing without a login at its vendor's service, so only its handshake is driven. */
  needsLogin?: true;
  /** In addition to `BASE`. */
  env: Readonly<Record<string, string>>;
  /** Written to the private home: an object as JSON, a list as lines. */
  files?: Readonly<Record<string, object | readonly string[]>>;
  /** The file that lists MCP servers, for an agent that does not take them as options of a run. */
  mcpFile?: string;
  /** The program that must run beside the agent. */
  beside?: Beside;
}

/**
 * The whole environment besides `PATH`. Requests that would leave the machine go to the model server, which records and
 * refuses them.
 */
export const BASE: Readonly<Record<string, string>> = {
  HOME: "{home}",
  TMPDIR: "{home}/tmp",
  LANG: "C.UTF-8",
  TERM: "xterm-256color",
  NO_COLOR: "1",
  HTTPS_PROXY: "{url}",
  HTTP_PROXY: "{url}",
  NO_PROXY: "127.0.0.1",
  // Otherwise Node's own fetch ignores the proxy.
  NODE_USE_ENV_PROXY: "1",
};
