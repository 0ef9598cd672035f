import type { RunRecord } from "@spoor/protocol/client";
import { useMemo } from "react";
import { useLocation } from "wouter";
import { client } from "../../live/client.ts";
import { routes } from "../../routes.ts";
import { announce } from "../../ui/announce.ts";
import { perform } from "./action-store.ts";

/** Everything that can be done with a run. Each tells the server, and shows "sending" until the run has done it. */
interface RunActions {
  interrupt(): void;
  cancel(reason?: string): void;
  pause(): void;
  unpause(): void;
  /** These make a new run, and the page goes there. They return whether it was made. */
  continue(prompt: string): Promise<boolean>;
  resume(): Promise<boolean>;
  retry(): Promise<boolean>;
  retryFromTurn(turn: number): Promise<boolean>;
  fork(prompt?: string): Promise<boolean>;
}

export function useRunActions(runId: string): RunActions {
  const [, navigate] = useLocation();
  return useMemo(() => {
    const { runs } = client;
    const tell = (name: "interrupt" | "cancel" | "pause" | "unpause", said: string, reason?: string) =>
      void perform(runId, name, async () => {
        await runs[name](runId, reason ? { reason } : {}, { wait: 20 });
        announce(said);
      });
    const make = (name: "continue" | "resume" | "retry" | "retryFromTurn" | "fork", work: () => Promise<RunRecord>) =>
      perform(runId, name, async () => {
        const { run_id } = await work();
        navigate(routes.run(run_id));
      });
    return {
      interrupt: () => tell("interrupt", "The agent was interrupted."),
      cancel: (reason) => tell("cancel", "The run was cancelled.", reason),
      pause: () => tell("pause", "The run is paused."),
      unpause: () => tell("unpause", "The run goes on."),
      continue: (prompt) => make("continue", () => runs.continue(runId, { prompt })),
      resume: () => make("resume", () => runs.resume(runId)),
      retry: () => make("retry", () => runs.retry(runId)),
      retryFromTurn: (turn) => make("retryFromTurn", () => runs.retryFromTurn(runId, { turn })),
      fork: (prompt) => make("fork", () => runs.fork(runId, prompt ? { prompt } : {})),
    };
  }, [runId, navigate]);
}
