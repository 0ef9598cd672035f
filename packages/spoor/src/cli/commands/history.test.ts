import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Envelope } from "@spoor/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run } from "../../../testing/cli/run.ts";
import { linesOf, newRunId } from "../../../testing/log/drafts.ts";
import { openLogSync } from "../../log/open.ts";

const golden = new URL("../../../../protocol/fixtures/envelopes/", import.meta.url);
const envelopes = (name: string): Envelope[] =>
  readFileSync(new URL(`${name}.jsonl`, golden), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

let data = "";
const runs: string[] = [];
const tasks: string[] = [];
let stored: string[] = [];

beforeAll(async () => {
  data = await mkdtemp(path.join(tmpdir(), "spoor-history-"));
  const log = openLogSync({ directory: data });
  for (const name of ["success", "failing-tools"]) {
    const events = envelopes(name);
    const run_id = newRunId();
    const drafts = events.map(({ type, occurred_at, data }) => ({
      type,
      timestamp: Date.parse(occurred_at),
      json: JSON.stringify(data),
    }));
    const facts = {
      status: "completed" as const,
      title: `Mend the\u001b[2J ${name}`,
      cost_micros_usd: 12_300,
      turns: 3,
    };
    await log.append([{ run_id, create: { agent: "claude", kind: "agent" }, drafts, facts }]);
    runs.push(run_id);
    tasks.push((await log.run(run_id))?.task_id ?? "");
  }
  stored = linesOf((await log.read(runs[0] ?? "")).pieces);
  await log.close();
});
afterAll(() => rm(data, { recursive: true }));

const spoor = (...argv: string[]) => run([...argv, "--data", data]);

describe("the commands that read the log", () => {
  it("list runs, newest first, and escape control characters in titles", async () => {
    const { code, stdout } = await spoor("ls", "--full");
    expect(code).toBe(0);
    expect(
      stdout
        .split("\n")
        .slice(1, 3)
        .map((line) => line.split(/ +/)[1]),
    ).toEqual(runs.toReversed());
    expect(stdout).toContain("$0.0123");
    expect(stdout).not.toContain("\u001b");
  });

  it("print events exactly as they are stored", async () => {
    const { stdout } = await spoor("events", "--run", runs[0] ?? "", "--json");
    expect(stdout).toBe(stored.map((line) => `${line}\n`).join(""));
    const { stdout: some } = await spoor("events", "--run", runs[0] ?? "", "--json", "--after", "3", "--limit", "2");
    expect(some).toBe(`${stored[4]}\n${stored[5]}\n`);
  });

  it("apply --limit to printed AgentEvents, not to envelopes without one", async () => {
    const { stdout } = await spoor("events", runs[0] ?? "", "--agent-events", "--limit", "2");
    const events = stdout.trimEnd().split("\n");
    expect(events.map((line) => JSON.parse(line).type)).toEqual(["session_start", expect.any(String)]);
  });

  it("answer which commands an agent ran", async () => {
    const { stdout } = await spoor("events", "--run", runs[0] ?? "", "--type", "tool.shell.exited", "--json");
    const exits = stored.filter((line) => line.includes('"type":"tool.shell.exited"'));
    expect(exits.length).toBeGreaterThan(0);
    expect(stdout.trimEnd().split("\n")).toEqual(exits);
  });

  it.each(["events", "tail"])("%s prints nothing of a run that belongs to another agent or task", async (command) => {
    const which = command === "events" ? ["--run", "last"] : ["last"];
    const typed = [command, ...which, "--type", "run.*", "--json"];
    expect((await spoor(...typed, "--agent", "claude")).stdout).not.toBe("");
    expect(await spoor(...typed, "--agent", "codex")).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(await spoor(...typed, "--task", tasks[0] ?? "")).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  it("show a run by its id, by the end of its id, or as the last one", async () => {
    const [first = "", last = ""] = runs;
    for (const [typed, run_id] of [
      [first, first],
      [first.slice(-6), first],
      ["last", last],
    ] as const) {
      const { code, stdout } = await spoor("show", typed);
      expect(code).toBe(0);
      expect(stdout).toContain(run_id);
      expect(stdout).toContain("claude");
    }
    const { view } = JSON.parse((await spoor("show", "--json")).stdout);
    expect(view.status).toBe("completed");
  });

  it("follow a run that has ended to its end, and replay it as AgentEvents", async () => {
    const { stdout } = await spoor("tail", runs[0] ?? "", "--json");
    expect(stdout).toBe(stored.map((line) => `${line}\n`).join(""));
    const replayed = await spoor("replay", runs[0] ?? "", "--speed", "0", "--agent-events");
    const types = replayed.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).type);
    expect([types[0], types.at(-1)]).toEqual(["session_start", "session_end"]);
  });

  it.each([
    [["show", "nosuchrun"], 1, "There is no run"],
    [["events", "--limit", "none"], 2, "--limit takes a whole number"],
    [["events", "--after", "x"], 2, "--after takes a whole number of at least 0, or `now`, not x."],
    [["ls", "--status", "odd"], 2, "Allowed choices"],
  ])("report what is wrong with %j", async (argv, code, message) => {
    const result = await spoor(...argv);
    expect(result.code).toBe(code);
    expect(result.stderr).toContain(message);
  });

  it("say how to record a run if nothing is recorded, and create nothing", async () => {
    const { code, stderr } = await run(["ls", "--data", path.join(data, "nowhere")]);
    expect(code).toBe(1);
    expect(stderr).toContain("spoor run");
  });
});
