import type { Writable } from "node:stream";
import type { AgentEvent } from "@spoor/protocol";
import { errorTable } from "../../failures/error-table.ts";
import type { RunResult } from "../../run/run-result.ts";
import { findSocket } from "../../runtime/relay/socket-file.ts";
import { plural } from "../output/plural.ts";
import type { Questions } from "./answer-questions.ts";
import type { RunCommandOptions } from "./run-command-options.ts";

/** In which form a run is printed. */
export interface Form {
  /** The flag that makes the output machine-readable, if it is set. */
  machineFlag?: string;
  /** Events of which every part must be recorded before they count as durable, because they are printed in pieces. */
  awaited?: (type: AgentEvent["type"]) => boolean;
}

export function formOf({ json, agentEvents }: Pick<RunCommandOptions, "json" | "agentEvents">): Form {
  if (json) return { machineFlag: "--json" };
  if (agentEvents) return { machineFlag: "--agent-events" };
  return { awaited: (type) => type === "text_delta" };
}

/** The address of a run on the web page, if a server runs on the data directory. */
export async function pageOf(directory: string, run_id: string): Promise<string | undefined> {
  if (findSocket(directory) === undefined) return undefined;
  const { findClaim } = await import("../../server/serving/claim.ts");
  const url = findClaim(directory)?.note?.url;
  return url === undefined ? undefined : `${url.replace(/\/$/, "")}/runs/${run_id}`;
}

/** Corks the stream until the next turn of the event loop, so that many events need one system call. */
export function gather(stream: Writable & { isTTY?: boolean }): void {
  // On a terminal, the order of standard output and standard error matters.
  if (stream.writableCorked > 0 || stream.isTTY) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}

/** The exit code of a run that completed, but in which questions were refused because nobody could be asked. */
export const REFUSED: number = errorTable.APPROVAL_NEEDED.exitCode;

export const refusedText = ({ refused, nobody }: Questions): string =>
  `${plural(refused, "question")} of the agent ${refused === 1 ? "was" : "were"} refused. ${nobody}`;

/** What a person reads about a run that did not complete: what happened, and what to do. */
export function endOf({ exitReason, error }: RunResult): string {
  if (!error) return `The run was ${exitReason}.`;
  const advice = error.detail ?? errorTable[error.code].hint;
  return [`✗ ${error.code}: ${error.message}`, advice].join("\n").trimEnd();
}
