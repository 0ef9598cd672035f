// Performs runs of the kind `agent_loop` with a stand-in for a loop: one call a turn, each of which appends a line to a file. A
// call is announced before it is done, and one that was announced is never done again. Gates work as in stepping-claude.mjs.
import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createUlidSource, prefixed, unprefixed } from "../../../packages/protocol/src/envelope/ids.ts";
import { type AgentEvent, createDecoder, createEncoder, type Envelope } from "../../../packages/protocol/src/index.ts";
import { readEnvelopes } from "../../../packages/spoor/src/log/envelopes.ts";
import type { LogDraft } from "../../../packages/spoor/src/log/log.ts";
import { openLog } from "../../../packages/spoor/src/log/open.ts";
import { HEADLESS_MS, requestData } from "../../../packages/spoor/src/runtime/projections/approval-request.ts";
import type { Execution } from "../../../packages/spoor/src/runtime/queue/executor.ts";
import { endOfRun, openOwnRun } from "../../../packages/spoor/src/runtime/queue/own-run.ts";
import { parkRun, pauseRun } from "../../../packages/spoor/src/runtime/queue/park.ts";
import { Worker } from "../../../packages/spoor/src/runtime/queue/worker.ts";
import { recover } from "../../../packages/spoor/src/runtime/recovery/recover.ts";
import { createRedactor } from "../../../packages/spoor/src/runtime/redaction/index.ts";

const [directory = "", gates = ""] = process.argv.slice(2);
const newUlid = createUlidSource();
const SESSION = "loop-session";

interface Call {
  id: string;
  line: string;
  asks?: boolean;
}

async function execute(execution: Execution): Promise<void> {
  const { claim, spec } = execution;
  const { run } = claim;
  const calls = JSON.parse(String(spec.prompt)) as Call[];
  const stored = await storedEvents(execution);
  const has = (type: string, id?: string) =>
    stored.some((each) => each.type === type && (id === undefined || each.data.tool_call_id === id));
  const draftsOf = encoderOf(run, stored);
  const own = openOwnRun(execution, createRedactor());
  const write = (...events: Partly[]) =>
    own.commit(draftsOf(...events).map(({ type, json }) => [type, JSON.parse(json)]));
  let turn = stored.filter(({ type }) => type === "turn.started").length - 1;
  let isCancelled = false;
  let isPaused = false;
  const pausing = Promise.withResolvers<boolean>();
  const stopListening = own.listen({
    cancel() {
      isCancelled = true;
    },
    pause() {
      isPaused = true;
      return pausing.promise;
    },
  });
  const gate = async (name: string): Promise<void> => {
    writeFileSync(join(gates, `at-${name}`), "");
    while (!existsSync(join(gates, `go-${name}`)) && !isCancelled && !isPaused) await sleep(5);
  };
  /** Whether the run goes on. Otherwise it has ended, or was given back. */
  const goesOn = async (): Promise<boolean> => {
    if (isPaused) {
      await pauseRun(own);
      pausing.resolve(true);
    } else if (isCancelled) await end("cancelled");
    return !isPaused && !isCancelled;
  };
  const end = async (status: "completed" | "cancelled"): Promise<void> => {
    const closing = draftsOf({ type: "session_end", sessionId: SESSION, turnCount: turn + 1 });
    const events = closing.map(({ type, json }) => [type, JSON.parse(json)] as const);
    await own.end(events, endOfRun(status));
  };

  if (!has("session.started")) await write({ type: "session_start", sessionId: SESSION, resumed: false });
  try {
    for (const { id, line, asks } of calls) {
      if (has("tool.started", id) || has("tool.failed", id)) continue;
      const call = { toolCallId: id, toolName: "shell" };
      const wasAsked = has("approval.requested", id);
      if (!wasAsked) {
        turn += 1;
        await write({ type: "turn_start", turnIndex: turn });
        await gate("model");
        if (isPaused || isCancelled) await write({ type: "turn_end", turnIndex: turn });
        if (!(await goesOn())) return;
        const proposal = draftsOf(
          { type: "tool_call_start", ...call, inputAccumulated: "" },
          { type: "tool_call_ready", ...call, input: { command: line } },
        );
        if (asks) return parkRun(own, [...proposal, ...questionOf(draftsOf, call)].map(eventOf));
        await own.commit(proposal.map(eventOf));
      }
      // The encoder takes it for granted that the process that passes an answer on has announced the call.
      if (wasAsked) await own.commit([["tool.started", { tool_call_id: id, tool_name: "shell", kind: "shell" }]]);
      await write({ type: "shell_start", toolCallId: id, command: line, cwd: run.workspace_path ?? "/" });
      if (!execution.mayAct()) return;
      appendFileSync(join(run.workspace_path ?? "/", "effects"), `${line}\n`);
      await gate("tool");
      await write(
        { type: "shell_exit", toolCallId: id, exitCode: 0, durationMs: 0 },
        { type: "tool_result", ...call, output: "done", durationMs: 0 },
      );
      await gate("result");
      await write({ type: "turn_end", turnIndex: turn });
      if (!(await goesOn())) return;
    }
    await gate("finish");
    await end("completed");
  } finally {
    stopListening();
  }
}

type DraftsOf = (...events: Partly[]) => LogDraft[];

function questionOf(draftsOf: DraftsOf, call: object): LogDraft[] {
  const interactionId = prefixed("approval", newUlid());
  const asked = { type: "approval_request", interactionId, ...call, action: "Run a command", detail: "echo" };
  return draftsOf({ ...asked, riskLevel: "low" } as Partly).map((draft) => {
    if (draft.type !== "approval.requested") return draft;
    const data = requestData(JSON.parse(draft.json), { cwd: "/", expiresInMs: HEADLESS_MS }, {}, Date.now());
    return { ...draft, json: JSON.stringify(data) };
  });
}

type Partly = {
  [T in AgentEvent["type"]]: Omit<Extract<AgentEvent, { type: T }>, "runId" | "agent" | "timestamp">;
}[AgentEvent["type"]];

const eventOf = ({ type, json }: LogDraft) => [type, JSON.parse(json) as Record<string, unknown>] as const;

async function storedEvents({ log, claim }: Execution): Promise<Envelope[]> {
  const stored: Envelope[] = [];
  for await (const envelope of readEnvelopes(log, { run_id: claim.run.run_id })) stored.push(envelope);
  return stored;
}

/** Goes on where the stored events end. */
function encoderOf({ run_id, agent }: Execution["claim"]["run"], stored: readonly Envelope[]): DraftsOf {
  const encoder = createEncoder();
  const decoder = createDecoder({ agent });
  for (const envelope of stored) {
    const event = decoder.decode(envelope);
    if (event) encoder.encodeText(event);
  }
  return (...events) =>
    events.flatMap((event) => {
      const base = { runId: unprefixed("run", run_id), agent, timestamp: Date.now() };
      return encoder.encodeText({ ...base, ...event } as AgentEvent);
    });
}

const log = await openLog({ directory });
await recover(log);
const inline = new Map([["agent_loop", { name: "worker", execute } as const]]);
const executors = { inline, launched: new Map() };
new Worker({ log, directory, executors, concurrency: 4, onFault: (error) => console.error(error) });
console.log("ready");
