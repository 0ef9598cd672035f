import { Story } from "../story.ts";

/** A session continues from a checkpoint of an earlier run, and saves its own checkpoint. */
export const resumeFromCheckpoint = (): Story =>
  new Story("Go on.", { agent: "opencode" }, (story) =>
    story.fact("run.resumed_from_event", {
      from_run_id: "run_01K9ZC0000EAR11ER000000000",
      from_sequence: 187,
      reason: "operator",
      prior_cost_micros_usd: 8_900,
    }),
  )
    .resume(4)
    .turn()
    .message("Where were we? The tests.")
    .checkpoint("snap_9")
    .endTurn()
    .fact("run.checkpoint_saved", { checkpoint_id: "ckpt_01K9ZC00000000000000000001" })
    .end(undefined, 4);

export const forked = (): Story =>
  new Story("Try another way.")
    .fork("5f2c1c1e-0000-4000-8000-000000000000")
    .turn()
    .message("Another way, then.")
    .endTurn()
    .end();

/** Someone pauses the run, resumes it, and then interrupts it in the middle of a sentence. */
export const interrupted = (): Story =>
  new Story("Write a long story.", { agent: "pi" })
    .begin()
    .turn()
    .emit("paused", {})
    .wait(60_000)
    .emit("resumed", {})
    .message("Once upon a ti")
    .endTurn({ stopReason: "aborted" })
    .emit("interrupted", {})
    .end();

export const aborted = (): Story =>
  new Story("Watch the logs.")
    .begin()
    .turn()
    .tool({ id: "w1", name: "Bash", kind: "shell", input: { command: "tail -f log" } })
    .emit("shell_start", { command: "tail -f log", cwd: "/home/dev/app", toolCallId: "w1" })
    .emit("shell_exit", { exitCode: -1, durationMs: 8_000, toolCallId: "w1" })
    .emit("tool_error", { toolCallId: "w1", toolName: "Bash", error: "The run was aborted.", outcome: "cancelled" })
    .endTurn()
    .emit("aborted", {})
    .end();

/** The process dies while a call is being written. */
export const crashed = (): Story =>
  new Story("Refactor everything.", { agent: "copilot" })
    .emit("log", { source: "stderr", line: "warming up" })
    .begin()
    .turn()
    .emit("debug", { level: "warn", message: '{"type":"mystery"}' })
    .tool({ id: "x1", name: "edit", kind: "edit", input: {}, pieces: ['{"path":'] })
    .emit("tool_error", { toolCallId: "x1", toolName: "edit", error: "The agent's process ended.", outcome: "failed" })
    .endTurn()
    .emit("crash", { exitCode: 137, stderr: "Killed\n" })
    .end();

export const notAllowedIn = (): Story =>
  new Story("Hello?", { agent: "zot" })
    .begin({ resumed: false })
    .emit("auth_error", { message: "http 401", guidance: "Set DEEPSEEK_API_KEY." })
    .end();

export const tookTooLong = (): Story =>
  new Story("Think hard.").begin().turn().thinking("Hmm.").endTurn().emit("timeout", { kind: "inactivity" }).end();

export const usedAllTurns = (): Story =>
  new Story("Never stop.")
    .begin()
    .turn()
    .message("One.")
    .endTurn()
    .turn()
    .message("Two.")
    .endTurn()
    .emit("turn_limit", { maxTurns: 2 })
    .end();

export const contextFull = (): Story =>
  new Story("Read it all.")
    .begin()
    .turn()
    .emit("context_limit_warning", { usedTokens: 170_000, maxTokens: 200_000, pctUsed: 85 })
    .emit("context_compacted", { summary: "Earlier tool output was dropped.", tokensSaved: 90_000 })
    .message("Reading on.")
    .endTurn()
    .emit("context_exceeded", { usedTokens: 201_000, maxTokens: 200_000 })
    .end();
