import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterEach, expect, it, vi } from "vitest";
import { run } from "../../../testing/cli/run.ts";
import { privateHome } from "../../../testing/run/private-home.ts";
import { homeWithSessions } from "../../../testing/sessions/home-with-sessions.ts";
import { claude } from "../../agents/claude/index.ts";

const FIRST = "172748a8-dd91-4d69-84c5-bffd9168ff4b";
const program = fileURLToPath(new URL("../../../testing/cli/programs/fake-claude.mjs", import.meta.url));
const command = ["--command", `"${process.execPath}" "${program}"`, "--no-record"];

afterEach(() => vi.unstubAllEnvs());

function useHome<Home extends { home: string; at(name: string): string }>(home: Home): Home {
  for (const name of ["HOME", "USERPROFILE"]) vi.stubEnv(name, home.home);
  for (const name of ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "PI_CODING_AGENT_DIR", "QWEN_HOME"]) {
    vi.stubEnv(name, undefined);
  }
  vi.stubEnv("SPOOR_HOME", home.at("nothing"));
  return home;
}

const prompt = (text: string, cwd = "/work"): string =>
  `${JSON.stringify({ type: "user", cwd, timestamp: "2026-11-01T10:00:00Z", message: { content: text } })}\n`;

it("lists sessions, of all agents or of one", async () => {
  useHome(homeWithSessions());
  const all = await run(["sessions"]);
  expect(all.code).toBe(0);
  expect(all.stdout).toMatch(new RegExp(`^claude:${FIRST} .* claude-opus-5-5 .* Do the thing$`, "m"));
  expect(all.stdout).toMatch(/^gemini:e0bc7156-/m);
  const one = await run(["sessions", "codex"]);
  expect(one.stdout.trimEnd().split("\n")).toHaveLength(3);
  expect((await run(["sessions", "claude", "--cwd", "/elsewhere"])).stdout).toBe("No sessions.\n");
});

it("says that there are more sessions than it lists", async () => {
  useHome(homeWithSessions([claude]));
  expect((await run(["sessions", "--limit", "2"])).stdout).toContain(
    "There are more sessions: --limit 4 lists more.\n",
  );
  expect((await run(["sessions", "--limit", "3"])).stdout).not.toContain("There are more");
  expect((await run(["sessions", "--limit", "none"])).code).toBe(2);
});

it("prints JSON lines, one for each session", async () => {
  useHome(homeWithSessions([claude]));
  const { stdout } = await run(["sessions", "--json", "--limit", "2"]);
  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((text) => JSON.parse(text));
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatchObject({
    agent: "claude",
    cwd: "/home/user/project",
    updated_at: expect.stringMatching(/^\d{4}-.*Z$/),
  });
});

it("searches, and shows where the text was found", async () => {
  useHome(homeWithSessions());
  const { stdout } = await run(["sessions", "claude", "--search", "remember"]);
  expect(stdout).toContain(`claude:${FIRST}`);
  expect(stdout).toContain("  assistant: I remember.\n");
  expect((await run(["sessions", "--search", "never said"])).stdout).toBe("No sessions.\n");
});

it("shows the messages of a session", async () => {
  useHome(homeWithSessions());
  const { code, stdout } = await run(["sessions", "show", "ff4b"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(new RegExp(`^session +claude:${FIRST}$`, "m"));
  expect(stdout).toMatch(/^cost +\$0\.\d{4} \(estimated\)$/m);
  expect(stdout).toContain('\n> Do the thing\n\nI run it.\n● Bash {"command":"echo out; echo more"');
  const json = JSON.parse((await run(["sessions", "show", FIRST, "--json"])).stdout);
  expect(json).toMatchObject({ native_id: FIRST, turn_count: 3 });
  expect((await run(["sessions", "show", FIRST, "--markdown"])).stdout).toContain("## Assistant\n\nI run it.\n");
});

it("escapes control characters of sessions", async () => {
  const evil = "\u001b]0;owned\u0007\u001b[2Jnext\u202e";
  const home = { ".claude/projects/p/evil.jsonl": `${prompt(`${evil}\nsecond`)}${evil}\n` };
  useHome(privateHome(home));
  for (const argv of [["sessions"], ["sessions", "--search", "second"], ["sessions", "show", "evil"]]) {
    for (const more of [[], ["--markdown"]]) {
      if (more.length > 0 && argv[1] !== "show") continue;
      const { stdout, stderr } = await run([...argv, ...more]);
      expect(stdout).toContain("\\u001b");
      for (const bad of ["\u001b", "\u0007", "\u202e"]) expect(`${stdout}${stderr}`).not.toContain(bad);
    }
  }
});

it("reports wrong arguments", async () => {
  useHome(homeWithSessions([claude]));
  expect(await run(["sessions", "nobody"])).toMatchObject({ code: 3, stdout: "" });
  expect(await run(["sessions", "acp"])).toMatchObject({
    code: 6,
    stderr: expect.stringContaining("Spoor cannot read sessions of"),
  });
  expect(await run(["sessions", "show", "nothing"])).toMatchObject({
    code: 8,
    stderr: expect.stringContaining('There is no session "nothing".'),
  });
  expect(await run(["sessions", "show"])).toMatchObject({ code: 2 });
  expect((await run(["sessions", "show", FIRST, "--json", "--markdown"])).code).toBe(2);
});

it("prints notes about what could not be read", async () => {
  useHome(privateHome({ ".claude/projects/p/s.jsonl": `broken\n${prompt("Hello")}` }));
  const { stdout, stderr } = await run(["sessions"]);
  expect(stdout).toContain("Hello");
  expect(stderr).toMatch(/s\.jsonl: 1 of its lines could not be read\.\n$/);
});

it("resumes a session by the end of its id, in the directory it was held in", async () => {
  const home = useHome(privateHome());
  home.write(".claude/projects/p/0f5e-abcd.jsonl", prompt("Before", home.cwd));
  const { code, stdout } = await run(["resume", "abcd", "argv", "--model", "opus", "--approve", "deny", ...command]);
  expect(code).toBe(0);
  expect(stdout).toContain("--resume 0f5e-abcd");
  expect(stdout).toContain("--model opus");
  expect((await run(["resume", "claude:0f5e-abcd", "argv", "--fork", ...command])).stdout).toContain("--fork-session");
});

it("resumes in another directory only with --cwd", async () => {
  const home = useHome(privateHome());
  home.write(".claude/projects/p/0f5e-abcd.jsonl", prompt("Before", home.at("gone")));
  const lost = await run(["resume", "abcd", "argv", ...command]);
  expect(lost).toMatchObject({ code: 2, stderr: expect.stringContaining("which no longer exists") });
  expect((await run(["resume", "abcd", "argv", "--cwd", home.cwd, ...command])).code).toBe(0);
});

it("does not take a file name for a flag, or a text for a session", async () => {
  const home = useHome(privateHome());
  home.write(".claude/projects/p/--dangerously.jsonl", prompt("Before", home.cwd));
  expect(await run(["resume", "claude:--dangerously", "argv", ...command])).toMatchObject({ code: 8 });
  rmSync(home.at(".claude"), { recursive: true });
  expect(await run(["resume", "anything", "argv", ...command])).toMatchObject({ code: 8 });
});

it("has a help text", async () => {
  expect((await run(["sessions", "--help"])).stdout).toContain("--search <text>");
  expect((await run(["sessions", "show", "--help"])).stdout).toContain("--markdown");
  const { stdout } = await run(["resume", "--help"]);
  for (const option of ["--fork ", "--model <name>", "--no-record", "--approve <mode>"])
    expect(stdout).toContain(option);
  for (const option of ["--resume", "--no-session", "--fork <session>"]) expect(stdout).not.toContain(option);
});
