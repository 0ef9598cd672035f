import { setImmediate } from "node:timers/promises";
import type { PendingInteraction } from "../../mux/interaction-channel.ts";
import type { RunHandle } from "../../mux/run-handle.ts";
import type { Io } from "../io.ts";
import { visible } from "../visible.ts";

/** The first Ctrl-C asks the agent to stop, the second ends it. Whoever wants us gone ends it, too: a run has its end recorded. */
export function endOnSignals(handle: RunHandle): () => void {
  let signals = 0;
  const onInterrupt = () => {
    signals += 1;
    if (signals > 1) handle.abort();
    else if (!handle.isEnded) handle.interrupt();
  };
  const onEnd = () => handle.abort();
  process.on("SIGINT", onInterrupt);
  for (const signal of ends) process.on(signal, onEnd);
  return () => {
    process.off("SIGINT", onInterrupt);
    for (const signal of ends) process.off(signal, onEnd);
  };
}

const ends = ["SIGTERM", "SIGHUP"] as const;

/** Questions go to the person at the terminal; where there is none, they are refused so that nothing hangs. */
export function answerFromTerminal(handle: RunHandle, json: boolean, io: Io): void {
  const isInteractive = !json && (io.stdin as { isTTY?: boolean }).isTTY === true;
  let turn = Promise.resolve();
  handle.interaction.onPending((interaction) => {
    if (!isInteractive) {
      // Answered once the event itself is out.
      queueMicrotask(() =>
        handle.interaction.respond(interaction.id, { deny: true, reason: "Nobody is there to ask." }),
      );
      return;
    }
    turn = turn.then(() => askPerson(handle, interaction, io));
  });
}

async function askPerson(
  handle: RunHandle,
  { id, type, description, detail }: PendingInteraction,
  io: Io,
): Promise<void> {
  const { createInterface } = await import("node:readline/promises");
  // What was said before the question is on its way until the next turn of the event loop.
  await setImmediate();
  await setImmediate();
  const terminal = createInterface({ input: io.stdin, output: io.stderr });
  // Waiting for a line, the terminal takes Ctrl-C for itself; it is meant for the run.
  const given = new AbortController();
  terminal.on("SIGINT", () => {
    given.abort();
    process.kill(process.pid, "SIGINT");
  });
  const question = `\n${visible(description)}\n${detail.split("\n").map(visible).join("\n")}\n`;
  const prompt = `${question}${type === "approval" ? "Allow? [y/N] " : "> "}`;
  const answer = await terminal.question(prompt, { signal: given.signal }).catch(() => undefined);
  terminal.close();
  if (answer === undefined || !handle.interaction.pending.some((pending) => pending.id === id)) return;
  if (type === "input") handle.interaction.respond(id, { text: answer });
  else if (/^y(es)?$/i.test(answer.trim())) handle.approve(id);
  else handle.deny(id, "The user said no.");
}
