import { setTimeout as sleep } from "node:timers/promises";
import { createUlidSource, type Envelope, isTerminalRunType, prefixed } from "@spoor/protocol";
import type { Page } from "playwright-core";
import type { Log, LogDraft } from "../../../spoor/src/log/log.ts";

/** A run that goes on, for a page that shows it. */
export interface LiveRun {
  runId: string;
  /** Adds so many events a second. */
  stream(perSecond: number, seconds: number): Promise<void>;
  /** Adds the events of the run once more, as fast as possible, and waits until the page has read them. */
  replay(page: Page): Promise<void>;
  /** Adds nothing. */
  quiet(seconds: number): Promise<void>;
}

const BATCH = 1_000;

/** Copies a run into a new one that is not over. */
export async function liveRun(log: Log, of: string): Promise<LiveRun> {
  const story = await draftsOf(log, of);
  const run = await startRun(log);
  const addAll = async () => {
    for (let at = 0; at < story.length; at += BATCH) await run.add(...story.slice(at, at + BATCH));
  };
  await addAll();
  let words = 0;
  await run.add(draft("turn.started", { turn_index: 1_000_000 }));
  const say = async (count: number) => {
    const pieces = Array.from({ length: count }, () => {
      words += 1;
      const delta = words % 200 === 0 ? `word ${words}.\n\n` : `word ${words} `;
      return draft("assistant.text_delta", { turn_index: 1_000_000, block_index: Math.floor(words / 1000), delta });
    });
    await run.add(...pieces);
  };
  return {
    runId: run.run_id,
    async stream(perSecond, seconds) {
      const start = performance.now();
      for (let sent = 0; sent < perSecond * seconds; ) {
        const due = Math.ceil(((performance.now() - start) / 1000) * perSecond);
        if (due > sent) await say(due - sent);
        sent = Math.max(sent, due);
        await sleep(20);
      }
    },
    async replay(page) {
      await addAll();
      await run.add(draft("turn.started", { turn_index: 1_000_001 }));
      await run.add(
        draft("assistant.text_delta", { turn_index: 1_000_001, block_index: 0, delta: "The hour is over." }),
      );
      await page.getByText("The hour is over.").first().waitFor({ timeout: 120_000 });
    },
    quiet: (seconds) => sleep(seconds * 1000),
  };
}

/** The events of a run without its beginning and its end. */
async function draftsOf(log: Log, runId: string): Promise<LogDraft[]> {
  const drafts: LogDraft[] = [];
  for (let after = -1, more = true; more; ) {
    const page = await log.read(runId, { after });
    for (const { bytes } of page.pieces) {
      for (const line of bytes.toString().trimEnd().split("\n")) {
        const { type, data } = JSON.parse(line) as Envelope;
        const isKept = type !== "run.created" && type !== "session.ended" && !isTerminalRunType(type);
        if (isKept) drafts.push(draft(type, data));
      }
    }
    after = page.next;
    more = page.more;
  }
  return drafts;
}

const ulid = createUlidSource();

async function startRun(log: Log): Promise<{ run_id: string; add(...drafts: LogDraft[]): Promise<void> }> {
  const run_id = prefixed("run", ulid());
  const create = { task_id: prefixed("task", ulid()), agent: "claude", kind: "agent" };
  const first = draft("run.created", { agent: "claude", kind: "agent" });
  await log.append([{ run_id, epoch: 1, drafts: [first], create, facts: { status: "running" } }]);
  return {
    run_id,
    async add(...drafts) {
      await log.append([{ run_id, epoch: 1, drafts }]);
    },
  };
}

const draft = (type: string, data: object): LogDraft => ({ type, timestamp: Date.now(), json: JSON.stringify(data) });
