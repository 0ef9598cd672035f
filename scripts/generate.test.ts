import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";

const script = path.join(import.meta.dirname, "generate.ts");
const run = (...args: string[]) =>
  spawnSync(process.execPath, ["--conditions=spoor-source", script, ...args], { encoding: "utf8" });

test("every committed generated file is up to date", () => {
  const { status, stderr } = run("--check");
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});

test("an unknown option fails and changes nothing", () => {
  const { status, stderr } = run("--chekc");
  expect(status).not.toBe(0);
  expect(stderr).toContain("--chekc");
});
