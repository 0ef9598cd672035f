import { mkdtempSync, rmSync } from "node:fs";
import { Agent, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Log, LogDraft } from "../packages/spoor/src/log/log.ts";
import { openLog } from "../packages/spoor/src/log/open.ts";
import { startWebhooks, type Webhooks } from "../packages/spoor/src/translators/webhooks/webhooks.ts";
import { newRunId } from "./log/events.ts";
import { median } from "./measure.ts";

interface WebhookCosts {
  /** Processor time of appends beside a receiver that is away, against appends alone; and what its cursor holds then. */
  away: { ratio: number; runs: number; events: number };
  /** Processor time of a delivery, from the append to the saved cursor, against an append and a bare POST of the same size. */
  delivered: { ratio: number; perSecond: number };
}

const COMMIT = 10;

export async function webhookCosts(rounds: number, events: number): Promise<WebhookCosts> {
  const directory = mkdtempSync(path.join(tmpdir(), "spoor-bench-webhooks-"));
  const server = createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(204).end());
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const opened: Opened[] = [];
  const open = async (name: string, target?: string): Promise<Opened> => {
    const one = await openIn(path.join(directory, name), target);
    opened.push(one);
    return one;
  };
  try {
    const alone = await open("alone");
    // Nobody listens on port 9 of this machine.
    const away = await open("away", "http://127.0.0.1:9/");
    const beside: number[] = [];
    for (let round = -2; round < rounds; round += 1) {
      const floor = await cpu(() => record(alone.log, events));
      const ours = await cpu(() => record(away.log, events));
      if (round < 0) continue;
      beside.push(ours / floor);
    }
    const posting = await open("posting");
    const sending = await open("sending", url);
    const sent: number[] = [];
    const seconds: number[] = [];
    const few = Math.ceil(events / 10);
    for (let round = -2; round < rounds; round += 1) {
      const floor = await cpu(async () => {
        await record(posting.log, few);
        await postAll(url, few);
      });
      const start = performance.now();
      const ours = await cpu(async () => {
        const goal = (sending.webhooks?.list()[0]?.delivered ?? 0) + few;
        await record(sending.log, few);
        while ((sending.webhooks?.list()[0]?.delivered ?? 0) < goal) await new Promise((done) => setTimeout(done, 1));
      });
      if (round < 0) continue;
      sent.push(ours / floor);
      seconds.push((performance.now() - start) / 1_000);
    }
    return {
      away: {
        ratio: median(beside),
        runs: away.webhooks?.list()[0]?.runs_behind ?? Number.NaN,
        events: events * (rounds + 2),
      },
      delivered: { ratio: median(sent), perSecond: few / median(seconds) },
    };
  } finally {
    for (const { webhooks, log } of opened) {
      await webhooks?.close();
      await log.close();
    }
    server.closeAllConnections();
    server.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

interface Opened {
  log: Log;
  webhooks?: Webhooks;
}

async function openIn(directory: string, url?: string): Promise<Opened> {
  const log = await openLog({ directory });
  if (url === undefined) return { log };
  const webhooks = await startWebhooks({ log, directory, urls: [url], types: ["run.*"], onNotice: () => {} });
  return { log, webhooks };
}

/** Records events that every webhook gets, in runs of a hundred. */
async function record(log: Log, events: number): Promise<void> {
  for (let left = events; left > 0; left -= 100) {
    const run_id = newRunId();
    await log.append([
      { run_id, create: { agent: "claude", kind: "agent" }, drafts: [], facts: { status: "running" } },
    ]);
    for (let start = 0; start < Math.min(left, 100); start += COMMIT)
      await log.append([{ run_id, epoch: 1, drafts: Array.from({ length: COMMIT }, paused) }]);
  }
}

const paused = (): LogDraft => ({ type: "run.paused", timestamp: Date.now(), json: BODY });
const BODY = JSON.stringify({ reason: "x".repeat(200) });

/** As many bare requests, four at a time over connections that stay open. */
async function postAll(url: string, count: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const body = "x".repeat(700);
  const post = () =>
    new Promise<void>((resolve, reject) => {
      const sent = request(url, { method: "POST", agent, headers: { "content-length": body.length } }, (response) => {
        response.resume().on("end", resolve);
      });
      sent.on("error", reject).end(body);
    });
  let left = count;
  const lane = async () => {
    while (left-- > 0) await post();
  };
  await Promise.all([lane(), lane(), lane(), lane()]);
  agent.destroy();
}

async function cpu(work: () => Promise<void>): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return user + system;
}
