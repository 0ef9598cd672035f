import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Command } from "commander";
import { afterAll, describe, expect, it } from "vitest";
import { rowOf } from "../../options/run-options.ts";
import { registerRun } from "../commands/run.ts";
import { optionsFromFlags, type RunFlag, runFlags } from "./run-flags.ts";

const folder = mkdtempSync(path.join(tmpdir(), "spoor-flags-"));
afterAll(() => rmSync(folder, { recursive: true }));
const servers = path.join(folder, "servers.json");
writeFileSync(servers, JSON.stringify({ mcpServers: { notes: { command: "notes" } } }));

const program = new Command();
registerRun(program, process);
const run = program.commands[0] as Command;

/** Flags of `spoor run` that do not set an option of the run: the command itself reads them. */
const commandOnly = [
  ...[
    "--queue",
    "--prompt-file",
    "--json",
    "--agent-events",
    "--result",
    "--no-record",
    "--output",
    "--thinking",
    "--data",
    "--task",
  ],
  ...["--no-tape", "--lock-wait", "--if-unrecorded", "--record-thinking", "--record-tool-input"],
  ...["--max-recorded", "--debug", "--detach"],
];

it("every flag of spoor run sets one option, or is known to belong to the command alone", () => {
  const flags = run.options.map(({ long }) => long ?? "");
  const fromTable = runFlags.map(({ long }) => long);
  expect(flags.filter((flag) => !fromTable.includes(flag)).sort()).toEqual(commandOnly.sort());
  expect(fromTable.filter((flag) => !flags.includes(flag))).toEqual([]);
  expect(new Set(flags).size).toBe(flags.length);
});

const typed: Readonly<Record<RunFlag["reads"], (flag: RunFlag) => string[]>> = {
  text: ({ option }) => [option === "thinkingEffort" ? "high" : "text"],
  choice: ({ values = [] }) => [String(values.at(-1))],
  switch: () => [],
  count: () => ["3"],
  dollars: () => ["2.50"],
  milliseconds: () => ["1m30s"],
  directory: () => ["."],
  files: () => ["a.png"],
  variables: () => ["HOME"],
  words: () => ['npx "my agent"'],
  "mcp-file": () => [servers],
};

describe.each(runFlags.map((flag) => [flag.name, flag] as const))("%s", (_, flag) => {
  it("gives a value that its option accepts", () => {
    const fresh = new Command();
    registerRun(fresh, process);
    const command = fresh.commands[0] as Command;
    let given: Record<string, unknown> = {};
    command.action((_agent, _prompt, options) => {
      given = optionsFromFlags(options);
    });
    fresh.parse(["run", "claude", "x", flag.long, ...typed[flag.reads](flag)], { from: "user" });
    const { cwd: _, ...others } = given;
    expect(Object.keys(others)).toEqual(flag.option === "cwd" ? [] : [flag.option]);
    expect(rowOf(flag.option)?.check(given[flag.option], flag.option)).toEqual([]);
  });
});

it("switches, numbers and time spans become the values of their options", () => {
  const values = { session: false, cleanEnv: true, replaceSystem: true, retries: 2, timeout: 1_001, stream: "false" };
  expect(optionsFromFlags(values)).toEqual({
    ...{ noSession: true, environmentMode: "clean", systemPromptMode: "replace" },
    ...{ retryPolicy: { maxAttempts: 2 }, timeout: 1_001, stream: false },
  });
  expect(optionsFromFlags({ session: true })).toEqual({});
});
