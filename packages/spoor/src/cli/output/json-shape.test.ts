import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { appendGolden } from "../../../testing/cli/logs.ts";
import { createPlace, fakeCommand } from "../../../testing/cli/process.ts";
import { openLogSync } from "../../log/open.ts";
import { commands, createProgram } from "../program.ts";

const place = createPlace("json");
const recordings = fileURLToPath(new URL("../../../fixtures/claude/", import.meta.url));
let runId = "";
/** A finished run that wrote a file, the patch of it, and an approval that waits. */
const made: Record<string, string> = {};

beforeAll(async () => {
  const log = openLogSync({ directory: place.data });
  await appendGolden(log, "success");
  runId = await appendGolden(log, "failing-tools");
  await log.close();
  const written = await json(["task", "new", "file", "write", "note.txt", "--content", "hello", "--share", "--start"]);
  made["<run>"] = written.run_id;
  await place.spoor(["tail", written.run_id]);
  made["<patch>"] = (await json(["patches", written.run_id])).id;
  const asked = await json(["task", "new", "shell", "echo hello", "--approve", "ask", "--share", "--start"]);
  made["<approval>"] = asked.run_id;
  // The last of all runs, so that `last` is a run with a tape.
  await place.spoor(["run", "claude", "hello", ...fakeCommand]);
  const folder = path.join(place.home, ".claude/projects/p");
  mkdirSync(folder, { recursive: true });
  const message = { content: "Find the hidden thing" };
  const entry = { type: "user", cwd: place.home, timestamp: "2026-11-01T10:00:00Z", message };
  writeFileSync(path.join(folder, "0f5e-abcd.jsonl"), `${JSON.stringify(entry)}\n`);
}, 60_000);

async function json(argv: string[]) {
  const { stdout, stderr } = await place.spoor([...argv, "--json"]);
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}

const filled = (argv: readonly string[]): string[] => argv.map((word) => made[word] ?? word);

afterAll(() => place.remove());

/** Fields whose content does not come from Spoor: payloads of agents and other programs, and keys that are data. */
const foreign = new Set([
  "data",
  "input",
  "output",
  "opaque",
  "columns",
  "todos",
  "aliases",
  "fields",
  "marks",
  "types",
]);
const ids: Record<string, RegExp> = {
  run_id: /^run_[0-9A-HJKMNP-TV-Z]{26}$/,
  task_id: /^task_[0-9A-HJKMNP-TV-Z]{26}$/,
  session_id: /^chat_[0-9A-HJKMNP-TV-Z]{26}$/,
  event_id: /^evt_[0-9A-HJKMNP-TV-Z]{26}$/,
};
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** Returns a sentence for each thing that is wrong with a printed value. */
function flaws(value: unknown, where = "$"): string[] {
  if (Array.isArray(value)) return value.flatMap((each, index) => flaws(each, `${where}[${index}]`));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => {
    const place = `${where}.${key}`;
    const own: string[] = [];
    if (!/^[a-z][a-z0-9_]*$/.test(key)) own.push(`${place} is not snake_case`);
    if ((/(^|_)at$/.test(key) || key === "timestamp") && each !== null && !RFC_3339.test(String(each)))
      own.push(`${place} is not an RFC 3339 time: ${each}`);
    for (const [name, pattern] of Object.entries(ids)) {
      if ((key === name || key.endsWith(`_${name}`)) && !key.startsWith("native_") && each !== null)
        if (!pattern.test(String(each))) own.push(`${place} is not a prefixed id: ${each}`);
    }
    return [...own, ...(foreign.has(key) ? [] : flaws(each, place))];
  });
}

const jsonLines = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

/** Every command that takes --json, with arguments that make it print something, and whether it prints one document or lines. */
const lineCommands: [string, string[]][] = [
  ["ls", ["ls"]],
  ["events of all", ["events"]],
  ["events of a run", ["events", "last"]],
  ["tail", ["tail", "last"]],
  ["replay", ["replay", "last", "--speed", "0"]],
  ["verify", ["verify"]],
  ["export", ["export", "last", "-o", "out.spoor"]],
  ["verify of a file", ["verify", "--file", "out.spoor"]],
  ["prune", ["prune", "--keep-events", "10", "--dry-run"]],
  ["compact", ["compact", "--shrink"]],
  ["renormalize", ["renormalize", "last"]],
  ["approvals", ["approvals"]],
  ["patches", ["patches", "<run>"]],
  ["task ls", ["task", "ls"]],
  ["sessions", ["sessions"]],
  ["sessions with a search", ["sessions", "--search", "hidden"]],
  [
    "check",
    [
      "check",
      "--notes",
      fileURLToPath(new URL("../../../../protocol/fixtures/broken/tool.open.jsonl", import.meta.url)),
    ],
  ],
];
const documentCommands: [string, string[]][] = [
  ["show", ["show", "last"]],
  ["show of a run with tools", ["show", "failing"]],
  ["approve", ["approve", "<approval>"]],
  ["cost", ["cost"]],
  ["diff", ["diff", "<run>"]],
  ["patch show", ["patch", "show", "<patch>"]],
  ["patch revert", ["patch", "revert", "<patch>"]],
  ["policy check", ["policy", "check", "git status"]],
  // Before those that start a run: a log in which one is performed is not repaired.
  ["repair", ["repair", "--check"]],
  ["retry", ["retry", "<run>"]],
  ["task new", ["task", "new", "shell", "true", "--share"]],
  ["task show", ["task", "show", "last"]],
  ["start", ["start", "last"]],
  ["agents", ["agents"]],
  ["one agent", ["agents", "claude"]],
  ["sessions show", ["sessions", "show", "last"]],
  ["schema", ["schema"]],
];

describe("--json of every command", { timeout: 60_000 }, () => {
  it.each(lineCommands)("%s prints lines with snake_case keys, RFC 3339 times and prefixed ids", async (_, argv) => {
    const { stdout, stderr } = await place.spoor([...filled(argv), "--json"]);
    const lines = jsonLines(stdout);
    expect(
      lines.flatMap((line) => flaws(line)),
      stderr,
    ).toEqual([]);
    expect(lines.length).toBeGreaterThan(0);
  });

  it.each(documentCommands)("%s prints a document of the same kind", async (_, argv) => {
    const words = filled(argv).map((word) => (word === "failing" ? runId : word));
    const { stdout, stderr } = await vi.waitFor(
      async () => {
        const ended = await place.spoor([...words, "--json"]);
        // Other commands started runs in the background, and a log is not repaired while a run is performed.
        if (argv[0] === "repair") expect(ended.stderr).not.toContain("is being performed");
        return ended;
      },
      { timeout: 50_000 },
    );
    expect(flaws(JSON.parse(stdout)), stderr).toEqual([]);
  });

  it("is the same for spoor run and its result file, and the bytes are those that events prints later", async () => {
    const ran = await place.spoor(["run", "claude", "hello", "--json", "--result", "result.json", ...fakeCommand]);
    expect(
      jsonLines(ran.stdout).flatMap((line) => flaws(line)),
      ran.stderr,
    ).toEqual([]);
    expect((await place.spoor(["events", "last", "--json"])).stdout).toBe(ran.stdout);
    const result = JSON.parse(readFileSync(path.join(place.home, "result.json"), "utf8"));
    expect(flaws(result)).toEqual([]);
    expect(result).toMatchObject({ run_id: jsonLines(ran.stdout)[0].run_id, exit_reason: "completed" });
  });

  it.each([["run", "claude", "hello"], ["tail", "last"], ["events"], ["replay"]])(
    "excludes --agent-events: %s",
    async (...argv) => {
      expect(await place.spoor([...argv, "--json", "--agent-events"])).toEqual({
        code: 2,
        stdout: "",
        stderr:
          "--json and --agent-events exclude each other: --json prints envelopes, --agent-events prints AgentEvents. Keep one.\n",
      });
    },
  );

  it("is tested here for every command that has it", () => {
    const program = createProgram(process, commands);
    const all = program.commands.flatMap((command) => [command, ...command.commands.map((inner) => inner)]);
    const having = all
      .filter(({ options }) => options.some(({ long }) => long === "--json"))
      .map((command) => (command.parent === program ? command.name() : `${command.parent?.name()} ${command.name()}`));
    const tried = new Set([...lineCommands, ...documentCommands].flatMap(([, [one, two]]) => [one, `${one} ${two}`]));
    // These commands run an agent or a server, or act on a run or a file; their own tests check what they print.
    const others = new Set([
      ...["run", "demo", "resume", "continue", "fork", "serve", "mcp", "work", "login", "trust"],
      ...["deny", "send", "answer", "interrupt", "cancel", "pause", "unpause", "task rm"],
      ...["apply", "revert", "patch apply", "patch reject", "open", "webhooks", "webhooks test", "webhooks enable"],
    ]);
    expect(having.filter((name) => !tried.has(name) && !others.has(name))).toEqual([]);
  });

  it("prints the same bytes by events, tail and replay, and AgentEvents when asked", async () => {
    const [events, tail, replay] = await Promise.all([
      place.spoor(["events", runId, "--json"]),
      place.spoor(["tail", runId, "--json"]),
      place.spoor(["replay", runId, "--speed", "0", "--json"]),
    ]);
    expect(events.stdout).not.toBe("");
    expect([tail.stdout, replay.stdout]).toEqual([events.stdout, events.stdout]);
    const [decoded, followed, replayed] = await Promise.all([
      place.spoor(["events", runId, "--agent-events"]),
      place.spoor(["tail", runId, "--agent-events"]),
      place.spoor(["replay", runId, "--speed", "0", "--agent-events"]),
    ]);
    expect(jsonLines(decoded.stdout).map(({ type }) => type)).toContain("session_start");
    expect([followed.stdout, replayed.stdout]).toEqual([decoded.stdout, decoded.stdout]);
    expect((await place.spoor(["check"], decoded.stdout)).stdout).toMatch(/: 0 violations/);
  });

  it("does not change spoor parse: it prints AgentEvents, which spoor check accepts", async () => {
    const file = path.join(recordings, "2.1.325/a-text.jsonl");
    const parsed = await place.spoor(["parse", "claude", file, "--dialect", "stream-json"]);
    expect(jsonLines(parsed.stdout)[0]).toMatchObject({ type: "session_start", runId: expect.any(String) });
    expect((await place.spoor(["check"], parsed.stdout)).code).toBe(0);
  });
});
