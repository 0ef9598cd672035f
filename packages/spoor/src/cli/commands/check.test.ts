import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { run } from "../../../testing/cli/run.ts";

const fixtures = fileURLToPath(new URL("../../../../protocol/fixtures/", import.meta.url));
const files = (folder: string) =>
  readdirSync(join(fixtures, folder))
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => [folder, name] as const);
const folder = mkdtempSync(join(tmpdir(), "spoor-check-"));
afterAll(() => rmSync(folder, { recursive: true }));

const base = { runId: "01K9ZC0000SP00R00000000000", agent: "claude", timestamp: 1_793_577_600_000 };
const start = { type: "session_start", ...base, sessionId: "s", resumed: false };
const end = { type: "session_end", ...base, sessionId: "s", turnCount: 0 };
const jsonl = (...events: object[]) => events.map((event) => `${JSON.stringify(event)}\n`).join("");

describe("spoor check", () => {
  it.each([...files("agent-events"), ...files("envelopes")])(
    "accepts the golden fixture %s/%s",
    async (where, name) => {
      const { code, stdout } = await run(["check", join(fixtures, where, name)]);
      expect(stdout).toMatch(/: 0 violations\.\n$/);
      expect(code).toBe(0);
    },
  );

  it.each(files("broken"))("rejects the broken fixture %s/%s with the rule its name gives", async (where, name) => {
    const { code, stdout } = await run(["check", "--json", join(fixtures, where, name)]);
    const found = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).rule);
    expect(found).toContain(name.replace(".jsonl", ""));
    expect(code).toBe(1);
  });

  it("reads standard input and reports the line and the rule", async () => {
    const { code, stdout } = await run(["check"], Readable.from([jsonl(start, start, end)]));
    expect(stdout).toBe(
      "stdin:2: session.once (5.1): session_start comes a second time.\n3 events of 1 run: 1 violation.\n",
    );
    expect(code).toBe(1);
  });

  it("checks each of several mixed runs of both shapes", async () => {
    const other = { runId: "01K9ZC0000000THER000000000" };
    const envelope = readFileSync(join(fixtures, "envelopes", "success.jsonl"), "utf8");
    const mixed = jsonl(start, { ...start, ...other }) + envelope + jsonl({ ...end, ...other }, end);
    const { code, stdout } = await run(["check", "-"], Readable.from([mixed]));
    expect(stdout).toMatch(/of 3 runs: 0 violations\.\n$/);
    expect(code).toBe(0);
  });

  it("reports what is missing at the end, unless --partial is given", async () => {
    const open = () => Readable.from([jsonl(start)]);
    expect((await run(["check"], open())).stdout).toContain("stdin:end: session.end");
    expect((await run(["check", "--partial"], open())).code).toBe(0);
  });

  it("names the line that is not a JSON object, and exits with 2", async () => {
    const cut = await run(["check"], Readable.from([`${jsonl(start)}{"type":"tur`]));
    expect([cut.code, cut.stderr]).toEqual([2, expect.stringMatching(/^Line 2 is not JSON: .+\n$/)]);
    const list = await run(["check"], Readable.from(["[1]\n"]));
    expect([list.code, list.stderr]).toEqual([2, "Line 1 is not a JSON object, so it cannot be an event.\n"]);
  });

  it("exits with 2 for a file that is missing, a folder, and one without events", async () => {
    const missing = await run(["check", join(folder, "none.jsonl")]);
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining("no such file")]);
    expect((await run(["check", folder])).code).toBe(2);
    writeFileSync(join(folder, "empty.jsonl"), "\n\n");
    const empty = await run(["check", join(folder, "empty.jsonl")]);
    expect([empty.code, empty.stderr]).toEqual([2, expect.stringContaining("contains no events")]);
  });

  it("accepts unknown types and fields with a note", async () => {
    const unknown = jsonl(start, { type: "telepathy", ...base }, { ...end, mood: "fine" });
    const quiet = await run(["check"], Readable.from([unknown]));
    expect([quiet.code, quiet.stdout]).toEqual([0, "3 events of 1 run: 0 violations, 2 notes (--notes shows them).\n"]);
    const { stdout } = await run(["check", "--notes"], Readable.from([unknown]));
    expect(stdout).toContain('stdin:2: note: The type "telepathy" is unknown.');
    expect(stdout).toContain("stdin:3: note: session_end has fields that are not known: mood.");
  });

  it("prints at most --max findings and counts the rest", async () => {
    const many = jsonl(start, ...Array.from({ length: 9 }, () => start), end);
    const { stdout } = await run(["check", "--max", "2"], Readable.from([many]));
    expect(stdout.split("\n")).toHaveLength(5);
    expect(stdout).toContain("… and 7 more");
    const json = await run(["check", "--max", "2", "--json"], Readable.from([many]));
    expect(JSON.parse(json.stdout.trim().split("\n").at(-1) ?? "")).toEqual({
      kind: "summary",
      events: 11,
      runs: 1,
      violations: 9,
      notes: 0,
      hidden: 7,
    });
    expect((await run(["check", "--max", "none"])).code).toBe(2);
  });

  it("escapes control characters in the text of events", async () => {
    const hostile = jsonl(start, { type: "\u001b[2Jevil\u202e", ...base }, end);
    const { stdout } = await run(["check", "--notes"], Readable.from([hostile]));
    expect(stdout).toContain("\\u001b[2Jevil\\u202e");
  });
});
