import { readFileSync } from "node:fs";
import { createUlidSource } from "../../packages/protocol/src/envelope/ids.ts";
import type { Log, LogDraft } from "../../packages/spoor/src/log/log.ts";

export const newRunId = createUlidSource({ prefix: "run_" });

/** Real prose, so that it compresses as poorly as the text of real agents. */
const words = ["ARCHITECTURE.md", "README.md", "CONTRIBUTING.md", "docs/log.md", "docs/http.md"]
  .map((file) => readFileSync(new URL(`../../${file}`, import.meta.url), "utf8"))
  .join("\n")
  .split(/(?<=\s)/);

/** Text deltas; each becomes an envelope of about 300 bytes. */
export function deltas(count: number, start = 0): LogDraft[] {
  const timestamp = Date.now();
  return Array.from({ length: count }, (_, index) => {
    const first = ((start + index) * DELTA_WORDS) % (words.length - DELTA_WORDS);
    const delta = words.slice(first, first + DELTA_WORDS).join("");
    return { type: "assistant.text_delta", timestamp, json: JSON.stringify({ turn_index: 1, block_index: 0, delta }) };
  });
}

const DELTA_WORDS = 6;

/** Appends a run with the given number of events and commit size. Returns its id. */
export async function fillRun(log: Log, events: number, commit = 256): Promise<string> {
  const run_id = newRunId();
  await log.append([{ run_id, create: { agent: "claude", kind: "agent" }, drafts: [], facts: { status: "running" } }]);
  for (let start = 0; start < events; start += commit) {
    await log.append([{ run_id, epoch: 1, drafts: deltas(Math.min(commit, events - start), start) }]);
  }
  return run_id;
}

/** A delta that carries its sending time, in microseconds of the clock that all processes share, and optionally a note. */
export const stamped = (note: string): LogDraft => {
  const [draft] = deltas(1) as [LogDraft];
  const at = Number(process.hrtime.bigint() / 1_000n);
  return { ...draft, json: `{"at":${at},"note":"${note}",${draft.json.slice(1)}` };
};
