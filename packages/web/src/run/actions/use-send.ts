import { useState } from "react";
import { client } from "../../live/client.ts";
import { once } from "../../live/once.ts";
import { plainError } from "./plain-error.ts";

/** Sends a text to the agent of a run that works: the answer to a question. */
export function useSend(runId: string): {
  send: (text: string, interactionId?: string) => void;
  state: "idle" | "sending" | "sent" | "failed";
  told: string | undefined;
} {
  const [state, set] = useState<{ phase: "idle" | "sending" | "sent" | "failed"; told?: string }>({ phase: "idle" });
  const send = (text: string, interactionId?: string) => {
    set({ phase: "sending" });
    const body = { text, ...(interactionId !== undefined && { interaction_id: interactionId }) };
    once(["send", runId, body], (call) => client.runs.send(runId, body, { ...call, wait: 20 })).then(
      () => set({ phase: "sent" }),
      (error: unknown) => set({ phase: "failed", told: plainError(error) }),
    );
  };
  return { send, state: state.phase, told: state.told };
}
