import fc from "fast-check";
import type { Signal } from "../../agents/signal.ts";

/** Few ids, so that signals meet: calls started twice, ended unseen, asked about after their end. */
const id = fc.constantFrom("a", "b", "c", "__proto__");
const text = fc.constantFrom("", "x", "Hello ", "é\n", "{}", '{"a":1}');
const tool = fc.record(
  {
    id,
    name: fc.constantFrom("Bash", "Edit"),
    toolKind: fc.constantFrom("shell", "edit", "other"),
    input: fc.constantFrom<unknown>({}, null, { command: "ls" }, undefined),
    mcp: fc.constantFrom({ server: "files", tool: "read" }, undefined),
  },
  { requiredKeys: ["id", "name", "input"] },
);
const cost = fc.constant({ totalUsd: 0.5, inputTokens: 3, outputTokens: 4 });
const fail = fc.constantFrom<Extract<Signal, { kind: "fail" }>["event"]>(
  { type: "auth_error", message: "401", guidance: "Log in." },
  { type: "rate_limit_error", message: "429" },
  { type: "crash", exitCode: 1, stderr: "" },
  { type: "interrupted" },
  { type: "error", code: "INTERNAL", message: "", recoverable: false },
);
const fact = fc.constantFrom<Extract<Signal, { kind: "fact" }>["fact"]>(
  { type: "retry", attempt: 1, maxAttempts: 3, reason: "", delayMs: 0 },
  { type: "rate_limited" },
  { type: "context_compacted", summary: "", tokensSaved: 0 },
  { type: "skill_invoked", skillName: "s" },
  { type: "session_checkpoint", checkpointId: "k" },
  { type: "image_input_ack", mimeType: "image/png" },
);
const file = fc.constantFrom<NonNullable<Extract<Signal, { kind: "toolEnd" }>["files"]>[number]>(
  { op: "read", path: "a" },
  { op: "create", path: "b", byteCount: 1 },
  { op: "patch", path: "c", diff: "d" },
);

const body: fc.Arbitrary<Signal> = fc.oneof(
  fc.record({ kind: fc.constant("session"), id, resumed: fc.boolean() }, { requiredKeys: ["kind"] }),
  fc.record({ kind: fc.constant("startup"), fact: fc.constant({ type: "agentdoc_read", path: "A.md" } as const) }),
  fc.record({ kind: fc.constant("prompt") }),
  fc.record({ kind: fc.constant("call"), model: fc.constant("m") }, { requiredKeys: ["kind"] }),
  fc.record({ kind: fc.constant("callDone"), stopReason: fc.constant("end") }, { requiredKeys: ["kind"] }),
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
      exitCode: fc.constantFrom(0, 1),
      durationMs: fc.constantFrom(1.5, -3),
      files: fc.array(file, { maxLength: 2 }),
    },
    { requiredKeys: ["kind", "id"] },
  ),
  fc.record({ kind: fc.constant("spawn"), id, name: fc.constant("n"), prompt: text, tracked: fc.boolean() }),
  fc.record({ kind: fc.constant("spawnEnd"), id, error: text }, { requiredKeys: ["kind", "id"] }),
  fc.record(
    { kind: fc.constant("ask"), id, action: text, detail: text, risk: fc.constant("low"), tool },
    { requiredKeys: ["kind", "id", "action", "detail", "risk"] },
  ),
  fc.record({ kind: fc.constant("answer"), id, granted: fc.boolean() }),
  fc.record({ kind: fc.constant("denied") }),
  fc.record({ kind: fc.constant("question"), id, question: text, source: fc.constantFrom("agent", "tool") }),
  fc.record({ kind: fc.constant("usage"), usage: fc.constant({ inputTokens: 1, outputTokens: 2 }) }),
  fc.record({ kind: fc.constant("cost"), cost }),
  fc.record({ kind: fc.constant("fact"), fact }),
  fc.record({ kind: fc.constant("fail"), event: fail }),
  fc.record({ kind: fc.constant("promptDone"), text }, { requiredKeys: ["kind"] }),
  fc.record({ kind: fc.constant("note"), message: text }),
  fc.record({ kind: fc.constant("log"), source: fc.constantFrom("stdout", "stderr"), line: text }),
) as fc.Arbitrary<Signal>;

/** Any signal at all, in any order, of the run or of a subagent. */
export const anySignal: fc.Arbitrary<Signal> = fc
  .tuple(body, fc.option(id, { nil: undefined, freq: 6 }))
  .map(([signal, child]) => (child === undefined ? signal : { ...signal, child }));
