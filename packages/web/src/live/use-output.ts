import type { ShellView } from "@spoor/protocol";
import { useEffect, useState } from "react";
import { client } from "./client.ts";
import { type CommandPlace, type LoadedOutput, loadOutput } from "./load-output.ts";

interface ShownOutput {
  /** The command with its output, as far as it is known. */
  readonly shell: ShellView;
  readonly state: "loading" | "ready" | "failed";
}

/** Outputs that were read. The oldest are forgotten. */
const known = new Map<string, LoadedOutput>();
const MOST_KNOWN = 40;

/**
 * The output of a command. A long run that was over when the page read it comes without outputs; then the output is read
 * from the server.
 */
export function useOutput(runId: string, shell: ShellView, place: CommandPlace): ShownOutput {
  const { toolCallId } = shell;
  const { sequence, index = 0 } = place;
  const key = JSON.stringify([runId, toolCallId, sequence, index]);
  const isMissing = !shell.running && shell.headBytes === 0 && shell.stdoutBytes + shell.stderrBytes > 0;
  const [loaded, setLoaded] = useState<{ key: string; output: LoadedOutput | undefined }>();
  const output = known.get(key) ?? (loaded?.key === key ? loaded.output : undefined);
  const isNeeded = isMissing && output === undefined;
  useEffect(() => {
    if (!isNeeded) return;
    const end = new AbortController();
    loadOutput(client.events, runId, toolCallId, { sequence, index }, end.signal)
      .then((found) => {
        if (found) remember(key, found);
        setLoaded({ key, output: found });
      })
      .catch(() => end.signal.aborted || setLoaded({ key, output: undefined }));
    return () => end.abort();
  }, [isNeeded, key, runId, toolCallId, sequence, index]);
  if (!isMissing) return { shell, state: "ready" };
  if (output === undefined) return { shell, state: loaded?.key === key ? "failed" : "loading" };
  const { head, headBytes, tail, tailBytes, omittedBytes } = output;
  return { shell: { ...shell, head, headBytes, tail, tailBytes, omittedBytes }, state: "ready" };
}

function remember(key: string, output: LoadedOutput): void {
  known.set(key, output);
  const [oldest] = known.size > MOST_KNOWN ? known.keys() : [];
  if (oldest !== undefined) known.delete(oldest);
}
