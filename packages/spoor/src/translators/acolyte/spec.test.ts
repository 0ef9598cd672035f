import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { changesOf, specOf } from "./spec.ts";

/** A project whose configuration is this. The user has none. */
function project(configuration: object): string {
  const folder = mkdtempSync(path.join(tmpdir(), "spoor-acolyte-spec-"));
  vi.stubEnv("SPOOR_HOME", path.join(folder, "home"));
  mkdirSync(path.join(folder, ".spoor"));
  writeFileSync(path.join(folder, ".spoor", "config.json"), JSON.stringify(configuration));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  return folder;
}

test("the agent is that of the request, else that of the configuration, else the loop", () => {
  const workspace = project({ defaultAgent: "codex" });
  expect(specOf({ message: "x", workspace, options: { agent: "claude" } }).agent).toBe("claude");
  expect(specOf({ message: "x", workspace }).agent).toBe("codex");
  expect(specOf({ message: "x", workspace: project({}) }).agent).toBe("loop");
});

test("the loop gets the model of the configuration, unless the request has one", () => {
  const workspace = project({ defaultModel: "demo/tour" });
  expect(specOf({ message: "x", workspace })).toMatchObject({ agent: "loop", model: "demo/tour" });
  expect(specOf({ message: "x", workspace, model: "a/b" })).toMatchObject({ model: "a/b" });
  expect(specOf({ message: "x", workspace, model: "a/b", options: { model: "c/d" } })).toMatchObject({ model: "c/d" });
});

test("a session that goes on changes only what the request says, and fields that are not known are ignored", () => {
  const options = {
    approve: "auto",
    max_turns: 3,
    onClose: "cancel",
    dance: true,
    prompt: "other",
    kind: "shell",
  } as const;
  expect(changesOf({ message: "x", options })).toEqual({ approve: "auto", max_turns: 3 });
  expect(changesOf({ message: "x", workspace: "/w" })).toEqual({ workspace: { path: "/w", share: true } });
  expect(() => changesOf({ message: "x", options: { approve: "perhaps" } as never })).toThrow("approve");
});
