import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { fileURLToPath, pathToFileURL } from "node:url";
import { createStreamChecker } from "@spoor/protocol";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { run } from "../../../testing/cli/run.ts";

const program = fileURLToPath(new URL("../../../testing/cli/programs/fake-claude.mjs", import.meta.url));
const command = ["--command", `"${process.execPath}" "${program}"`];
const folder = mkdtempSync(join(tmpdir(), "spoor-run-"));
afterAll(() => rmSync(folder, { recursive: true, maxRetries: 5 }));
const listFile = join(folder, "list.json");
writeFileSync(listFile, '{"mcpServers": []}');
const nullServerFile = join(folder, "null-server.json");
writeFileSync(nullServerFile, '{"mcpServers": {"notes": null}}');
// The configuration of this machine's user must not affect the tests.
beforeEach(() => {
  vi.stubEnv("SPOOR_HOME", join(folder, "nothing"));
});

describe("spoor run", () => {
  it("shows what the agent says", async () => {
    const { code, stdout, stderr } = await run(["run", "claude", "hello", ...command]);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: "You said: hello\n",
      stderr: expect.stringMatching(/^✓ Done in .*\nRecorded as run_\w+\.\n$/),
    });
  });

  it("does not start if it cannot record, and says how to run without recording", async () => {
    const file = join(folder, "no-directory");
    writeFileSync(file, "");
    const { code, stderr } = await run(["run", "claude", "hello", "--data", join(file, "data"), ...command]);
    expect(code).toBe(1);
    expect(stderr).toContain("--no-record");
  });

  it("reads the prompt from standard input", async () => {
    const { stdout } = await run(["run", "claude", "-", ...command], Readable.from(["from a pipe"]));
    expect(stdout).toBe("You said: from a pipe\n");
  });

  it.each([
    ["--json", "run_"],
    ["--json --no-record", "run_"],
    ["--agent-events", ""],
    ["--agent-events --no-record", ""],
  ])(
    "prints a stream that keeps the contract and nothing else with %s, and the result into a file",
    async (form, id) => {
      const file = join(folder, "result.json");
      const flags = [...form.split(" "), "--result", file];
      const { code, stdout, stderr } = await run(["run", "claude", "hello", ...flags, ...command]);
      const checker = createStreamChecker();
      const events = stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
      expect([...events.flatMap((event) => checker.add(event)), ...checker.end()]).toEqual([]);
      expect(events[0]).toMatchObject(
        id ? { type: "run.created", run_id: expect.stringMatching(/^run_/) } : { agent: "claude" },
      );
      expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({
        run_id: expect.stringMatching(/^run_/),
        exit_reason: "completed",
        text: "You said: hello",
      });
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    },
  );

  it("prints with --json the same bytes as spoor events does later", async () => {
    const { stdout } = await run(["run", "claude", "hello", "--json", ...command]);
    expect(stdout).toBe((await run(["events", "--run", "last", "--json"])).stdout);
  });

  it("says how to install an agent that is not installed, and records no run", async () => {
    vi.stubEnv("SPOOR_HOME", join(folder, "not-installed"));
    vi.stubEnv("PATH", folder);
    const { code, stderr } = await run(["run", "claude", "hello"]);
    expect(code).toBe(4);
    expect(stderr).toContain(
      'there is no program "claude" on the PATH. Install it:\n  npm install -g @anthropic-ai/claude-code',
    );
    expect(stderr).toContain("name the program with --command");
    expect((await run(["ls"])).stderr).toContain("Nothing is recorded");
  });

  it("reads the prompt from a file, and takes the word after --env NAME for the prompt", async () => {
    const file = join(folder, "prompt.txt");
    writeFileSync(file, "from a file");
    expect((await run(["run", "claude", "--prompt-file", file, ...command])).stdout).toBe("You said: from a file\n");
    const passed = await run(["run", "claude", ...command, "--env", "ONE", "--env", "TWO", "after the names"]);
    expect(passed.stdout).toBe("You said: after the names\n");
  });

  it("does not start if the result file cannot be written", async () => {
    const missing = await run(["run", "claude", "hello", "--result", join(folder, "none", "x.json"), ...command]);
    const wanted = `there is no directory ${join(folder, "none")}.`;
    expect(missing).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(wanted) });
    const taken = await run(["run", "claude", "hello", "--result", folder, ...command]);
    expect(taken).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("it is a directory.") });
  });

  it("reports that the result could not be written at the end", async () => {
    const gone = mkdtempSync(join(folder, "gone-"));
    const file = join(gone, "x.json");
    const script = join(folder, "remove.mjs");
    const remove = `import { rmSync } from "node:fs"; rmSync(${JSON.stringify(gone)}, { recursive: true });`;
    writeFileSync(script, `${remove} await import(${JSON.stringify(pathToFileURL(program).href)});`);
    const removing = ["--command", `"${process.execPath}" "${script}"`];
    const { code, stdout, stderr } = await run(["run", "claude", "hello", "--result", file, ...removing]);
    expect(stdout).toBe("You said: hello\n");
    expect(stderr).toContain(`The result could not be written to ${file}: ENOENT`);
    expect(code).toBe(1);
  });

  it("refuses actions that need permission if nobody can be asked, and says so", async () => {
    const { code, stdout, stderr } = await run(["run", "claude", "run it", ...command]);
    expect(stdout).toContain("● Run rm -rf dist");
    expect(stdout).toContain("Nobody can be asked: standard input is not a terminal. --approve auto allows");
    expect(stdout).toContain("I left it.");
    expect(stderr).toContain("1 question of the agent was refused. Nobody can be asked");
    expect(code).toBe(17);
  });

  it("passes model, session, turns and mode on as the agent's own arguments", async () => {
    const options = ["--model", "opus", "--resume", "abc", "--max-turns", "3", "--approve", "deny"];
    const { stdout } = await run(["run", "claude", "argv", ...options, ...command]);
    for (const words of ["--model opus", "--resume abc", "--max-turns 3", "--permission-mode dontAsk"]) {
      expect(stdout).toContain(words);
    }
  });

  it("takes options that are not given from a profile and from the configuration", async () => {
    const home = join(folder, "home");
    mkdirSync(join(home, "profiles"), { recursive: true });
    writeFileSync(join(home, "profiles", "careful.json"), '{"model": "opus", "approve": "deny"}');
    writeFileSync(join(home, "config.json"), '{"model": "haiku", "maxTurns": 7}');
    vi.stubEnv("SPOOR_HOME", home);
    const { stdout } = await run(["run", "claude", "argv", "--profile", "careful", ...command]);
    for (const words of ["--model opus", "--permission-mode dontAsk", "--max-turns 7"]) expect(stdout).toContain(words);
    writeFileSync(join(home, "config.json"), '{"modle": "haiku"}');
    const broken = await run(["run", "claude", "argv", ...command]);
    expect(broken).toMatchObject({ code: 7, stderr: expect.stringContaining("modle is not known") });
    expect((await run(["run", "claude", "argv", "--profile", "none", ...command])).code).toBe(9);
  });

  it("sends further prompts when the agent is done, and files with the first prompt", async () => {
    const file = join(folder, "dot.png");
    writeFileSync(file, Buffer.from("89504e470d0a1a0a", "hex"));
    const queued = ["--queue", "two", "--queue", "three"];
    const { stdout } = await run(["run", "claude", "one", ...queued, "--attach", file, ...command]);
    expect(stdout).toBe("You said: one\nYou said: two\nYou said: three\n");
  });

  it("escapes control characters in the agent's text", async () => {
    const { stdout } = await run(["run", "claude", "escape", ...command]);
    expect(stdout).toBe("\\u001b[2Jgone\\u202e\n");
  });

  it.each([
    [["run", "claude", "fix", "the", "test"], 2, "Put a prompt of several words in quotes."],
    [["run", "nobody", "x"], 3, 'There is no agent "nobody".'],
    [
      ["run", "claude", " "],
      2,
      "The prompt is empty. Give it as an argument, with --prompt-file, or on standard input.",
    ],
    [["run", "claude", "x", "--command", "no-such-program"], 4, 'The command "no-such-program" cannot be run'],
    [["run", "claude", "x", "--command", " "], 2, "--command names no program"],
    [["run", "claude", "x", "--command", ""], 2, "--command names no program"],
    [["run", "claude", "x", "--command", '"no end'], 2, "--command has an opening quote without a closing one"],
    [["run", "claude", "x", "--mcp", "no-such-file"], 2, "--mcp cannot read MCP servers from no-such-file: ENOENT"],
    [["run", "claude", "x", "--mcp", listFile], 2, '--mcp expects {"mcpServers"'],
    [["run", "claude", "x", "--mcp", nullServerFile], 2, '--mcp expects an object for the server "notes"'],
    [["run", "claude", "x", "--env", "NAME=value", ...command], 2, "--env takes the name of an environment variable"],
    [["run", "claude", "x", "--prompt-file", "prompt.txt"], 2, "There are two prompts"],
    [["run", "claude", "--prompt-file", "no-such-file"], 2, "--prompt-file cannot read no-such-file: ENOENT"],
    [["run", "claude", "x", "--json", "--agent-events"], 2, "--json and --agent-events exclude each other"],
    [["run", "claude", "x", "--max-turns", "none"], 2, "--max-turns takes a whole number"],
    [["run", "claude", "x", "--approve", "maybe"], 2, "maybe"],
    [["run", "claude", "x", "--effort", "huge"], 2, "--effort must be one of"],
    [["run", "claude", "x", "--attach", "no-such-file"], 2, "Cannot attach"],
    [["run", "claude", "x", "--resume", "a", "--fork", "b"], 2, "--resume and --fork exclude each other"],
    [["run", "claude", "x", "--retries", "-1"], 2, "--retries takes a whole number"],
    [["run", "gemini", "x", "--system", "Be kind."], 6, "system prompt"],
    [["run", "claude", "x", "--dialect", "latin", ...command], 6, "latin"],
  ])("%j exits with %i and says why", async (argv, expected, message) => {
    const { code, stderr } = await run(argv);
    expect(code).toBe(expected);
    expect(stderr).toContain(message);
  });

  it("prints the last lines of standard error of an agent that crashed, and the reason if the turn limit was reached", async () => {
    const words = `"${process.execPath}" -e "console.error('one');console.error('two');process.exit(3)" --`;
    const crashed = await run(["run", "claude", "hello", "--command", words]);
    expect(crashed).toMatchObject({ code: 12, stderr: expect.stringMatching(/\none\ntwo\n$/) });
    const limited = await run(["run", "claude", "hello", "--queue", "again", "--max-turns", "1", ...command]);
    expect(limited).toMatchObject({
      code: 16,
      stderr: expect.stringMatching(/\n✗ TURN_LIMIT: The limit of 1 turn was reached\.\n/),
    });
  });

  it("exits with code 11 after a timeout", async () => {
    expect((await run(["run", "claude", "hang", "--timeout", "1", ...command])).code).toBe(11);
  });

  it("interrupts the agent at Ctrl-C", async () => {
    const bin = fileURLToPath(new URL("../../../bin/spoor.js", import.meta.url));
    const child = spawn(process.execPath, [bin, "run", "claude", "hang", ...command], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(child.stdout, "data");
    child.kill("SIGINT");
    const [code] = await once(child, "exit");
    expect(code).toBe(130);
  });
});
