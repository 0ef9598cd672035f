import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withoutOurs } from "../../../testing/cli/hostile-corpus.ts";
import { createPlace, fakeCommand, hasTerminal } from "../../../testing/cli/process.ts";
import { createRun, newRunId } from "../../../testing/log/drafts.ts";
import { openLogSync } from "../../log/open.ts";

const place = createPlace("escapes");
/** C1 controls, marks that reorder text, separators, and a tag outside the basic plane. */
const evil = "\u009b31m\u0085\u202ecod\u2066x\u2028\u200b\u{e0041}\u001b]0;owned\u0007";
const UNSAFE = /[\p{Cf}\p{Zl}\p{Zp}]|(?!\n)\p{Cc}/u;
const frame = JSON.stringify({
  type: "assistant",
  session_id: "s",
  message: { id: "m", role: "assistant", content: [{ type: "text", text: evil }] },
});
let run_id = "";

beforeAll(async () => {
  const log = openLogSync({ directory: place.data });
  run_id = await createRun(log, 0, newRunId());
  const json = JSON.stringify({ text: evil, turn_index: 0 });
  await log.append([
    {
      run_id,
      epoch: 1,
      drafts: [{ type: "user.message", timestamp: 1, json }],
      facts: { status: "completed", title: evil },
    },
  ]);
  await log.close();
});
afterAll(() => place.remove());

const commands = [
  ["events", "last", "--json"],
  ["tail", "last", "--json"],
  ["replay", "last", "--json"],
  ["ls", "--json"],
  ["show", "last", "--json"],
];

describe.skipIf(!hasTerminal)("JSON on a terminal", { timeout: 60_000 }, () => {
  it.each(commands)("%s %s escapes what a terminal acts on, and the value stays the same", async (...argv) => {
    const shown = place.onTerminal(argv);
    expect(shown).not.toMatch(UNSAFE);
    const { stdout } = await place.spoor(argv);
    expect(JSON.parse(shown)).toEqual(JSON.parse(stdout));
    expect(shown).toContain("\\u202e");
  });

  it("is the same for spoor run --json", () => {
    const shown = place.onTerminal(["run", "claude", "escape", "--json", "--no-record", ...fakeCommand], 200);
    expect(shown).not.toMatch(UNSAFE);
    expect(shown).toContain("[2Jgone\\u202e");
  });

  it("is the same for what an agent printed, read by spoor parse", async () => {
    writeFileSync(`${place.home}/printed.jsonl`, `${frame}\n`);
    const shown = place.onTerminal(["parse", "claude", "printed.jsonl"]);
    expect(shown).not.toMatch(UNSAFE);
    expect(shown).toContain("\\u009b31m");
    const { stdout } = await place.spoor(["parse", "claude", "printed.jsonl"]);
    const values = (text: string) =>
      text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
    expect(values(shown)).toEqual(values(stdout));
  });

  it.each([["ls"], ["show", "last"], ["tail", "last"], ["replay", "last"], ["events", "last"], ["show", evil]])(
    "%s without --json shows control characters as codes",
    (...argv) => {
      expect(withoutOurs(place.onTerminal(argv))).not.toMatch(UNSAFE);
    },
  );
});

it.skipIf(!hasTerminal)("tables fit the terminal, and are whole in a pipe", { timeout: 60_000 }, async () => {
  for (const argv of [["ls"], ["agents"]]) {
    const rows = place.onTerminal(argv, 40).split("\n");
    const table = rows.slice(0, rows.indexOf(""));
    expect(table.length).toBeGreaterThan(1);
    expect(Math.max(...table.map((row) => row.length))).toBeLessThanOrEqual(40);
    const whole = (await place.spoor(argv)).stdout.split("\n", 1)[0] ?? "";
    expect(whole).not.toContain("…");
  }
});

it("JSON in a pipe has the same bytes as the log", async () => {
  const log = openLogSync({ directory: place.data });
  const { pieces } = await log.read(run_id);
  await log.close();
  const stored = Buffer.concat(pieces.map(({ bytes }) => bytes)).toString();
  expect(stored).toContain("\u202e");
  for (const argv of commands.slice(0, 3)) expect((await place.spoor(argv)).stdout, argv.join(" ")).toBe(stored);
});
