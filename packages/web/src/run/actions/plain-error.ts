import { SpoorClientError } from "@spoor/protocol/client";
import { messageOf } from "../../ui/message-of.ts";

/** What went wrong with a request, in plain words: what happened, and what to do. */
export function plainError(error: unknown): string {
  if (!(error instanceof SpoorClientError)) return messageOf(error);
  return words[error.code] ?? `${error.message}${error.status === undefined && error.hint ? ` ${error.hint}` : ""}`;
}

const words: Readonly<Record<string, string>> = {
  run_over: "The run has ended meanwhile. Nothing was sent.",
  not_running: "The run does not run at this moment. Try again when it works.",
  paused: "The run is paused already.",
  not_paused: "The run is not paused.",
  run_active: "Another run of this task still goes on. Wait for it, or cancel it first.",
  workspace_busy: "A run still works in this folder. Wait until it is over, or cancel it first. Nothing was started.",
  not_pending: "The question was answered meanwhile.",
  network: "The server cannot be reached, so it is not known whether it happened. Trying again does it only once.",
  timeout: "The server did not answer in time, so it is not known whether it happened. Trying again does it only once.",
};
