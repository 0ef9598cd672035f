import type { Stage } from "./stage.ts";

export const SESSION = "native-session";

/** The ways in which a run can end. A number beyond the list means a normal end. */
export function endRun(stage: Stage, ending: number): void {
  const endings: (() => void)[] = [
    () => stage.emit("interrupted", {}),
    () => stage.emit("aborted", {}),
    () => stage.emit("timeout", { kind: stage.one(["run", "inactivity"]) }),
    () => stage.emit("turn_limit", { maxTurns: stage.pick(50) }),
    () => stage.emit("auth_error", { message: stage.word(), guidance: stage.word() }),
    () => stage.emit("context_exceeded", { usedTokens: stage.pick(9999), maxTokens: stage.pick(9999) }),
    () => stage.emit("crash", { exitCode: stage.pick(200) - 1, stderr: stage.word() }),
    () => stage.emit("error", { code: "INTERNAL", message: stage.word(), recoverable: false }),
    () => stage.emit("rate_limit_error", { message: stage.word(), ...stage.maybe("retryAfterMs", stage.pick(999)) }),
  ];
  endings[ending]?.();
}

export const endingCount = 12;

/** Events that may occur anywhere, even before and after the session. */
export function noise(stage: Stage): void {
  stage.play([
    () => stage.emit("debug", { level: stage.one(["verbose", "info", "warn"]), message: stage.word() }),
    () => stage.emit("log", { source: stage.one(["stdout", "stderr"]), line: stage.word() }),
  ]);
}

/** Events that may occur inside a turn or between turns. */
export function aside(stage: Stage, fallbacks: Set<string>): void {
  const count = stage.pick(1000);
  stage.play([
    () => stage.emit("cost", { cost: stage.cost() }),
    () =>
      stage.emit("token_usage", {
        inputTokens: count,
        outputTokens: stage.pick(999),
        ...stage.maybe("thinkingTokens", stage.pick(99)),
        ...stage.maybe("cachedTokens", stage.pick(99)),
      }),
    () => stage.emit("rate_limited", stage.maybe("retryAfterMs", count)),
    () => stage.emit("context_limit_warning", { usedTokens: count, maxTokens: 1000, pctUsed: count / 10 }),
    () => stage.emit("context_compacted", { summary: stage.word(), tokensSaved: count }),
    () => stage.emit("error", { code: "PARSE_ERROR", message: stage.word(), recoverable: true }),
    () => stage.emit("session_checkpoint", { sessionId: SESSION, checkpointId: stage.id("checkpoint") }),
    () => retry(stage),
    () => fallBack(stage, fallbacks),
  ]);
}

/** Events that occur inside a turn. */
export function inTurn(stage: Stage, plugins: readonly string[]): void {
  stage.play([
    () => stage.emit("skill_invoked", { skillName: "review" }),
    () =>
      stage.emit("image_output", {
        mimeType: "image/png",
        ...stage.maybe("base64", "AA=="),
        ...stage.maybe("filePath", "a.png"),
      }),
    () => stage.emit("image_input_ack", { mimeType: "image/png" }),
    () => stage.emit("approval_denied", { interactionId: stage.id("appr"), ...stage.maybe("reason", stage.word()) }),
    () =>
      stage.emit("input_required", {
        interactionId: stage.id("appr"),
        question: stage.word(),
        ...stage.maybe("context", stage.word()),
        source: stage.one(["agent", "tool"]),
      }),
    () => usePlugin(stage, plugins[0]),
  ]);
}

function retry(stage: Stage): void {
  if (stage.pick(2) === 1) stage.emit("rate_limit_error", { message: stage.word() });
  const maxAttempts = stage.one([0, 3, 9]);
  stage.emit("retry", { attempt: 1 + stage.pick(3), maxAttempts, reason: stage.word(), delayMs: 0 });
}

function fallBack(stage: Stage, fallbacks: Set<string>): void {
  const capability = stage.one(["text", "tool_calls", "thinking"] as const);
  if (fallbacks.has(capability)) return;
  fallbacks.add(capability);
  stage.emit("stream_fallback", { capability, reason: stage.word() });
}

function usePlugin(stage: Stage, pluginId: string | undefined): void {
  if (pluginId === undefined) return;
  if (stage.pick(2) === 0) stage.emit("plugin_invoked", { pluginId, pluginName: "p" });
  else stage.emit("plugin_error", { pluginId, pluginName: "p", error: stage.word() });
}
