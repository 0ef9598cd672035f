import {
  type AgentEvent,
  agentEventCategories,
  createRunFold,
  type Envelope,
  ErrorCode,
  type FailureFacts,
  isRetriable,
  isTerminalEvent,
  type RunFailure,
  runFailureOf,
} from "@spoor/protocol";
import { describe, expect, it } from "vitest";
import { Script } from "../../../protocol/testing/script.ts";
import { errorTable } from "../../src/failures/error-table.ts";
import { exitCodeOf } from "../../src/failures/exit-code.ts";
import { retryReason } from "../../src/run/retry.ts";
import { ResultBuilder } from "../../src/run/run-result.ts";
import { recordRun } from "../../src/runtime/record-run.ts";
import { Recorder } from "../../src/runtime/recorder/recorder.ts";
import { run as runCli } from "../cli/run.ts";
import { newRunId, sourceOf } from "./recorded-run.ts";
import { envelopesOf, findingsOf, temporaryLog } from "./temporary-log.ts";

const failures: readonly FailureFacts[] = [
  { type: "interrupted" },
  { type: "aborted" },
  { type: "timeout", kind: "run" },
  { type: "timeout", kind: "inactivity" },
  { type: "turn_limit", maxTurns: 0 },
  { type: "turn_limit", maxTurns: 1 },
  { type: "turn_limit", maxTurns: 7 },
  { type: "auth_error", message: "The key is refused.", guidance: "Log in again." },
  { type: "auth_error", message: "The key is refused.", guidance: "" },
  { type: "rate_limit_error", message: "Too many requests." },
  { type: "context_exceeded", usedTokens: 0, maxTokens: 0 },
  { type: "context_exceeded", usedTokens: 201_000, maxTokens: 200_000 },
  ...[0, -1, 1, 137].flatMap((exitCode) =>
    ["", "It broke.", "First line.\nLast line.\n"].map((stderr) => ({ type: "crash" as const, exitCode, stderr })),
  ),
  ...ErrorCode.anyOf.map(({ const: code }) => ({
    ...{ type: "error" as const, code, message: `This is ${code}.`, recoverable: false },
  })),
];

it("the list has every terminal event", () => {
  const all = Object.values(agentEventCategories).flatMap(({ events }) => events.map(({ properties }) => properties));
  const terminal = all
    .map(({ type }) => ({ type: type.const }) as AgentEvent)
    .filter((event) => isTerminalEvent(event) || event.type === "rate_limit_error");
  expect(new Set(failures.map(({ type }) => type))).toEqual(new Set(terminal.map(({ type }) => type)));
});

describe.each(failures.map((facts) => [nameOf(facts), facts] as const))("a run that ends with %s", (_, facts) => {
  const failure = runFailureOf(facts);
  const isCancelled = facts.type === "interrupted" || facts.type === "aborted";

  it("has the same code, sentence and outcome for a retry, the result, the log, the view and the command line", async () => {
    const { log, directory } = temporaryLog();
    const events = runOf(facts);
    const { run_ids } = await recordRun(sourceOf(events), new Recorder({ log }));
    const [run_id = ""] = run_ids;
    const envelopes = await envelopesOf(log, run_id);

    expect(await findingsOf(log, run_ids)).toEqual([]);
    expectResult(events, failure, isCancelled);
    if (isCancelled) {
      expect(lastOf(envelopes)).toMatchObject({ type: "run.cancelled", data: { reason: failure.exitReason } });
      expect(await log.run(run_id)).toMatchObject({ status: "cancelled" });
      expect(viewOf(envelopes).end).toMatchObject({ status: "cancelled", message: failure.exitReason });
      expect((await runCli(["show", run_id, "--data", directory])).stdout).toMatch(/■ Cancelled/);
      return;
    }
    const [code, message] = [failure.code.toLowerCase(), failure.message];
    expect(retryReason(facts)).toBe(`${failure.code}: ${message}`);
    const stored = { code, message, retriable: isRetriable(failure.code), status: "failed", error: message };
    expect(lastOf(envelopes)).toMatchObject({ type: "run.failed", data: stored });
    expect(await log.run(run_id)).toMatchObject({ status: "failed", error_code: code });
    const view = viewOf(envelopes);
    expect(view).toMatchObject({ state: "error", end: { status: "failed", code, message } });
    expect(view.errors.at(-1)?.message).toBe(message);
    const shown = (await runCli(["show", run_id, "--data", directory])).stdout;
    const word = code.replaceAll("_", " ").replace(/^./, (letter) => letter.toUpperCase());
    expect(shown.split("\n", 1)[0]).toContain(`✗ ${word} …`);
    expect(shown).toContain(message);
    const story = (await runCli(["tail", run_id, "--data", directory])).stdout;
    const end = story.split("\n").findLast((line) => line.startsWith("✗ Failed"));
    expect(end?.split(" · ").at(-1)).toBe(code);
    expect(story).toContain(message);
  });
});

function expectResult(events: readonly AgentEvent[], { code, exitReason, message, detail }: RunFailure, none: boolean) {
  const [{ runId, agent }] = events as [AgentEvent];
  const builder = new ResultBuilder({ runId, agent });
  for (const event of events) builder.add(event);
  const result = builder.build({ code: 0, signal: null });
  expect(result.exitReason).toBe(exitReason);
  const error = { code, message, ...(detail !== undefined && { detail }), recoverable: isRetriable(code) };
  expect(result.error).toEqual(none ? undefined : error);
  expect(exitCodeOf(result)).toBe(errorTable[code].exitCode);
  expect(exitCodeOf(result)).toBeGreaterThan(0);
}

function runOf({ type, ...fields }: FailureFacts): AgentEvent[] {
  const script = new Script({ runId: newRunId() });
  return script
    .begin()
    .turn()
    .message("Hello.")
    .endTurn()
    .emit(type, fields as never)
    .end().events;
}

const lastOf = (envelopes: readonly Envelope[]) => envelopes.at(-1);

function viewOf(envelopes: readonly Envelope[]) {
  const fold = createRunFold();
  for (const envelope of envelopes) fold.fold(envelope);
  return fold.snapshot();
}

function nameOf({ type, ...fields }: FailureFacts): string {
  return [type, ...Object.entries(fields).map(([name, value]) => `${name} ${JSON.stringify(value)}`)].join(", ");
}
