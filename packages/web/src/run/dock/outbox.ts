import type { CommandRecord } from "@spoor/protocol/client";
import { createKeyedCell } from "../../ui/store.ts";
import type { Stored } from "../../ui/stored.ts";
import { plainError } from "../actions/plain-error.ts";

/**
 * A follow-up that this tab sends to the agent of a run.
 *
 * - `sending`: the server has not answered yet.
 * - `taken`: the run has it.
 * - `late`: the server has it, and the run gets it when it answers.
 * - `failed`: it did not get there. `told` says why. The words are in the draft again.
 */
export interface Outgoing {
  readonly text: string;
  /** How many prompts the run had before. */
  readonly after: number;
  readonly phase: "sending" | "taken" | "late" | "failed";
  readonly told?: string;
}

interface Ways {
  send(runId: string, text: string): Promise<Pick<CommandRecord, "done_at">>;
  draftOf(runId: string): Pick<Stored<string>, "read" | "write">;
  /** What is being sent, by run. It outlives a reload of the tab. */
  memory: Pick<Stored<Readonly<Record<string, string>>>, "read" | "write">;
}

/** The follow-ups of this tab. They do not depend on a screen: words that did not get there are never lost with it. */
export function createOutbox({ send, draftOf, memory }: Ways) {
  const outgoing = createKeyedCell<Outgoing>();

  async function post(runId: string, text: string, after: number): Promise<void> {
    const draft = draftOf(runId);
    const shared = { text, after };
    memory.write({ ...memory.read(), [runId]: text });
    outgoing.set(runId, { ...shared, phase: "sending" });
    // Another tab may have written on meanwhile.
    if (draft.read().trim() === text) draft.write("");
    try {
      const { done_at } = await send(runId, text);
      outgoing.set(runId, { ...shared, phase: done_at === undefined ? "late" : "taken" });
    } catch (error) {
      giveBack(runId, { ...shared, told: plainError(error) });
    }
    forget(runId);
  }

  /** Puts the words into the draft again, before what was written since. */
  function giveBack(runId: string, given: Pick<Outgoing, "text" | "after" | "told">): void {
    const draft = draftOf(runId);
    draft.write([given.text, draft.read()].filter(Boolean).join("\n\n"));
    outgoing.set(runId, { ...given, phase: "failed" });
  }

  function forget(runId: string): void {
    const { [runId]: _, ...others } = memory.read();
    memory.write(others);
  }

  for (const [runId, text] of Object.entries(memory.read())) {
    giveBack(runId, { text, after: 0, told: LEFT });
    forget(runId);
  }

  return {
    post: (runId: string, text: string, after: number): void => void post(runId, text, after),
    read: outgoing.read,
    subscribe: outgoing.subscribe,
    /** It stands in the conversation now, or its writer has read why it does not. */
    drop: (runId: string): void => outgoing.set(runId, undefined),
    /** The run is over and never took it. */
    returnLate(runId: string): void {
      const late = outgoing.read(runId);
      if (late?.phase === "late") giveBack(runId, { ...late, told: "The run ended before it got this." });
    },
  };
}

const LEFT = "The page was left before the server answered. Look whether the agent got this before you send it again.";
