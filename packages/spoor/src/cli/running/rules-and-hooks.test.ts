import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";

const bin = fileURLToPath(new URL("../../../bin/spoor.js", import.meta.url));
const claude = fileURLToPath(new URL("../../../testing/cli/programs/fake-claude.mjs", import.meta.url));

/** Runs `spoor run claude` as a process with hooks and rules of the user. The agent asks for one permission. */
function spoorRun(given: { hooks?: object; rules?: string; flags?: string[]; command?: string; agent?: string }) {
  const { hooks = {}, rules = "", flags = [], agent = "claude" } = given;
  const home = mkdtempSync(path.join(tmpdir(), "spoor-rules-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const [data, cwd] = [path.join(home, "data"), path.join(home, "work")];
  mkdirSync(data, { mode: 0o700 });
  mkdirSync(cwd);
  const heard = path.join(home, "heard");
  const config = JSON.stringify({ hooks }).replaceAll("HEARD", heard);
  writeFileSync(path.join(data, "config.json"), config);
  writeFileSync(path.join(data, "policy.rules"), rules);
  const command = (given.command ?? `"${process.execPath}" "${claude}"`).replaceAll("HEARD", heard);
  const args = ["run", agent, "run it", "--command", command, ...flags];
  const env = { ...process.env, SPOOR_HOME: data };
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], {
    ...{ encoding: "utf8", input: "", cwd, env },
  });
  const heardText = () => (existsSync(heard) ? readFileSync(heard, "utf8") : "");
  return { status, stdout, stderr, heard: heardText(), lines: () => stdout.trimEnd().split("\n") };
}

describe("spoor run", { timeout: 120_000 }, () => {
  it.each([["--json"], ["--json", "--no-record"]])("gives hooks the envelopes that %s %s prints", (...flags) => {
    const { lines, heard } = spoorRun({
      hooks: {
        PreToolUse: [{ command: 'cat >> HEARD; echo \'{"decision":"allow"}\'' }],
        PostToolUse: [{ command: "cat >> HEARD" }],
      },
      flags: [...flags, "--approve", "ask"],
    });
    const printed = lines().filter((line) => /"type":"tool\.(invoked|completed|failed)"/.test(line));
    expect(printed.length).toBeGreaterThan(1);
    expect(heard.trimEnd().split("\n")).toEqual(printed);
  });

  it("asks the hooks also if nothing is recorded and nobody is to be asked", () => {
    const { stdout, heard } = spoorRun({
      hooks: { PreToolUse: [{ command: "cat > HEARD; echo 'not here' >&2; exit 2" }] },
      flags: ["--no-record", "--approve", "auto"],
    });
    expect(JSON.parse(heard)).toMatchObject({ type: "tool.invoked" });
    expect(stdout).toContain("not here");
  });

  it("ends the run when an action is refused, if --on-reject fail says so", () => {
    const { status, stderr } = spoorRun({ flags: ["--approve", "deny", "--on-reject", "fail"] });
    expect({ status, stderr }).toEqual({ status: 19, stderr: expect.stringContaining("An action was refused") });
  });

  it("says that an agent which cannot ask cannot be held by hooks", () => {
    const { stderr } = spoorRun({
      ...{ agent: "amp", command: "false", flags: ["--approve", "auto"] },
      hooks: { PreToolUse: [{ command: "true" }] },
    });
    expect(stderr).toContain("amp acts without asking, so your hooks cannot hold it.");
  });

  it("refuses a model that a rule blocks before the agent starts", () => {
    const { status, stderr, heard } = spoorRun({
      rules: "block model opus",
      command: `"${process.execPath}" -e "require('fs').writeFileSync('HEARD', '')"`,
      flags: ["--model", "opus"],
    });
    expect({ status, heard }).toEqual({ status: 2, heard: "" });
    expect(stderr).toContain("A rule blocks the model opus: ");
  });

  it("needs an approval for a model that a rule asks about", () => {
    const { status, stderr } = spoorRun({ rules: "ask model opus", flags: ["--model", "opus"] });
    expect({ status, stderr }).toEqual({ status: 17, stderr: expect.stringContaining("`spoor approve`") });
  });
});
