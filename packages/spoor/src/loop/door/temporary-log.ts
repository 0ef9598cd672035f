import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { SpoorError } from "../../failures/errors.ts";
import { openLog } from "../../log/open.ts";
import type { OpenedLog } from "./performer.ts";

/** A folder for runs of the loop that nobody wants to keep. */
export interface TemporaryLog {
  open(): Promise<OpenedLog>;
  remove(): void;
}

/**
 * Makes a data directory that is removed again: also a run that is not kept needs a log while it works. The user's rules hold
 * there, and it protects the user's own data directory as that one protects itself.
 */
export function createTemporaryLog(own: string): TemporaryLog {
  let directory: string | undefined;
  const remove = (): void => {
    process.off("exit", remove);
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
    directory = undefined;
  };
  const make = (): string => {
    const made = mkdtempSync(path.join(tmpdir(), "spoor-unrecorded-"));
    directory = made;
    process.on("exit", remove);
    const protectedFolder = `"${path.resolve(own).replace(/["\\]/g, "\\$&")}/**"`;
    const rules = [`always block read ${protectedFolder}`, `always block write ${protectedFolder}`, userRules(own)];
    writeFileSync(path.join(made, "policy.rules"), rules.join("\n"), { mode: 0o600 });
    copy(own, made, "trust.json");
    return made;
  };
  return {
    async open() {
      const made = directory ?? make();
      const log = await openLog({ directory: made });
      return { log, directory: made, release: () => log.close() };
    },
    remove,
  };
}

const userRules = (own: string): string => read(path.join(own, "policy.rules")) ?? "";

function copy(from: string, to: string, name: string): void {
  const content = read(path.join(from, name));
  if (content !== undefined) writeFileSync(path.join(to, name), content, { mode: 0o600 });
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    const message = `${file} cannot be read, so its rules would not hold: ${(cause as Error).message}`;
    throw new SpoorError("CONFIG_ERROR", message, { cause });
  }
}
