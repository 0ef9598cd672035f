import { type AgentEvent, createDecoder, createEncoder } from "@spoor/protocol";
import { createUlidSource, prefixed, unprefixed } from "@spoor/protocol/ids";
import type { LogDraft } from "../../src/log/log.ts";
import { HEADLESS_MS, requestData } from "../../src/runtime/projections/approval-request.ts";
import type { Execution, Executor } from "../../src/runtime/queue/executor.ts";
import { endOfRun, openOwnRun } from "../../src/runtime/queue/own-run.ts";
import { parkRun } from "../../src/runtime/queue/park.ts";
import { createRedactor } from "../../src/runtime/redaction/index.ts";
import { envelopesOf } from "./temporary-log.ts";

type Partly = {
  [T in AgentEvent["type"]]: Omit<Extract<AgentEvent, { type: T }>, "runId" | "agent" | "timestamp">;
}[AgentEvent["type"]];

/** Writes events of a conversation, and goes on where the stored events end. */
export async function conversationOf({ log, claim }: Execution) {
  const { run, epoch } = claim;
  const encoder = createEncoder();
  const decoder = createDecoder({ agent: run.agent });
  const stored = await envelopesOf(log, run.run_id);
  for (const envelope of stored) {
    const event = decoder.decode(envelope);
    if (event) encoder.encodeText(event);
  }
  const draftsOf = (...events: Partly[]): LogDraft[] =>
    events.flatMap((event) => {
      const base = { runId: unprefixed("run", run.run_id), agent: run.agent, timestamp: Date.now() };
      return encoder.encodeText({ ...base, ...event } as AgentEvent);
    });
  return {
    stored,
    draftsOf,
    write: (...events: Partly[]) => log.append([{ run_id: run.run_id, epoch, drafts: draftsOf(...events) }]),
  };
}

/** A stand-in for our own loop. It asks for `approvals` approvals in its first turn, then answers and ends. */
export function createLoopExecutor(behaviour: { approvals?: number; hangs?: boolean } = {}): Executor {
  return {
    name: "worker",
    async execute(execution) {
      const conversation = await conversationOf(execution);
      const { write, draftsOf, stored } = conversation;
      const has = (type: string) => stored.some((envelope) => envelope.type === type);
      const turns = stored.filter(({ type }) => type === "turn.started").length;
      const { approvals = 0 } = behaviour;
      if (!has("session.started")) await write({ type: "session_start", sessionId: "loop-session", resumed: false });
      if (!has("approval.requested") && approvals > 0) {
        await write({ type: "turn_start", turnIndex: 0 });
        const ids = Array.from({ length: approvals }, () => prefixed("approval", newUlid()));
        const drafts = ids.flatMap((interactionId, index) => {
          const call = { toolCallId: `call-${index}`, toolName: "shell" };
          const input = { command: `echo ${index}` };
          return draftsOf(
            { type: "tool_call_start", ...call, inputAccumulated: "" },
            { type: "tool_call_ready", ...call, input },
            {
              type: "approval_request",
              interactionId,
              ...call,
              action: "Run a command",
              detail: input.command,
              riskLevel: "low",
            } as Partly,
          );
        });
        const asked = drafts.map((draft) => {
          if (draft.type !== "approval.requested") return draft;
          const data = requestData(JSON.parse(draft.json), { cwd: "/", expiresInMs: HEADLESS_MS }, {}, Date.now());
          return { ...draft, json: JSON.stringify(data) };
        });
        return parkRun(
          openOwnRun(execution, createRedactor()),
          asked.map(({ type, json }) => [type, JSON.parse(json)] as const),
        );
      }
      if (behaviour.hangs && turns === 0) {
        await write(
          { type: "turn_start", turnIndex: 0 },
          { type: "tool_call_start", toolCallId: "c", toolName: "shell", inputAccumulated: "" },
          { type: "tool_call_ready", toolCallId: "c", toolName: "shell", input: {} },
        );
        await write({ type: "shell_start", toolCallId: "c", command: "sleep 1000", cwd: "/" });
        await new Promise((resolve) => execution.signal.addEventListener("abort", resolve));
        return;
      }
      if (approvals > 0) {
        for (let index = 0; index < approvals; index += 1) {
          await write({
            type: "tool_result",
            toolCallId: `call-${index}`,
            toolName: "shell",
            output: "done",
            durationMs: 0,
          });
        }
        await write({ type: "turn_end", turnIndex: 0 });
      }
      const turnIndex = turns;
      await write({ type: "turn_start", turnIndex }, { type: "turn_end", turnIndex });
      const own = openOwnRun(execution, createRedactor());
      const closing = draftsOf({ type: "session_end", sessionId: "loop-session", turnCount: turnIndex + 1 });
      await own.end(
        closing.map(({ type, json }) => [type, JSON.parse(json)] as const),
        endOfRun("completed"),
      );
    },
  };
}

const newUlid = createUlidSource();
