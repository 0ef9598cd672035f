import type { AgentRecord } from "@spoor/protocol/client";
import { useEffect, useState } from "react";
import { client } from "../live/client.ts";
import { messageOf } from "../ui/message-of.ts";
import { inOrder } from "./agents.ts";

export interface KnownAgents {
  /** Those that are installed come first. Undefined until the server has answered. */
  readonly agents?: readonly AgentRecord[];
  /** Why the server did not answer. */
  readonly failure?: string;
  /** Asks the server again. */
  readonly again: () => void;
}

/** The agents that the server knows. */
export function useAgents(): KnownAgents {
  const [answer, set] = useState<Omit<KnownAgents, "again">>({});
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt asks again.
  useEffect(() => {
    const end = new AbortController();
    client.agents
      .list({ signal: end.signal })
      .then(({ data }) => set({ agents: inOrder(data) }))
      .catch((error) => !end.signal.aborted && set({ failure: messageOf(error) }));
    return () => end.abort();
  }, [attempt]);
  const again = () => {
    set({});
    setAttempt(attempt + 1);
  };
  return { ...answer, again };
}
