import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { agentsWithSessions } from "../../../testing/sessions/home-with-sessions.ts";
import { parseObject } from "../../agents/kit/json-values.ts";
import type { SessionLogs } from "../../agents/session-log.ts";
import { openFile } from "../../log/sqlite/driver.ts";

const fixtures = fileURLToPath(new URL("../../../fixtures/", import.meta.url));

describe.each(agentsWithSessions.map(({ name, sessions }) => ({ name, sessions })))(
  "the session reader of $name",
  ({ name, sessions }) => {
    const files = globSync(`${name}/sessions/**/*.session`, { cwd: fixtures });
    const lines = [
      ...files.flatMap((file) => readFileSync(`${fixtures}${file}`, "utf8").trimEnd().split("\n")),
      ...globSync(`${name}/sessions/**/*.sql`, { cwd: fixtures }).flatMap((file) => recordsOf(file, sessions)),
    ];

    it("recognises every session file by its name", () => {
      for (const file of files) {
        const below = file
          .replaceAll("\\", "/")
          .slice(`${name}/sessions/`.length)
          .replace(/\.session$/, ".jsonl");
        const match = sessions?.files?.exec(below) ?? sessions?.parts?.exec(below);
        expect(match?.groups?.id ?? match?.groups?.idStart, below).toMatch(/^[0-9a-f-]{8,36}$/);
      }
    });

    it("accepts lines that are missing, repeated, out of order or of other types", () => {
      const line = fc
        .tuple(fc.nat(lines.length - 1), fc.constantFrom(...damages))
        .map(([at, damage]) => damage(lines[at] ?? ""));
      fc.assert(
        fc.property(fc.array(fc.oneof(line, fc.json()), { maxLength: 40 }), (some) => {
          const log = readAll(sessions, some);
          for (const { role, text } of log?.messages ?? []) {
            expect(["user", "assistant", "system", "tool"]).toContain(role);
            expect(typeof text).toBe("string");
          }
          for (const { inputTokens, outputTokens } of log?.usage.values() ?? []) {
            expect(Math.min(inputTokens, outputTokens)).toBeGreaterThanOrEqual(0);
          }
        }),
        { numRuns: 200 },
      );
    });

    it("returns the same result when every line is read twice", () => {
      const once = readAll(sessions, lines);
      const twice = readAll(sessions, [...lines, ...lines]);
      expect(twice?.usage.size).toBe(once?.usage.size);
    });
  },
);

function recordsOf(file: string, logs: SessionLogs | undefined): string[] {
  const database = openFile(":memory:");
  database.exec(`PRAGMA foreign_keys = off; ${readFileSync(`${fixtures}${file}`, "utf8")}`);
  const rows = database.prepare(logs?.database?.sessions ?? "").all();
  const records = database.prepare(logs?.database?.records ?? "");
  return rows.flatMap((row) => [row, ...records.all(row.key ?? null)]).map((record) => JSON.stringify(record));
}

function readAll(logs: SessionLogs | undefined, lines: readonly string[]) {
  const reader = logs?.createReader();
  for (const line of lines) {
    const record = parseObject(line);
    if (record) reader?.record(record);
  }
  return reader?.log;
}

const damages: ((line: string) => string)[] = [
  (line) => line,
  (line) => line.replaceAll(/:"[^"]*"/g, ":null"),
  (line) => line.replaceAll(/:"[^"]*"/g, ':["x"]'),
  (line) => line.replaceAll(/:\d+/g, ":-1.5"),
  (line) => line.replaceAll(/:\[/g, ':[null,3,"text",').replaceAll(",]", "]"),
  (line) => line.replaceAll(/:\{/g, ":[{").replaceAll("}", "}]"),
];
