import { writeFileSync } from "node:fs";
import path from "node:path";

export const root: string = path.resolve(import.meta.dirname, "../..");

/** The words that start the command `spoor` of this repository. */
export const spoor: readonly string[] = [process.execPath, path.join(root, "packages/spoor/bin/spoor.js")];

/** Puts a program into a folder that a client has on its PATH. It starts another one with the same arguments. */
export const writeProgram = (folder: string, name: string, words: readonly string[]): void =>
  writeScript(folder, name, `exec ${words.map((word) => `"${word}"`).join(" ")} "$@"`);

export const writeScript = (folder: string, name: string, lines: string): void =>
  writeFileSync(path.join(folder, name), `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
