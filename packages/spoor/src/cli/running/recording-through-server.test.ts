import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished, vi } from "vitest";
import { envelopesOf, findingsOf } from "../../../testing/runtime/temporary-log.ts";
import type { Log, TapeLine } from "../../log/log.ts";
import { openLogSync } from "../../log/open.ts";
import { socketFile } from "../../runtime/relay/socket-file.ts";

const bin = fileURLToPath(new URL("../../../bin/spoor.js", import.meta.url));
const program = fileURLToPath(new URL("../../../testing/cli/programs/gated-claude.mjs", import.meta.url));
/** Prints at exit whether the process has opened a log. */
const reportOpenedLog = `data:text/javascript,import { writeSync } from "node:fs";
  process.on("exit", () => process.moduleLoadList.includes("NativeModule sqlite") && writeSync(2, "It opened the log."));`;
const patient = { timeout: 60_000, interval: 50 };

it("goes through the server, and spoor run does not open the log", { timeout: 120_000 }, async () => {
  const place = newPlace();
  const server = await serve(place);
  const run = start(place, 20);
  await recorded(place, 20);
  place.openGate();
  expect(await run.end()).toEqual({
    code: 0,
    stderr: expect.stringMatching(/^✓ Done in .*\nRecorded as run_\w+\.\n$/),
  });
  await end(server, "SIGTERM");
  expect(existsSync(socketFile(place.data) as string)).toBe(false);
  await expectWhole(place, 20);
});

it("writes the log itself if no server runs", { timeout: 120_000 }, async () => {
  const place = newPlace();
  place.openGate();
  expect((await start(place, 20).end()).stderr).toContain("It opened the log.");
  await expectWhole(place, 20);
});

it.each(["SIGKILL", "SIGTERM"] as const)(
  "loses and repeats nothing when the server ends by %s while the agent prints a lot",
  {
    timeout: 120_000,
  },
  async (signal) => {
    const place = newPlace();
    const server = await serve(place);
    const run = start(place, 3_000);
    await recorded(place, 200);
    await end(server, signal);
    place.openGate();
    const { code, stderr } = await run.end();
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^✓ Done in .*\nRecorded as run_\w+\.\nIt opened the log\.$/),
    });
    await expectWhole(place, 3_000);
  },
);

it.each([true, false])(
  "keeps the raw lines of a run that is killed, through a server: %s",
  {
    timeout: 120_000,
  },
  async (isServed) => {
    const place = newPlace();
    if (isServed) await serve(place);
    // Every line ends like the beginning of this secret.
    const run = start(place, 20, { SOME_TOKEN: "tidy-private-token" });
    await recorded(place, 20);
    await vi.waitFor(async () => expect(await tapeOf(place)).toHaveLength(23), patient);
    run.kill();
    place.openGate();
    expect((await place.log().runs()).runs).toMatchObject([{ status: "running", has_tape: true }]);
  },
);

it("ignores the socket of a server that was killed, and the next server replaces it", {
  timeout: 120_000,
}, async () => {
  const place = newPlace();
  await end(await serve(place), "SIGKILL");
  expect(existsSync(socketFile(place.data) as string)).toBe(true);
  place.openGate();
  expect((await start(place, 5).end()).stderr).toContain("It opened the log.");
  await serve(place);
  expect((await start(place, 5).end()).stderr).not.toContain("It opened the log.");
});

it("is not disturbed by other data on the socket", { timeout: 120_000 }, async () => {
  const place = newPlace();
  await serve(place);
  const run = start(place, 50);
  await recorded(place, 50);
  for (const garbage of ["GET / HTTP/1.1\r\n\r\n", "{}\n", "\0\n", `{"id":1,"do":"append","batch":[{}]}\n`]) {
    const socket = createConnection(socketFile(place.data) as string);
    socket.write(garbage);
    expect(await text(socket)).toContain('"code":"unreadable"');
  }
  place.openGate();
  expect(await run.end()).toEqual({
    code: 0,
    stderr: expect.stringMatching(/^✓ Done in .*\nRecorded as run_\w+\.\n$/),
  });
  await expectWhole(place, 50);
});

interface Place {
  data: string;
  gate: string;
  /** Lets the agent finish. */
  openGate(): void;
  log(): Log;
}

function newPlace(): Place {
  const folder = mkdtempSync(path.join(tmpdir(), "spoor-through-"));
  const gate = path.join(folder, "gate");
  const data = path.join(folder, "data");
  let log: Log | undefined;
  onTestFinished(async () => {
    await log?.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  return {
    data,
    gate,
    openGate: () => writeFileSync(gate, ""),
    log() {
      log ??= openLogSync({ directory: data });
      return log;
    },
  };
}

async function serve({ data }: Place): Promise<ChildProcess> {
  const child = spawn(process.execPath, [bin, "serve", "--port", "0", "--json", "--data", data], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return child;
}

async function end(child: ChildProcess, signal: "SIGKILL" | "SIGTERM"): Promise<void> {
  const exited = once(child, "exit");
  child.kill(signal);
  await exited;
}

interface Running {
  end(): Promise<{ code: number; stderr: string }>;
  kill(): void;
}

function start({ data, gate }: Place, words: number, environment: Record<string, string> = {}): Running {
  const command = `"${process.execPath}" "${program}" "${gate}" ${words}`;
  const args = ["--import", reportOpenedLog, bin, "run", "claude", "Speak.", "--data", data, "--command", command];
  const env = { ...process.env, ...environment };
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"], env });
  onTestFinished(() => void child.kill("SIGKILL"));
  const exited = once(child, "exit");
  return {
    async end() {
      const stderr = await text(child.stderr);
      const [code] = await exited;
      return { code, stderr };
    },
    kill: () => void child.kill("SIGKILL"),
  };
}

/** Waits until the newest run has this many events. */
const recorded = (place: Place, count: number): Promise<void> =>
  vi.waitFor(async () => {
    const [run] = (await place.log().runs({ limit: 1 })).runs;
    expect(run?.last_sequence ?? 0).toBeGreaterThan(count);
  }, patient);

/** Checks that every message of the agent is stored once and in order, and that the run satisfies the contract. */
async function expectWhole(place: Place, words: number): Promise<void> {
  const log = place.log();
  const { runs } = await log.runs();
  expect(runs).toMatchObject([{ status: "completed", agent: "claude", has_tape: true }]);
  const run_id = runs[0]?.run_id ?? "";
  const expected = [...Array.from({ length: words }, (_, number) => `Word ${number}.`), "The end."];
  const envelopes = await envelopesOf(log, run_id);
  expect(envelopes.map(({ sequence }) => sequence)).toEqual(envelopes.map((_, index) => index));
  const messages = envelopes.filter(({ type }) => type === "assistant.text_complete");
  expect(messages.map(({ data }) => (data as { text?: string }).text)).toEqual(expected);
  expect(await findingsOf(log, [run_id])).toEqual([]);
  const printed = (await tapeOf(place)).filter(({ from }) => from === "stdout").map(({ text }) => JSON.parse(text));
  const spoken = printed.flatMap(({ message }) => message?.content.map((block: { text: string }) => block.text) ?? []);
  expect(spoken).toEqual(expected);
  for await (const { damage } of log.upkeep.verify(run_id)) expect(damage).toEqual([]);
}

/** The raw lines of the newest run. */
async function tapeOf(place: Place): Promise<TapeLine[]> {
  const [run] = (await place.log().runs({ limit: 1 })).runs;
  const lines: TapeLine[] = [];
  for await (const line of place.log().tapes.read(run?.run_id ?? "")) lines.push(line);
  return lines;
}
