import { randomUUID } from "node:crypto";
import { open, rename, rm, stat } from "node:fs/promises";

/** Replaces a file atomically: a reader sees the old text or the new one, even after a crash. */
export async function replaceFile(file: string, text: string): Promise<void> {
  const mode = (await stat(file).catch(() => undefined))?.mode;
  const draft = `${file}.${randomUUID()}.tmp`;
  try {
    // Settings may contain secrets, so only the owner may read a new file.
    const handle = await open(draft, "wx", 0o600);
    try {
      if (mode !== undefined) await handle.chmod(mode & 0o777);
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
