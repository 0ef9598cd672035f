import type * as Files from "node:fs/promises";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { tokenOf } from "./token.ts";

vi.mock("node:fs/promises", async (original) => {
  const files = await original<typeof Files>();
  return { ...files, writeFile: vi.fn(files.writeFile) };
});

it("a full disk is reported, and no incomplete token is left behind", async () => {
  const directory = await mkdtemp(path.join(tmpdir(), "spoor-token-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const write = vi.mocked(writeFile).getMockImplementation() as typeof writeFile;
  vi.mocked(writeFile).mockImplementationOnce(async (file, _text, options) => {
    await write(file, "", options);
    throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  });
  const file = path.join(directory, "token");
  await expect(tokenOf(directory)).rejects.toThrow(
    `The server cannot write its token to ${file}: the disk is full. Free some space and start again.`,
  );
  expect(await readdir(directory)).toEqual([]);
  expect(await tokenOf(directory)).toMatch(/^[\w-]{43}$/);
});
