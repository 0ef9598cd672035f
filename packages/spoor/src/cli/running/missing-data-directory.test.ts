import { spawnSync } from "node:child_process";
import { existsSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { bin, createPlace, fakeCommand } from "../../../testing/cli/process.ts";

const hasProc = existsSync("/proc/self");

it.runIf(hasProc)(
  "a data directory on a file system that accepts no directories is refused at once",
  { timeout: 90_000 },
  () => {
    for (const data of ["/proc/nope", "/proc/nope/deeper"]) {
      for (const argv of [
        ["run", "claude", ...fakeCommand, "hello"],
        ["serve", "--port", "0"],
      ]) {
        const { status, stderr } = spoor([...argv, "--data", data]);
        const expected = `the directory ${data} cannot be created`;
        expect([argv[0], status, stderr]).toEqual([argv[0], 1, expect.stringContaining(expected)]);
        expect(stderr).toContain("--data");
      }
    }
  },
);

it("the error names a file or a dangling link that has the name of the data directory", { timeout: 60_000 }, () => {
  const { home } = placeOf("in-the-way");
  const file = path.join(home, "file");
  writeFileSync(file, "");
  const link = path.join(home, "link");
  symlinkSync(path.join(home, "nowhere"), link);
  for (const data of [file, path.join(file, "deeper"), link]) {
    const { status, stderr } = spoor(["run", "claude", ...fakeCommand, "hello", "--data", data]);
    expect([data, status, stderr]).toEqual([
      data,
      1,
      expect.stringContaining(`the directory ${data} cannot be created`),
    ]);
  }
});

it("missing directories above the data directory are created, readable by their owner only", {
  timeout: 60_000,
}, () => {
  const { home } = placeOf("made");
  const data = path.join(home, "a", "b", "..", "c");
  const { status, stderr } = spoor(["run", "claude", ...fakeCommand, "hello", "--data", data]);
  expect([status, stderr]).toEqual([0, expect.stringContaining("Recorded as run_")]);
  expect(existsSync(path.join(home, "a", "b"))).toBe(false);
  for (const made of ["a", "a/c"]) expect(statSync(path.join(home, made)).mode & 0o777).toBe(0o700);
});

/** Runs the command as a process. A process that hangs ignores SIGTERM, so it is killed. */
function spoor(argv: readonly string[]) {
  const { home } = placeOf("unmade");
  const env = { PATH: process.env.PATH, HOME: home };
  return spawnSync(process.execPath, [bin, ...argv], {
    cwd: home,
    env,
    encoding: "utf8",
    timeout: 20_000,
    killSignal: "SIGKILL",
  });
}

function placeOf(name: string) {
  const place = createPlace(name);
  onTestFinished(place.remove);
  return place;
}
