import type { AgentRecord } from "@spoor/protocol/client";
import { useEffect, useRef, useState } from "react";
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
  /** Resolves with the agents when the server has answered, or with nothing if it has failed to. */
  readonly answered: () => Promise<readonly AgentRecord[] | undefined>;
}

/** The agents that the server knows. */
export function useAgents(): KnownAgents {
  const [answer, set] = useState<Pick<KnownAgents, "agents" | "failure">>({});
  const [attempt, setAttempt] = useState(0);
  const asked = useRef<Promise<readonly AgentRecord[] | undefined>>(Promise.resolve(undefined));
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt asks again.
  useEffect(() => {
    const end = new AbortController();
    const ask = async () => {
      try {
        const agents = inOrder((await client.agents.list({ signal: end.signal })).data);
        set({ agents });
        return agents;
      } catch (error) {
        if (!end.signal.aborted) set({ failure: messageOf(error) });
        return undefined;
      }
    };
    asked.current = ask();
    return () => end.abort();
  }, [attempt]);
  const again = () => {
    set({});
    setAttempt(attempt + 1);
  };
  return { ...answer, again, answered: () => asked.current };
}
