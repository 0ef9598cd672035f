import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished, vi } from "vitest";
import type { Log } from "../../src/log/log.ts";
import { openLogSync } from "../../src/log/open.ts";
import type { Pace } from "../../src/translators/webhooks/pace.ts";
import { startWebhooks, type Webhooks } from "../../src/translators/webhooks/webhooks.ts";
import { quickPace, TEST_SECRET } from "./quick-pace.ts";
import { createReceiver, type TestReceiver } from "./receiver.ts";

export interface Place {
  log: Log;
  receiver: TestReceiver;
  notices: string[];
  webhooks: Webhooks;
  start(pace?: Partial<Pace & { timeout: number }>, url?: string): Promise<Webhooks>;
}

/** A log, a receiver and deliveries of `run.*` and `approval.*` to it. */
export async function place(pace: Partial<Pace & { timeout: number }> = {}): Promise<Place> {
  const directory = await mkdtemp(path.join(tmpdir(), "spoor-webhooks-"));
  const log = openLogSync({ directory, durability: "process" });
  const receiver = await createReceiver(() => TEST_SECRET);
  const notices: string[] = [];
  const started: Webhooks[] = [];
  const start = async (other = {}, url = receiver.url) => {
    const webhooks = await startWebhooks({
      log,
      directory,
      urls: [url],
      types: ["run.*", "approval.*"],
      secrets: { place: "a test", read: async () => [TEST_SECRET] },
      onNotice: (text) => notices.push(text),
      pace: { ...quickPace, ...pace, ...other },
    });
    started.push(webhooks);
    return webhooks;
  };
  onTestFinished(async () => {
    for (const webhooks of started) await webhooks.close();
    await receiver.close();
    await log.close();
    await rm(directory, { recursive: true });
  });
  return { log, receiver, notices, webhooks: await start(), start };
}

export const until = (check: () => void) => vi.waitFor(check, { timeout: 30_000, interval: 5 });
export const status = (webhooks: Webhooks) => webhooks.list()[0] as ReturnType<Webhooks["list"]>[number];
