import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readCommands } from "../../../testing/policy/commands.ts";
import { loadPolicy } from "./index.ts";
import type { Policy } from "./types.ts";

const { rules, hostile, harmless } = readCommands();
const root = mkdtempSync(path.join(tmpdir(), "spoor-policy-"));
const workspace = path.join(root, "workspace");
const policies: { asking?: Policy; yolo?: Policy } = {};

beforeAll(async () => {
  for (const folder of ["secret", "protected", "src"]) mkdirSync(path.join(workspace, folder), { recursive: true });
  symlinkSync("secret", path.join(workspace, "link"));
  const options = {
    directory: path.join(root, "data"),
    cwd: workspace,
    home: path.join(root, "home"),
    task: rules,
  };
  policies.asking = await loadPolicy(options);
  policies.yolo = await loadPolicy({ ...options, yolo: true });
});
afterAll(() => rmSync(root, { recursive: true }));

const commands = Object.values(hostile).flat();

it("the corpus has at least 150 different hostile commands", () => {
  expect(new Set(commands).size).toBe(commands.length);
  expect(commands.length).toBeGreaterThanOrEqual(150);
});

describe.each(Object.entries(hostile))("%s", (_, list) => {
  it.each(list.map((command) => [command]))("%j is not allowed, even when everything else is (C1)", (command) => {
    for (const policy of [policies.asking, policies.yolo]) {
      const verdict = policy?.decide({ subject: "shell", command, cwd: workspace });
      expect(verdict, JSON.stringify(verdict)).toMatchObject({ decision: "block" });
    }
  });
});

it.each(harmless)("%j is allowed by the same rules", (command) => {
  const verdict = policies.asking?.decide({ subject: "shell", command, cwd: workspace });
  expect(verdict, JSON.stringify(verdict, undefined, 1)).toMatchObject({ decision: "allow" });
});
