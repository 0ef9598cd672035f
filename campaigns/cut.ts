import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer as createTcpServer, connect as dial, type Server } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createSpoorClient } from "../packages/protocol/src/client/index.ts";
import { createUlidSource } from "../packages/protocol/src/envelope/ids.ts";
import type { Log, LogDraft } from "../packages/spoor/src/log/log.ts";
import { openLogSync } from "../packages/spoor/src/log/open.ts";
import { createServer } from "../packages/spoor/src/server/server.ts";
import type { Campaign } from "./campaign.ts";
import { createRandom } from "./random.ts";

/**
 * Readers follow runs while they are written, over connections that are cut after a random number of bytes. Every reader
 * must receive every event once and in order.
 */
export const campaign: Campaign = {
  name: "cut",
  about: "SSE and WebSocket connections are cut at random bytes while runs are written.",
  cases: { small: 40, full: 2_000 },
  async run({ cases, seed, onCase }) {
    const random = createRandom(seed);
    const directory = mkdtempSync(path.join(tmpdir(), "spoor-cut-"));
    const log = openLogSync({ directory });
    const cutter = await startCutter(random);
    const server = await createServer({ log, token: TOKEN, linger: 20, allowedHosts: [cutter.host] });
    cutter.forwardTo(server.url);
    const counts = { "connections cut": 0, "events delivered": 0, doubled: 0, lost: 0 };
    const failures: string[] = [];
    try {
      for (let index = 0; index < cases; index++) {
        const kind = kinds[index % kinds.length] as Kind;
        cutter.allow(1 + Math.floor(random() * 10));
        const { written, read } = await followed(log, cutter.host, kind, random);
        const delivered = new Set(read);
        counts["events delivered"] += delivered.size;
        const lost = written.filter((line) => !delivered.has(line)).length;
        counts.lost += lost;
        counts.doubled += read.length - delivered.size;
        if (read.join("\n") !== written.join("\n")) {
          const doubled = read.length - delivered.size;
          failures.push(
            `Case ${index} (${kind}): ${lost} events were lost, ${doubled} were repeated, or the order was wrong. Seed ${seed}.`,
          );
        }
        onCase?.(index + 1);
      }
    } finally {
      counts["connections cut"] = cutter.cuts;
      cutter.close();
      await server.close(0);
      await log.close();
      rmSync(directory, { recursive: true });
    }
    return { counts, failures };
  },
};

const TOKEN = "a-token-that-is-only-for-campaigns";
const ulid = createUlidSource();

const kinds = ["client", "WebSocket", "all runs"] as const;
type Kind = (typeof kinds)[number];

/** Writes a run in batches of random size while a client reads it; returns the written and the received events. */
async function followed(log: Log, host: string, kind: Kind, random: () => number) {
  const run_id = `run_${ulid()}`;
  const task_id = `task_${ulid()}`;
  const after = log.lastPosition;
  const batches = Array.from({ length: 2 + Math.floor(random() * 12) }, () => 1 + Math.floor(random() * 60));
  const create = { task_id, agent: "claude", kind: "agent" };
  await log.append([{ run_id, create, drafts: [draft("run.created", "")], facts: { status: "running" } }]);
  const count = batches.reduce((sum, size) => sum + size, 2);
  const reading = readers[kind]({ host, run_id, task_id, after, count });
  for (const size of batches) {
    await log.append([{ run_id, epoch: 1, drafts: Array.from({ length: size }, () => draft(DELTA, textOf(random))) }]);
    await sleep(random() * 4);
  }
  await log.append([{ run_id, epoch: 1, drafts: [draft("run.finished", "")], facts: { status: "completed" } }]);
  const read = await reading;
  return { written: await linesOf(log, run_id), read };
}

const DELTA = "assistant.text_delta";
const draft = (type: string, delta: string): LogDraft => ({
  type,
  timestamp: Date.now(),
  json: JSON.stringify(type === DELTA ? { turn_index: 1, block_index: 0, delta } : {}),
});

/** Texts with multi-byte characters, so that cuts can fall inside a character. */
const textOf = (random: () => number): string => "a☃\u2028é🦉".repeat(Math.floor(random() * 40));

async function linesOf(log: Log, run_id: string): Promise<string[]> {
  const pieces: Buffer[] = [];
  for (let after = -1, more = true; more; ) {
    const page = await log.read(run_id, { after });
    pieces.push(...page.pieces.map(({ bytes }) => bytes));
    after = page.next;
    more = page.more;
  }
  return Buffer.concat(pieces).toString().trimEnd().split("\n");
}

interface ReadRequest {
  host: string;
  run_id: string;
  task_id: string;
  /** The position before the run's first event. */
  after: number;
  /** The number of events in the run. */
  count: number;
}

/** Each client reads one run to its end and returns the JSON of every envelope in the order it arrived. */
const readers: Record<Kind, (request: ReadRequest) => Promise<string[]>> = {
  async client({ host, run_id }) {
    const lines: string[] = [];
    for await (const envelope of clientOf(host).subscribe(run_id)) lines.push(JSON.stringify(envelope));
    return lines;
  },
  async "all runs"({ host, task_id, after, count }) {
    const lines: string[] = [];
    for await (const envelope of clientOf(host).subscribe({ all: true, task_id }, { after })) {
      if (lines.push(JSON.stringify(envelope)) >= count) break;
    }
    return lines;
  },
  async WebSocket({ host, run_id }) {
    const lines: string[] = [];
    for (let cursor = -1; ; ) {
      const answer = await overWebSocket(host, run_id, cursor, lines);
      if (answer.isOver) return lines;
      cursor = answer.cursor;
    }
  },
};

/** Shortens the delays before a reconnect, but not the timeouts that detect a silent connection. */
const clientOf = (host: string) =>
  createSpoorClient({
    url: `http://${host}`,
    token: TOKEN,
    backOff: { capMs: 5_000 },
    clock: {
      sleep: (ms, signal) => sleep(ms > 20_000 ? ms : ms / 500, undefined, { signal, ref: false }).catch(() => {}),
    },
  });

/** Reads one connection, adds its events, and returns where to resume. */
function overWebSocket(host: string, run_id: string, after: number, lines: string[]) {
  return new Promise<{ cursor: number; isOver: boolean }>((resolve) => {
    let cursor = after;
    let isOver = false;
    const socket = new WebSocket(`ws://${host}/v1/ws`, ["spoor.v1", `bearer.${TOKEN}`]);
    socket.onopen = () => socket.send(JSON.stringify({ type: "subscribe", id: "1", run_id, after_sequence: after }));
    socket.onmessage = ({ data }) => {
      const answer = JSON.parse(String(data)) as { type: string; events?: object[]; next_after_sequence?: number };
      lines.push(...(answer.events ?? []).map((envelope) => JSON.stringify(envelope)));
      cursor = answer.next_after_sequence ?? cursor;
      isOver ||= answer.type === "end";
      if (isOver) socket.close();
    };
    socket.onclose = () => resolve({ cursor, isOver });
    socket.onerror = () => resolve({ cursor, isOver });
  });
}

interface Cutter {
  host: string;
  cuts: number;
  forwardTo(url: string): void;
  /** The number of connections still to be cut; later ones stay open. */
  allow(cuts: number): void;
  close(): void;
}

/** A proxy to the server that cuts connections after a random number of bytes of the answer. */
async function startCutter(random: () => number): Promise<Cutter> {
  let port = 0;
  let left = 0;
  const server: Server = createTcpServer((client) => {
    const upstream = dial(port, "127.0.0.1");
    let room = Number.POSITIVE_INFINITY;
    if (left > 0) {
      left -= 1;
      // Cuts often fall into the headers and first frames, sometimes far behind them.
      room = Math.floor(2 ** (random() * 16));
    }
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    client.on("data", (bytes) => upstream.write(bytes));
    upstream.on("data", (bytes) => {
      if (room > 0) client.write(bytes.subarray(0, room));
      const isCut = room > 0 && bytes.length >= room;
      room -= bytes.length;
      if (!isCut) return;
      cutter.cuts += 1;
      client.end(end);
    });
    for (const socket of [client, upstream]) socket.on("error", end).on("close", end);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cutter: Cutter = {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    cuts: 0,
    forwardTo(url) {
      port = Number(new URL(url).port);
    },
    allow(cuts) {
      left = cuts;
    },
    close: () => void server.close(),
  };
  return cutter;
}
