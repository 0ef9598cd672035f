import type { AgentControls } from "@spoor/protocol/client";
import { useEffect, useState } from "react";
import { client } from "../../live/client.ts";

/** What an agent can be held to. Absent until the server has said it, and for agents it does not know. */
export function useControls(agent: string | undefined): AgentControls | undefined {
  const [list, set] = useState<Awaited<ReturnType<typeof load>>>();
  useEffect(() => {
    let isGone = false;
    load().then(
      (found) => !isGone && set(found),
      // Without the answer every action is offered, and the server says what is not possible.
      () => {},
    );
    return () => {
      isGone = true;
    };
  }, []);
  return list?.find((known) => known.agent === agent)?.controls;
}

let loading: ReturnType<typeof read> | undefined;

function load(): ReturnType<typeof read> {
  loading ??= read().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

const read = async () => (await client.agents.list()).data;
