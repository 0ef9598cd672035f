import fc from "fast-check";
import type { Signal } from "../../src/agents/signal.ts";

/** Few ids, so that signals collide: calls that start twice, end without a start, or ask after their end. */
const id = fc.constantFrom("a", "b", "c", "__proto__", "");
/** Counts that agents have sent, and counts that a broken agent may send. */
const number = fc.constantFrom(0, 1, 3, 12, -1.5, 0.4, 1e308, Number.NaN, Number.POSITIVE_INFINITY);
const text = fc.constantFrom("", "x", "Hello ", "é\n", "{}", '{"a":1}');
const tool = fc.record(
  {
    id,
    name: fc.constantFrom("Bash", "Edit", ""),
    toolKind: fc.constantFrom("shell", "edit", "other"),
    input: fc.constantFrom<unknown>({}, null, { command: "ls" }, undefined),
    mcp: fc.constantFrom({ server: "files", tool: "read" }, { server: "", tool: "" }, undefined),
  },
  { requiredKeys: ["id", "name", "input"] },
);
const tokens = { inputTokens: number, outputTokens: number };
const caches = { thinkingTokens: number, cachedTokens: number };
const cost = fc.record(
  { totalUsd: number, ...tokens, ...caches },
  { requiredKeys: ["totalUsd", "inputTokens", "outputTokens"] },
);
const fail = fc.oneof(
  fc.constantFrom<Extract<Signal, { kind: "fail" }>["event"]>(
    { type: "auth_error", message: "401", guidance: "Log in." },
    { type: "interrupted" },
    { type: "error", code: "INTERNAL", message: "", recoverable: false },
  ),
  fc.record({ type: fc.constant("rate_limit_error"), message: text, retryAfterMs: number }),
  fc.record({ type: fc.constant("context_exceeded"), usedTokens: number, maxTokens: number }),
  fc.record({ type: fc.constant("turn_limit"), maxTurns: number }),
  fc.record({ type: fc.constant("crash"), exitCode: number, stderr: text }),
);
const plugin = { pluginId: id, pluginName: text };
const fact = fc.oneof(
  fc.record({
    ...{ type: fc.constant("retry"), attempt: number, maxAttempts: number, reason: text, delayMs: number },
  }),
  fc.record({ type: fc.constant("rate_limited"), retryAfterMs: number }, { requiredKeys: ["type"] }),
  fc.record({ type: fc.constant("context_compacted"), summary: text, tokensSaved: number }),
  fc.record({
    ...{ type: fc.constant("context_limit_warning"), usedTokens: number, maxTokens: number, pctUsed: number },
  }),
  fc.record({ type: fc.constant("skill_invoked"), skillName: id }),
  fc.record({ type: fc.constant("plugin_invoked"), ...plugin }),
  fc.record({ type: fc.constant("plugin_error"), ...plugin, error: text }),
  fc.record({ type: fc.constant("session_checkpoint"), checkpointId: id }),
  fc.record({ type: fc.constantFrom("image_input_ack", "image_output"), mimeType: fc.constantFrom("image/png", "") }),
);
const startup = fc.oneof(
  fc.record({ type: fc.constant("agentdoc_read"), path: id }),
  fc.record({ type: fc.constant("skill_loaded"), skillName: id, source: text }),
  fc.record({ type: fc.constant("plugin_loaded"), ...plugin, version: text }),
);
const file = fc.constantFrom<NonNullable<Extract<Signal, { kind: "toolEnd" }>["files"]>[number]>(
  { op: "read", path: "a" },
  { op: "create", path: "b", byteCount: 1 },
  { op: "patch", path: "c", diff: "d" },
  { op: "write", path: "", byteCount: 1 },
  { op: "write", path: "d", byteCount: Number.NaN },
);

const body: fc.Arbitrary<Signal> = fc.oneof(
  fc.record(
    { kind: fc.constant("session"), id, resumed: fc.boolean(), priorTurns: number, forkedFrom: id },
    { requiredKeys: ["kind"] },
  ),
  fc.record({ kind: fc.constant("startup"), fact: startup }),
  fc.record({ kind: fc.constant("prompt") }),
  fc.record({ kind: fc.constant("call"), model: fc.constant("m") }, { requiredKeys: ["kind"] }),
  fc.record({ kind: fc.constant("callDone"), stopReason: text, cost }, { requiredKeys: ["kind"] }),
  fc.record({ kind: fc.constantFrom("text", "thinking"), key: id, delta: text }),
  fc.record({ kind: fc.constantFrom("textDone", "thinkingDone"), key: id, text }, { requiredKeys: ["kind", "key"] }),
  tool.map(({ input, ...call }) => ({ kind: "toolStart", ...call, input: JSON.stringify(input) ?? "" }) as Signal),
  fc.record({ kind: fc.constant("toolInput"), id, delta: text }),
  tool.map((call) => ({ kind: "toolReady", ...call }) as Signal),
  fc.record({ kind: fc.constant("shell"), id, command: text }),
  fc.record({ kind: fc.constant("output"), id, stream: fc.constantFrom("stdout", "stderr"), text }),
  fc.record(
    {
      kind: fc.constant("toolEnd"),
      id,
      output: text,
      error: text,
      outcome: fc.constantFrom("failed", "cancelled", "timed_out", "blocked"),
      exitCode: number,
      durationMs: number,
      files: fc.array(file, { maxLength: 2 }),
    },
    { requiredKeys: ["kind", "id"] },
  ),
  fc.record({ kind: fc.constant("spawn"), id, name: fc.constantFrom("n", ""), prompt: text, tracked: fc.boolean() }),
  fc.record({ kind: fc.constant("spawnEnd"), id, error: text, cost }, { requiredKeys: ["kind", "id"] }),
  fc.record(
    { kind: fc.constant("ask"), id, action: text, detail: text, risk: fc.constant("low"), tool },
    { requiredKeys: ["kind", "id", "action", "detail", "risk"] },
  ),
  fc.record({ kind: fc.constant("answer"), id, granted: fc.boolean() }),
  fc.record({ kind: fc.constant("denied") }),
  fc.record({ kind: fc.constant("question"), id, question: text, source: fc.constantFrom("agent", "tool") }),
  fc.record({
    kind: fc.constant("usage"),
    usage: fc.record({ ...tokens, ...caches }, { requiredKeys: ["inputTokens", "outputTokens"] }),
  }),
  fc.record({ kind: fc.constant("cost"), cost }),
  fc.record({ kind: fc.constant("fact"), fact }),
  fc.record({ kind: fc.constant("fail"), event: fail }),
  fc.record({ kind: fc.constant("promptDone"), text }, { requiredKeys: ["kind"] }),
  fc.record({ kind: fc.constant("note"), message: text }),
  fc.record({ kind: fc.constant("log"), source: fc.constantFrom("stdout", "stderr"), line: text }),
) as fc.Arbitrary<Signal>;

/** Any signal of the run or of a subagent. */
export const anySignal: fc.Arbitrary<Signal> = fc
  .tuple(body, fc.option(id, { nil: undefined, freq: 6 }))
  .map(([signal, child]) => (child === undefined ? signal : { ...signal, child }));
