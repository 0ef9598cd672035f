import { spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { bin, createPlace, hasTerminal } from "../../../testing/cli/process.ts";
import { run } from "../../../testing/cli/run.ts";

const agent = fileURLToPath(new URL("../../../testing/cli/programs/fake-claude.mjs", import.meta.url));
const command = ["--command", `"${process.execPath}" "${agent}"`];

let data = "";
const spoor = (...argv: string[]) => run([...argv, "--data", data]);

beforeAll(async () => {
  data = await mkdtemp(path.join(tmpdir(), "spoor-upkeep-"));
  expect((await spoor("run", "claude", "hello", ...command)).code).toBe(0);
  // Standard input is not a terminal, so nobody is asked.
  expect((await spoor("run", "claude", "run it", ...command)).code).toBe(17);
});
afterAll(() => rm(data, { recursive: true }));

describe("the commands that maintain the log", () => {
  it("verify that no event was changed", async () => {
    const { code, stdout } = await spoor("verify");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\d+ events of 2 runs: all as they were written\.\n$/);
    expect((await spoor("verify", "last")).stdout).toMatch(/^\d+ events of 1 run: /);
  });

  it.each([
    ["jsonl", /^\{"schema_version":"1",.*"run\.created"/],
    ["markdown", /^# run it\n/],
    ["cloudevents", /^\{"specversion":"1\.0",/],
    ["otel", /^\{"resourceSpans":\[/],
  ])("export a run as %s, to a file or to standard output", async (format, beginning) => {
    const { code, stdout, stderr } = await spoor("export", "last", "--format", format, "--out", "-");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(beginning);
    const file = path.join(data, `run.${format}`);
    const written = await spoor("export", "last", "--format", format, "--out", file, "--json");
    expect(JSON.parse(written.stdout)).toMatchObject({ file, format, events: expect.any(Number) });
    expect(readFileSync(file, "utf8")).toBe(stdout);
    expect((await spoor("export", "last", "--format", format, "--out", file)).stderr).toContain("--force");
  });

  it.each(["bundle", "jsonl"])("export a %s to no folder and to no device, also by force", async (format) => {
    for (const more of [[], ["--force"]]) {
      const toFolder = await spoor("export", "last", "--format", format, "--out", data, ...more);
      expect([toFolder.code, toFolder.stderr]).toEqual([1, `Cannot write ${data}: it is a directory. Name a file.\n`]);
      const toNothing = await spoor("export", "last", "--format", format, "--out", "", ...more);
      expect([toNothing.code, toNothing.stderr]).toEqual([
        1,
        "Cannot write the file: its name is empty. Name a file.\n",
      ]);
      const device = process.platform === "win32" ? "NUL" : "/dev/null";
      const toDevice = await spoor("export", "last", "--format", format, "--out", device, ...more);
      expect([toDevice.code, toDevice.stderr]).toEqual([1, expect.stringContaining("is not a file")]);
    }
  });

  it.runIf(existsSync("/dev/full"))("say in one sentence that standard output cannot be written", async () => {
    const full = openSync("/dev/full", "w");
    const args = [bin, "export", "last", "--format", "jsonl", "--out", "-", "--data", data];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", stdio: ["ignore", full, "pipe"] });
    closeSync(full);
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^Cannot write to standard output: ENOSPC.*\n$/)]);
  });

  it("export a run to a file that is verified without the log, and find a changed byte in it", async () => {
    const file = path.join(data, "run.spoor");
    expect((await spoor("export", "last", "--out", file)).code).toBe(0);
    expect((await run(["verify", "--file", file])).stdout).toContain("all as they were written");
    const again = await spoor("export", "last", "--out", file);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("--force")]);
    writeFileSync(file, readFileSync(file, "utf8").replace("I left it", "I left in"));
    const { code, stdout } = await run(["verify", "--file", file]);
    expect(code).toBe(1);
    expect(stdout).not.toBe("");
    expect((await run(["verify", "--file", path.join(data, "nothing")])).code).toBe(2);
    const both = await spoor("verify", "last", "--file", file);
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining("A run and --file exclude each other") });
  });

  it("export to standard output and verify from standard input", { timeout: 60_000 }, async () => {
    const place = createPlace("export");
    onTestFinished(() => place.remove());
    const exported = await place.spoor(["export", "last", "-o", "-", "--data", data]);
    expect(exported).toMatchObject({ code: 0, stderr: expect.stringMatching(/^\d+ events of run_\w+ written/) });
    expect(await place.spoor(["verify", "--file", "-"], exported.stdout)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("all as they were written"),
    });
    const broken = await place.spoor(["verify", "--file", "-"], exported.stdout.replace("I left it", "I left in"));
    expect(broken.code).toBe(1);
    const withJson = await place.spoor(["export", "last", "--out", "-", "--json", "--data", data]);
    expect([withJson.stdout, JSON.parse(withJson.stderr)]).toEqual([
      exported.stdout,
      expect.objectContaining({ file: "-" }),
    ]);
    if (hasTerminal)
      expect(place.onTerminal(["export", "last", "-o", "-", "--data", data])).toMatch(/^--out - does not/);
  });

  it("report a missing folder, and leave no file behind", async () => {
    const { code, stderr } = await spoor("export", "last", "--out", path.join(data, "nowhere", "run.spoor"));
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^Cannot write .*run\.spoor: there is no directory .*nowhere\. Create it, or name another file\.$/m,
    );
    const folder = await spoor("export", "last", "--out", data, "--force");
    expect([folder.code, folder.stderr]).toEqual([1, expect.stringContaining("Cannot write")]);
    expect(readdirSync(path.dirname(data)).filter((name) => name.startsWith(`${path.basename(data)}.`))).toEqual([]);
  });

  it("read a run's raw lines again, and report that nothing changed", async () => {
    const { code, stdout } = await spoor("renormalize", "last");
    expect([code, stdout]).toEqual([0, expect.stringContaining("Nothing changed.")]);
  });

  it("compact without changing what readers get", async () => {
    const before = await spoor("events", "--json");
    expect((await spoor("compact", "--older-than", "0s")).stdout).toMatch(/^\d+ chunks? before, \d+ now\.\n$/);
    const shrunk = await spoor("compact", "--shrink");
    expect(shrunk.stdout).toMatch(/ now\.\nThe file has \d+\.\d MB now; it had \d+\.\d MB before\.\n$/);
    expect(await spoor("events", "--json")).toEqual(before);
  });

  it("show what would be removed, then remove it and leave a gap", async () => {
    const { stdout } = await spoor("prune", "--keep-events", "4", "--dry-run");
    expect(stdout).toContain("would be removed");
    expect((await spoor("events", "--type", "gap.*", "--json")).stdout).toBe("");
    expect((await spoor("prune", "--keep-events", "4")).stdout).toMatch(/\nRemoved \d+ events of 3 runs\.\n$/);
    const gaps = (await spoor("events", "--type", "gap.*", "--json")).stdout.trimEnd().split("\n");
    expect(gaps.map((line) => JSON.parse(line).type)).toEqual(Array(3).fill("gap.events_pruned"));
    expect((await spoor("verify")).code).toBe(0);
  });

  it.each([
    [["prune"], "Name what to remove"],
    [["prune", "--older-than", "soon"], "--older-than takes a time span such as 90s, 5m, 1h30m or 30d"],
    [["prune", "--max-size", "5x"], "--max-size takes a number with one of the units k, m, g, such as 500m, not 5x."],
  ])("report what is wrong with %j", async (argv, message) => {
    const { code, stderr } = await spoor(...argv);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
