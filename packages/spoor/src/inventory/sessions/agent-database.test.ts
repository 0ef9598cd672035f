import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { privateHome } from "../../../testing/run/private-home.ts";
import { leaveDatabase } from "../../../testing/sessions/leave-database.ts";
import { readDatabase, withDatabasesOpen } from "./agent-database.ts";

const statements = "CREATE TABLE words (word); INSERT INTO words VALUES ('one'), ('two');";
const words = (file: string) =>
  readDatabase(file, (database) =>
    database
      .prepare("SELECT word FROM words")
      .all()
      .map(({ word }) => word),
  );

/** The states in which a program may leave its database. */
const ways = {
  closed: (file: string) => leaveDatabase(file, statements, { withLog: false }),
  "not closed": (file: string) => leaveDatabase(file, statements, { withLog: true }),
  "not closed and lost the index of its log": (file: string) => {
    leaveDatabase(file, statements, { withLog: true });
    rmSync(`${file}-shm`);
  },
  "still open": async (file: string) => {
    mkdirSync(path.dirname(file), { recursive: true });
    const child = spawn(process.execPath, ["--no-warnings", "-e", writer, file], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const ended = once(child, "exit");
    onTestFinished(async () => {
      child.stdin.end();
      await ended;
    });
    await once(child.stdout, "data");
  },
};

const writer = `
  const database = new (require("node:sqlite").DatabaseSync)(process.argv[1]);
  database.exec("PRAGMA journal_mode = wal; ${statements}");
  console.log("ready");
  process.stdin.resume().on("end", () => database.close());`;

afterEach(() => vi.unstubAllEnvs());

describe.each(Object.entries(ways))("a database that was %s", (_, leave) => {
  it("is read completely, and no file beside it is created, changed or deleted", async () => {
    const { at } = withTemporary();
    await leave(at("data/agent's #1?.db"));
    const before = stateOf(at("data"));
    expect(words(at("data/agent's #1?.db"))).toEqual(["one", "two"]);
    expect(stateOf(at("data"))).toEqual(before);
    expect(readdirSync(at("temporary"))).toEqual([]);
  });

  it("is read in a folder without write permission", async () => {
    const { at } = withTemporary();
    await leave(at("data/agent.db"));
    const names = readdirSync(at("data"));
    for (const name of names) chmodSync(at(`data/${name}`), 0o400);
    chmodSync(at("data"), 0o500);
    onTestFinished(() => chmodSync(at("data"), 0o700));
    expect(words(at("data/agent.db"))).toEqual(["one", "two"]);
    expect(readdirSync(at("data"))).toEqual(names);
  });

  it("is left unchanged when reading fails", async () => {
    const { at } = withTemporary();
    await leave(at("data/agent.db"));
    const before = stateOf(at("data"));
    expect(() => readDatabase(at("data/agent.db"), (database) => database.prepare("SELECT * FROM none"))).toThrow(
      /none/,
    );
    expect(() => readDatabase(at("data/agent.db"), (database) => database.exec("DELETE FROM words"))).toThrow(
      /readonly/,
    );
    expect(stateOf(at("data"))).toEqual(before);
    expect(readdirSync(at("temporary"))).toEqual([]);
  });
});

it("refuses to copy a database above the size limit", () => {
  const { at } = withTemporary();
  leaveDatabase(at("agent.db"), statements, { withLog: true });
  rmSync(at("agent.db-shm"));
  truncateSync(at("agent.db"), 600 * 2 ** 20);
  expect(() => words(at("agent.db"))).toThrow("reading it needs a copy of 600 MiB, and the limit is 512 MiB");
  expect(readdirSync(at("temporary"))).toEqual([]);
});

it("makes one copy while databases are kept open, sees later changes, and removes the copy at the end", async () => {
  const { at } = withTemporary();
  const leave = (more: string) => {
    leaveDatabase(at("agent.db"), `${statements} ${more}`, { withLog: true });
    rmSync(at("agent.db-shm"));
  };
  leave("");
  const held = withDatabasesOpen(async () => {
    expect([words(at("agent.db")), words(at("agent.db"))]).toEqual([
      ["one", "two"],
      ["one", "two"],
    ]);
    expect(readdirSync(at("temporary"))).toHaveLength(1);
    leave("INSERT INTO words VALUES ('three');");
    expect(words(at("agent.db"))).toEqual(["one", "two", "three"]);
    throw new Error("enough");
  });
  await expect(held).rejects.toThrow("enough");
  expect(readdirSync(at("temporary"))).toEqual([]);
});

it("reports the reason when a file is not a database or does not exist", () => {
  const { at, write } = withTemporary();
  write("agent.db", "This is no database, however long it may become.".repeat(100));
  expect(() => words(at("agent.db"))).toThrow("file is not a database");
  expect(() => words(at("gone.db"))).toThrow("unable to open database file");
  expect(readdirSync(at(""))).not.toContain("gone.db");
});

function withTemporary() {
  const home = privateHome();
  mkdirSync(home.at("temporary"));
  vi.stubEnv("TMPDIR", home.at("temporary"));
  vi.stubEnv("TEMP", home.at("temporary"));
  return home;
}

const stateOf = (folder: string): string[] =>
  readdirSync(folder).map((name) => {
    const file = path.join(folder, name);
    return `${name} ${statSync(file).mtimeMs} ${readFileSync(file).toString("base64")}`;
  });
