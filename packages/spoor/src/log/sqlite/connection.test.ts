import { once } from "node:events";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createRun, linesOf } from "../../../testing/log/drafts.ts";
import { openLogSync } from "../open.ts";
import { logFile } from "./connection.ts";
import { openFile } from "./driver.ts";
import { failureOf } from "./failure.ts";
import { builtIn } from "./migrate.ts";

let directory = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "spoor-open-"));
});
afterEach(() => rm(directory, { recursive: true }));

describe("opening a log", () => {
  it("creates the directory and a file that only its owner can read", async () => {
    const log = openLogSync({ directory: join(directory, "new", "place") });
    await log.close();
    expect(statSync(logFile(join(directory, "new", "place"))).mode & 0o777).toBe(0o600);
    expect(statSync(join(directory, "new", "place")).mode & 0o777).toBe(0o700);
  });

  it("waits for another process that is creating the same log", async () => {
    const holding = `
      const { DatabaseSync } = require("node:sqlite");
      const { parentPort, workerData } = require("node:worker_threads");
      const database = new DatabaseSync(workerData);
      database.exec("BEGIN IMMEDIATE");
      parentPort.postMessage("held");
      setTimeout(() => database.close(), 200);
    `;
    const other = new Worker(holding, { eval: true, workerData: logFile(directory) });
    await once(other, "message");
    const log = openLogSync({ directory });
    await createRun(log, 1);
    await log.close();
    await other.terminate();
  });

  it("refuses a newer schema and names it", async () => {
    const newer = [...builtIn(), { version: 99, sql: "CREATE TABLE later (x)" }];
    await openLogSync({ directory, migrations: newer }).close();
    expect(() => openLogSync({ directory })).toThrow(expect.objectContaining({ code: "newer_schema" }));
    expect(() => openLogSync({ directory })).toThrow("schema 99");
  });

  it("keeps every byte when the schema is migrated", async () => {
    const before = openLogSync({ directory });
    const run_id = await createRun(before, 30);
    const lines = linesOf((await before.read(run_id)).pieces);
    await before.close();
    const after = openLogSync({
      directory,
      migrations: [...builtIn(), { version: builtIn().length + 1, sql: "CREATE TABLE later (x)" }],
    });
    expect(linesOf((await after.read(run_id)).pieces)).toEqual(lines);
    await after.close();
  });

  it("reports no access, not a failing disk, for a place that it cannot open", () => {
    writeFileSync(join(directory, "file"), "");
    mkdirSync(logFile(join(directory, "folder")), { recursive: true });
    for (const place of ["file", "file/below", "folder"]) {
      const opening = () => openLogSync({ directory: join(directory, place) });
      expect(opening, place).toThrow(expect.objectContaining({ code: "no_access" }));
    }
  });

  it("reports a full disk when there is no room for the memory that processes share", () => {
    expect(failureOf(Object.assign(new Error("disk I/O error"), { errcode: 4874 })).code).toBe("disk_full");
  });

  it("leaves no trace of pruned events in any file after shrink", async () => {
    const log = openLogSync({ directory });
    const run_id = await createRun(log, 400);
    const line = linesOf((await log.read(run_id)).pieces)[17] as string;
    const holders = () => readdirSync(directory).filter((name) => readFileSync(join(directory, name)).includes(line));
    await log.upkeep.merge();
    await log.upkeep.prune(run_id, 300, "operator");
    expect(holders()).not.toEqual([]);
    await log.upkeep.shrink();
    expect(holders()).toEqual([]);
    await log.close();
  });

  it("rolls back a migration that fails", () => {
    const broken = [
      ...builtIn(),
      { version: builtIn().length + 1, sql: "CREATE TABLE later (x); SELECT * FROM nowhere" },
    ];
    expect(() => openLogSync({ directory, migrations: broken })).toThrow(expect.objectContaining({ name: "LogError" }));
    const database = openFile(logFile(directory));
    expect(database.prepare("SELECT name FROM sqlite_schema WHERE name = 'later'").all()).toEqual([]);
    database.close();
  });

  it.each(["CREATE TABLE mine (x)", "CREATE TABLE mine (x); PRAGMA user_version = 1", "PRAGMA user_version = 1"])(
    "refuses a database that is not a log and does not change it: %s",
    (sql) => {
      const database = openFile(logFile(directory));
      database.exec(sql);
      database.close();
      chmodSync(logFile(directory), 0o644);
      const before = readFileSync(logFile(directory));
      expect(() => openLogSync({ directory })).toThrow(expect.objectContaining({ code: "not_a_log" }));
      expect(readFileSync(logFile(directory))).toEqual(before);
      expect(statSync(logFile(directory)).mode & 0o777).toBe(0o644);
    },
  );

  it("opens a log whose application id is damaged", async () => {
    const log = openLogSync({ directory });
    const run_id = await createRun(log, 3);
    await log.close();
    const database = openFile(logFile(directory));
    database.exec("PRAGMA application_id = 1");
    database.close();
    const again = openLogSync({ directory });
    expect(linesOf((await again.read(run_id)).pieces)).toHaveLength(3);
    await again.close();
  });

  it("does not suggest spoor verify for a file that is not a database", () => {
    writeFileSync(logFile(directory), "this is not a database, whatever its name says\n".repeat(100));
    expect(() => openLogSync({ directory })).toThrow(
      expect.objectContaining({ code: "unreadable", hint: expect.not.stringContaining("spoor verify") }),
    );
  });

  it.each([
    ["text", (file: string) => writeFileSync(file, "this is not a database, whatever its name says\n".repeat(100))],
    ["a folder", (file: string) => mkdirSync(file)],
  ])("throws a LogError when the file is %s", (_, make) => {
    make(logFile(directory));
    expect(() => openLogSync({ directory })).toThrow(expect.objectContaining({ name: "LogError" }));
  });
});
