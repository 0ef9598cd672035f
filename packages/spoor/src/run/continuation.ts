// By its own path: a command that runs an agent need not load every schema first.
import { createUlidSource } from "@spoor/protocol/ids";
import { SpoorError } from "../failures/errors.ts";
import type { RunSetup } from "./run-setup.ts";

/** What to ask of a run that goes on with the session another ended in: the same, but for what began that one. */
export function continuation(
  { request, ...options }: RunSetup,
  sessionId: string | undefined,
  prompt: string,
): RunSetup {
  if (sessionId === undefined || sessionId.startsWith("transient-")) {
    throw new SpoorError("SESSION_NOT_FOUND", `${options.adapter.name} kept no session that could go on.`);
  }
  const { fork: _, attachments: __, ...rest } = request;
  // Whoever observed this run did so to its end.
  const { observer: ___, ...same } = options;
  return { ...same, runId: newRunId(), request: { ...rest, prompt, resume: sessionId } };
}

const newRunId = createUlidSource();
