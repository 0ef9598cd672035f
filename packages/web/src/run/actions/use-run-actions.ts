import type { RunRecord } from "@spoor/protocol/client";
import { useMemo } from "react";
import { useLocation } from "wouter";
import { client } from "../../live/client.ts";
import { once } from "../../live/once.ts";
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
        const body = reason ? { reason } : {};
        const { done_at } = await once([name, runId, body], (call) => runs[name](runId, body, { ...call, wait: 20 }));
        announce(done_at === undefined ? LATE : said);
      });
    const make = (name: "continue" | "resume" | "retry" | "retryFromTurn" | "fork", body: object, work: Make) =>
      perform(runId, name, async () => {
        const { run_id } = await once([name, runId, body], work);
        navigate(routes.run(run_id));
      });
    return {
      interrupt: () => tell("interrupt", "The agent was interrupted."),
      cancel: (reason) => tell("cancel", "The run was cancelled.", reason),
      pause: () => tell("pause", "The run is paused."),
      unpause: () => tell("unpause", "The run goes on."),
      continue: (prompt) => make("continue", { prompt }, (call) => runs.continue(runId, { prompt }, call)),
      resume: () => make("resume", {}, (call) => runs.resume(runId, {}, call)),
      retry: () => make("retry", {}, (call) => runs.retry(runId, {}, call)),
      retryFromTurn: (turn) => make("retryFromTurn", { turn }, (call) => runs.retryFromTurn(runId, { turn }, call)),
      fork: (prompt) => make("fork", { prompt }, (call) => runs.fork(runId, prompt ? { prompt } : {}, call)),
    };
  }, [runId, navigate]);
}

type Make = (call: { idempotencyKey: string }) => Promise<RunRecord>;

const LATE = "The run has not answered yet. It is done when it does.";
