import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { appendGolden } from "../../../testing/cli/logs.ts";
import { createPlace } from "../../../testing/cli/process.ts";
import { openLogSync } from "../../log/open.ts";

const place = createPlace("flags");
beforeAll(async () => {
  const log = openLogSync({ directory: place.data });
  await appendGolden(log, "success");
  await log.close();
  writeFileSync(path.join(place.home, "mcp.json"), JSON.stringify({ mcpServers: { "a b": { command: "x" } } }));
  writeFileSync(path.join(place.home, "notes.json"), JSON.stringify({ mcpServers: { notes: { command: "x" } } }));
  writeFileSync(path.join(place.home, "data.zip"), Buffer.from([0, 1, 2]));
  mkdirSync(path.join(place.data, "profiles"), { recursive: true });
});
afterAll(() => place.remove());

describe("a flag that cannot be used", { timeout: 60_000 }, () => {
  it.each([
    [["--effort", "huge"], 2, '--effort must be one of "low", "medium", "high", "max", not "huge".'],
    [["--resume", "a", "--fork", "b"], 2, "--resume and --fork exclude each other: keep one."],
    [["--resume", "a", "--no-session"], 2, "--resume and --no-session exclude each other: keep one."],
    [["--cwd", "/no/such/folder"], 2, "--cwd must be a folder that exists, not /no/such/folder."],
    [["--model", " "], 2, '--model must be text that is not empty, not " ".'],
    [["--system", ""], 2, '--system must be text that is not empty, not "".'],
    [["--profile", "../x"], 2, "--profile must be a name of at most 64 letters"],
    [["--attach", "nothing.png"], 2, "--attach: Cannot attach"],
    [["--mcp", "mcp.json"], 2, "--mcp: mcpServers[0].name must be letters, digits, _ and -"],
    [["--mcp", "nothing.json"], 2, "--mcp cannot read MCP servers from nothing.json: ENOENT"],
    [["--env", "FOO=bar"], 2, '--env takes the name of an environment variable, not "FOO=bar".'],
    [["--approve", "maybe"], 2, "Run `spoor run --help` to see the arguments and flags."],
    [["--attach", "data.zip"], 6, "Leave out --attach."],
    [["--dialect", "latin"], 6, "Leave out --dialect."],
    [["--timeout", "soon"], 2, "--timeout takes seconds, or a time span such as 90s, 5m, 1h30m or 30d, not"],
    [["--inactivity", "0"], 2, "--inactivity takes seconds"],
    [["--max-turns", "0"], 2, "--max-turns takes a whole number of at least 1, not 0."],
  ])("is named as it was typed: run claude x %j", async (argv, code, message) => {
    const { code: ended, stdout, stderr } = await place.spoor(["run", "claude", "x", ...argv]);
    expect({ ended, stdout }).toEqual({ ended: code, stdout: "" });
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/thinkingEffort|noSession|systemPrompt|passEnv|maxTurns|inactivityTimeout/);
  });

  it("is named when it is missing", async () => {
    const { code, stderr } = await place.spoor(["run", "acp", "x"]);
    expect([code, stderr]).toEqual([2, "--command is missing: acp needs the program to run, with its arguments.\n"]);
  });

  it("is named if the agent does not support it", async () => {
    const { code, stderr } = await place.spoor(["run", "pi", "x", "--mcp", "notes.json"]);
    expect([code, stderr]).toEqual([6, expect.stringContaining("Leave out --mcp.")]);
  });
});

describe("an unknown agent", { timeout: 60_000 }, () => {
  it.each([
    [["run", "cloude", "x"]],
    [["parse", "cloude"]],
    [["agents", "cloude"]],
    [["sessions", "cloude"]],
    [["ls", "--agent", "cloude"]],
    [["events", "--agent", "cloude"]],
    [["tail", "--agent", "cloude"]],
  ])("has the same exit code and message in every command: %j", async (argv) => {
    expect(await place.spoor(argv)).toEqual({
      code: 3,
      stdout: "",
      stderr: 'There is no agent "cloude". Did you mean claude?\n',
    });
  });

  it("is accepted if a run in the log has it", async () => {
    const log = openLogSync({ directory: place.data });
    await log.append([
      { run_id: "run_01M7AAAA000000000000000QX7", create: { agent: "mybot", kind: "agent" }, drafts: [] },
    ]);
    await log.close();
    expect((await place.spoor(["ls", "--agent", "mybot"])).stdout).toContain("mybot");
  });
});

describe("an unknown event type", { timeout: 60_000 }, () => {
  it.each([
    ["tool.shel.exited", "Did you mean tool.shell.exited?"],
    ["errr.*", "Did you mean error.*?"],
    ["text_delta", "Did you mean assistant.text_delta?"],
    ["zzzzzzzzzzzzzzz.qqqqqqqqqqqqqqqq", "`spoor schema` lists all types."],
  ])("is reported with the nearest types: %s", async (type, hint) => {
    const { code, stdout, stderr } = await place.spoor(["events", "--type", `${type},run.created`, "--json"]);
    expect(code).toBe(0);
    expect(stderr).toBe(`Warning: --type ${type} matches no event type of Spoor and none in this log. ${hint}\n`);
    expect(JSON.parse(stdout).type).toBe("run.created");
  });

  it("is not reported if it is in the log or in the catalog", async () => {
    const log = openLogSync({ directory: place.data });
    const [run] = (await log.runs({ agent: "claude" })).runs;
    const mine = { type: "acme.deployed", timestamp: Date.now(), json: "{}" };
    await log.append([{ run_id: run?.run_id ?? "", drafts: [mine] }]);
    await log.close();
    for (const type of ["acme.deployed", "acme.*", "gap.*", "approval.timed_out"]) {
      expect(await place.spoor(["events", "--type", type])).toMatchObject({ code: 0, stderr: "" });
    }
  });
});
