import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryLog } from "../../../testing/runtime/temporary-log.ts";
import { blobFile, MAX_INLINE_BYTES, readBlob, storeBlob } from "./store.ts";

const small = Buffer.from("small");
const large = Buffer.alloc(MAX_INLINE_BYTES + 1, "large ");

describe("a stored content", () => {
  it.each([
    ["small", small],
    ["large", large],
    ["empty", Buffer.alloc(0)],
  ])("that is %s is read as it was", async (_, bytes) => {
    const { log, directory } = temporaryLog();
    const { sha256, size, effects } = await storeBlob(directory, bytes);
    await log.rows.write(effects);
    expect(size).toBe(bytes.length);
    expect(await readBlob(log, directory, sha256)).toEqual(bytes);
  });

  it("is stored once, also by two writers at the same time", async () => {
    const { log, directory } = temporaryLog();
    const stored = await Promise.all(
      [large, Buffer.from(large), small, Buffer.from(small)].map((bytes) => storeBlob(directory, bytes)),
    );
    await Promise.all(stored.map(({ effects }) => log.rows.write(effects)));
    expect((await log.rows.list("blobs")).rows).toHaveLength(2);
    const file = blobFile(directory, stored[0]?.sha256 ?? "", false);
    expect(readdirSync(path.dirname(file))).toEqual([path.basename(file)]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("that is large is in its file before anything names it", async () => {
    const { directory } = temporaryLog();
    const { sha256 } = await storeBlob(directory, large);
    expect(statSync(blobFile(directory, sha256, false)).size).toBeGreaterThan(0);
  });

  it("is never returned with other bytes: damage and loss are errors", async () => {
    const { log, directory } = temporaryLog();
    const { sha256, effects } = await storeBlob(directory, large);
    await log.rows.write(effects);
    const file = blobFile(directory, sha256, false);
    const bytes = readFileSync(file);
    for (let at = 0; at < bytes.length; at++) {
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] as number) ^ 0x10;
      writeFileSync(file, damaged);
      const found = await readBlob(log, directory, sha256).catch((error) => error.code);
      // A changed bit in the frame's header may leave the content as it is.
      if (found !== "damaged") expect(found).toEqual(large);
    }
    writeFileSync(file, bytes.subarray(0, 10));
    await expect(readBlob(log, directory, sha256)).rejects.toMatchObject({ code: "damaged" });
    rmSync(file);
    await expect(readBlob(log, directory, sha256)).rejects.toMatchObject({ code: "missing" });
    await expect(readBlob(log, directory, "0".repeat(64))).rejects.toMatchObject({ code: "missing" });
  });

  it("that holds a secret is encrypted, and only readable with the key beside it", async () => {
    const { log, directory } = temporaryLog();
    const secret = Buffer.from("password=hunter2-hunter2");
    const stored = await Promise.all(
      [secret, Buffer.from(secret)].map((bytes) => storeBlob(directory, bytes, { secret: true })),
    );
    for (const { effects } of stored) await log.rows.write(effects);
    const sha256 = stored[0]?.sha256 ?? "";
    expect(readFileSync(blobFile(directory, sha256, true)).includes("hunter2")).toBe(false);
    expect(await readBlob(log, directory, sha256)).toEqual(secret);
    expect(statSync(path.join(directory, "artifacts", "key")).mode & 0o777).toBe(0o600);
    rmSync(path.join(directory, "artifacts", "key"));
    await expect(readBlob(log, directory, sha256)).rejects.toMatchObject({ code: "missing" });
  });
});
