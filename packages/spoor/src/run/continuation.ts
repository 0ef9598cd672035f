// Imported by its own path, so that a command that runs an agent need not load every schema first.
import { createUlidSource } from "@spoor/protocol/ids";
import { SpoorError } from "../failures/errors.ts";
import type { RunSetup } from "./run-setup.ts";

/**
 * Returns the setup of a run that continues the session of an ended run. It leaves out the options that chose the first
 * session.
 */
export function continuation(
  { request, ...options }: RunSetup,
  sessionId: string | undefined,
  prompt: string,
): RunSetup {
  if (sessionId === undefined || sessionId.startsWith("transient-")) {
    throw new SpoorError(
      "SESSION_NOT_FOUND",
      `${options.adapter.name} stored no session for this run, so it cannot be continued. Start a new run.`,
    );
  }
  const { fork: _, attachments: __, ...rest } = request;
  // The observer belongs to the run that has ended.
  const { observer: ___, ...same } = options;
  return { ...same, runId: newRunId(), request: { ...rest, prompt, resume: sessionId } };
}

const newRunId = createUlidSource();
