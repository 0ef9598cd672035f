import { readFileSync } from "node:fs";
import type { Envelope } from "@spoor/protocol";
import type { Log, LogDraft } from "../../src/log/log.ts";
import { newRunId } from "../log/drafts.ts";

const golden = new URL("../../../protocol/fixtures/envelopes/", import.meta.url);

export const goldenEnvelopes = (name: string): Envelope[] =>
  readFileSync(new URL(`${name}.jsonl`, golden), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

/** The drafts of a golden run, with times shifted so that its first event happens at `start`. */
export function goldenDrafts(name: string, start?: number): LogDraft[] {
  const envelopes = goldenEnvelopes(name);
  const first = Date.parse(envelopes[0]?.occurred_at ?? "");
  return envelopes.map(({ type, occurred_at, data }) => ({
    type,
    timestamp: Date.parse(occurred_at) + (start === undefined ? 0 : start - first),
    json: JSON.stringify(data),
  }));
}

/** Appends a golden run to a log. */
export async function appendGolden(log: Log, name: string, { start, run_id = newRunId() }: GoldenRun = {}) {
  const facts = { status: "completed" as const, title: `Golden ${name}` };
  await log.append([{ run_id, create: { agent: "claude", kind: "agent" }, drafts: goldenDrafts(name, start), facts }]);
  return run_id;
}

export interface GoldenRun {
  start?: number;
  run_id?: string;
}
