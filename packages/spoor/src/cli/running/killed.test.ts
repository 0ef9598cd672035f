import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { envelopesOf } from "../../../testing/runtime/temporary-log.ts";
import { openLogSync } from "../../log/open.ts";

const bin = fileURLToPath(new URL("../../../bin/spoor.js", import.meta.url));
const program = fileURLToPath(new URL("../../../testing/cli/programs/streaming-claude.mjs", import.meta.url));
/** How many characters are read before the kill. */
const moments = [1, 700, 4_000, 30_000];

describe.each([
  ["without a server", false],
  ["with a server", true],
])("everything that a killed spoor run had printed is in the log, %s", { timeout: 240_000 }, (_, hasServer) => {
  it("as text", async () => {
    for (const { printed, stored } of await killed(hasServer, [])) {
      const recorded = texts(stored.map((line) => JSON.parse(line)));
      expect(recorded.slice(0, printed.length)).toBe(printed);
    }
  });

  it("as AgentEvents", async () => {
    for (const { printed, stored } of await killed(hasServer, ["--agent-events"])) {
      const events = linesOf(printed).map((line) => JSON.parse(line));
      const shown = events.map(({ delta = "" }) => delta).join("");
      const envelopes = stored.map((line) => JSON.parse(line));
      expect(texts(envelopes).slice(0, shown.length)).toBe(shown);
      const types = new Set(envelopes.map(({ type }) => type));
      if (events.some(({ type }) => type === "session_start")) expect(types).toContain("session.started");
    }
  });

  it("as envelopes, byte for byte", async () => {
    for (const { printed, stored } of await killed(hasServer, ["--json"])) {
      const lines = linesOf(printed);
      expect(stored.slice(0, lines.length)).toEqual(lines);
    }
  });
});

/** Kills one run at each moment. Returns what each had printed, and the lines of the log. */
async function killed(hasServer: boolean, flags: readonly string[]) {
  const data = mkdtempSync(path.join(tmpdir(), "spoor-killed-"));
  onTestFinished(() => rmSync(data, { recursive: true, force: true, maxRetries: 5 }));
  if (hasServer) await serve(data);
  const found: { printed: string; stored: string[] }[] = [];
  for (const moment of moments) {
    const command = `"${process.execPath}" "${program}"`;
    const args = [bin, "run", "claude", "Speak.", "--data", data, "--command", command, ...flags];
    const run = start(args);
    let printed = "";
    run.stdout?.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
      if (printed.length >= moment) run.kill("SIGKILL");
    });
    await once(run, "close");
    const log = openLogSync({ directory: data });
    const [newest] = (await log.runs({ limit: 1 })).runs;
    expect(printed).not.toBe("");
    const envelopes = await envelopesOf(log, newest?.run_id ?? "");
    await log.close();
    found.push({ printed, stored: envelopes.map((envelope) => JSON.stringify(envelope)) });
  }
  return found;
}

function start(args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

async function serve(data: string): Promise<void> {
  const server = start([bin, "serve", "--port", "0", "--json", "--data", data]);
  onTestFinished(async () => {
    const gone = once(server, "close");
    server.kill("SIGKILL");
    await gone;
  });
  await once(server.stdout as NonNullable<ChildProcess["stdout"]>, "data");
}

/** All lines but the last, which may be incomplete. */
const linesOf = (text: string): string[] => text.split("\n").slice(0, -1);

const texts = (envelopes: readonly { type: string; data: { delta?: string } }[]): string =>
  envelopes.map(({ type, data }) => (type === "assistant.text_delta" ? (data.delta ?? "") : "")).join("");
