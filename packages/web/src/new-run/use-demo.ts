import { useState } from "react";
import { useLocation } from "wouter";
import { client } from "../live/client.ts";
import { once } from "../live/once.ts";
import { routes } from "../routes.ts";
import { messageOf } from "../ui/message-of.ts";

/** Starts the demo run and goes to its page, or says why it did not start. */
export function useDemo(): { start: () => void; isStarting: boolean; problem?: string } {
  const [, go] = useLocation();
  const [state, set] = useState<{ isStarting: boolean; problem?: string }>({ isStarting: false });
  const start = async () => {
    set({ isStarting: true });
    try {
      const { run_id } = await once(["demo"], (call) => client.startDemo(call));
      go(routes.run(run_id));
    } catch (error) {
      set({ isStarting: false, problem: `The demo did not start: ${messageOf(error)}` });
    }
  };
  return { ...state, start: () => void start() };
}
