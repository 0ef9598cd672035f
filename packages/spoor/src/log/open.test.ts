import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { logExists, openLog } from "./open.ts";

it("refuses the URL of a PostgreSQL database instead of creating a directory with that name", async () => {
  const parent = await mkdtemp(path.join(tmpdir(), "spoor-open-"));
  onTestFinished(() => rm(parent, { recursive: true }));
  for (const directory of ["postgres://localhost/spoor", path.join(parent, "postgresql://localhost/spoor")]) {
    const refusal = { code: "unsupported_store", message: expect.stringContaining("PostgreSQL") };
    await expect(openLog({ directory })).rejects.toMatchObject(refusal);
    expect(() => logExists(directory)).toThrow(expect.objectContaining(refusal));
    expect(existsSync(directory)).toBe(false);
  }
});

it("accepts a directory whose name contains the word", async () => {
  const directory = await mkdtemp(path.join(tmpdir(), "spoor-postgres-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  await (await openLog({ directory })).close();
  expect(logExists(directory)).toBe(true);
});

it("refuses a directory without a name instead of creating a log in the current one", async () => {
  for (const directory of ["", null as unknown as string]) {
    await expect(openLog({ directory })).rejects.toMatchObject({ code: "no_access" });
  }
});
