import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";

const bin = fileURLToPath(new URL("../../../bin/spoor.js", import.meta.url));
const program = fileURLToPath(new URL("../../../testing/cli/programs/fake-claude.mjs", import.meta.url));
const home = mkdtempSync(path.join(tmpdir(), "spoor-environment-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const callers = {
  GH_TOKEN: "gh-token-of-the-caller",
  SSH_AUTH_SOCK: "/run/agent.sock",
  VIRTUAL_ENV: "/venv",
  GOPATH: "/go",
  NAMED_IN_A_SETTINGS_FILE: "any value",
  AWS_SECRET_ACCESS_KEY: "aws-secret-of-the-caller",
};
const withheld = { SPOOR_TOKEN: "spoor-token", CLAUDECODE: "1", CLAUDE_CODE_ENTRYPOINT: "cli" };

const spoor = (...args: string[]) =>
  spawnSync(process.execPath, [bin, ...args], {
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: home, SPOOR_HOME: path.join(home, "data"), ...callers, ...withheld },
  });

/** The variables that the agent printed, by name. */
function seenByAgent(...flags: string[]): Record<string, string> {
  const prompt = `variables ${[...Object.keys({ ...callers, ...withheld }), "SPOOR_HOME"].join(" ")}`;
  const command = `"${process.execPath}" "${program}"`;
  const { stdout, stderr, status } = spoor("run", "claude", prompt, "--command", command, ...flags);
  expect({ status, stderr }).toMatchObject({ status: 0 });
  return Object.fromEntries(
    stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split("=") as [string, string]),
  );
}

const absent = (names: object) => Object.fromEntries(Object.keys(names).map((name) => [name, "(absent)"]));

describe("the environment of an agent that spoor run starts", { timeout: 120_000 }, () => {
  it("is that of the caller without Spoor's tokens and the marks of an outer agent, and its secrets are not stored", () => {
    const seen = seenByAgent();
    expect(Object.keys(seen)).toEqual([...Object.keys({ ...callers, ...withheld }), "SPOOR_HOME"]);
    for (const name of ["SSH_AUTH_SOCK", "VIRTUAL_ENV", "GOPATH", "NAMED_IN_A_SETTINGS_FILE"])
      expect(seen[name]).toBe(callers[name as keyof typeof callers]);
    for (const name of ["GH_TOKEN", "AWS_SECRET_ACCESS_KEY"]) expect(seen[name]).not.toBe("(absent)");
    expect(seen).toMatchObject(absent(withheld));
    expect(seen.SPOOR_HOME).toBe(path.join(home, "data"));
    const stored = spoor("events", "--run", "last", "--json").stdout;
    expect(stored).toContain("GOPATH=/go");
    expect(stored).not.toMatch(/gh-token-of-the-caller|aws-secret-of-the-caller/);
  });

  it("is the allow list and what --env names, with --clean-env", () => {
    const { AWS_SECRET_ACCESS_KEY: _, ...others } = callers;
    expect(seenByAgent("--clean-env")).toMatchObject({ ...absent(others), ...absent(withheld) });
    const named = seenByAgent("--clean-env", "--env", "GOPATH", "--env", "CLAUDECODE", "--env", "SPOOR_TOKEN");
    expect(named).toMatchObject({ GOPATH: "/go", CLAUDECODE: "1", VIRTUAL_ENV: "(absent)", SPOOR_TOKEN: "(absent)" });
  });

  it("is explained by spoor run --help", () => {
    const words = spoor("run", "--help").stdout.replace(/\s+/g, " ");
    expect(words).toContain("The agent gets your environment as it would from a shell");
    expect(words).toContain("--clean-env");
  });
});
