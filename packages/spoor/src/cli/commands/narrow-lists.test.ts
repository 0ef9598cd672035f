import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { bin, createPlace, hasTerminal } from "../../../testing/cli/process.ts";
import { openTerminal } from "../../../testing/cli/terminal.ts";

const place = createPlace("narrow-lists");
afterAll(() => place.remove());
const program = fileURLToPath(new URL("../../../testing/cli/programs/fake-claude.mjs", import.meta.url));
const env = { PATH: process.env.PATH, HOME: place.home, SPOOR_HOME: place.data, LANG: "C.UTF-8" };

async function open(argv: readonly string[], columns: number) {
  const line = [process.execPath, bin, ...argv].map((word) => `'${word}'`).join(" ");
  const terminal = await openTerminal(line, { cwd: place.home, env, columns });
  onTestFinished(() => terminal.close());
  return terminal;
}

async function printed(argv: readonly string[], columns: number): Promise<string> {
  const terminal = await open(argv, columns);
  expect(await terminal.exited).toBe(0);
  expect(terminal.wrapped()).toEqual([]);
  return terminal.text();
}

describe.runIf(hasTerminal)("lists on a narrow terminal", { timeout: 120_000 }, () => {
  it("keep what was asked rather than its cost, and cut no command that they suggest", async () => {
    const start = (prompt: string) => ["run", "claude", prompt, "--command", `"${process.execPath}" "${program}"`];
    await printed(start("say costs 0.0123"), 80);
    const asking = await open(start("run it"), 80);
    await asking.shows(/▲ May it run this command\?/);

    expect(await printed(["ls"], 40)).toMatch(/^ {3}RUN {5}STATE {6}COST {5}ASKED\n/);
    const ls = await printed(["ls"], 36);
    expect(ls).toMatch(
      /^ {3}RUN {5}STATE {6}ASKED\n▲ {2}\w{6} {2}needs you {2}run it\n✓ {2}\w{6} {2}done {7}say costs 0\./,
    );

    expect(await printed(["approvals"], 80)).toMatch(/\nspoor approve (\w{4}) · spoor deny \1 "why"$/);
    expect(await printed(["approvals"], 40)).toMatch(/\nspoor approve \w{4}$/);
  });
});
