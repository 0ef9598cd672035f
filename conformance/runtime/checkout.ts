import { execFileSync } from "node:child_process";
import { chmodSync, lstatSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A repository with files whose bytes are easily lost: line ends, a byte order mark, no last newline, a mode, no text. */
export function makeCheckout(cwd: string): void {
  writeFileSync(join(cwd, "edited.txt"), "one\ntwo\n");
  writeFileSync(join(cwd, "windows.txt"), "\uFEFFone\r\ntwo");
  writeFileSync(join(cwd, "script.sh"), "#!/bin/sh\necho hello\n");
  writeFileSync(join(cwd, "removed.bin"), Buffer.from([0, 255, 10, 13, 0]));
  writeFileSync(join(cwd, "untouched.txt"), "as it was\n");
  chmodSync(join(cwd, "script.sh"), 0o755);
  const git = (...args: string[]) => execFileSync("git", args, { cwd, stdio: "ignore", env: gitEnvironment });
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-q", "-m", "first");
}

/** What the shell of the agent does in the checkout. */
export const SHELL_CHANGES =
  "printf 'three\\r\\n' >> windows.txt && rm removed.bin && chmod 644 script.sh && echo new > made.txt";

/** The files that the agent changes, by a tool and by the shell. */
export const CHANGED = ["edited.txt", "made.txt", "removed.bin", "script.sh", "windows.txt"];

/** Every file below a folder with its mode and bytes, without the files of git. */
export function picture(folder: string, below = ""): Record<string, string> {
  const entries = readdirSync(join(folder, below)).flatMap((name): [string, string][] => {
    if (below === "" && name === ".git") return [];
    const path = join(below, name);
    const stat = lstatSync(join(folder, path));
    if (stat.isDirectory()) return Object.entries(picture(folder, path));
    const bytes = stat.isSymbolicLink() ? readlinkSync(join(folder, path)) : readFileSync(join(folder, path), "latin1");
    return [[path, `${(stat.mode & 0o777).toString(8)} ${JSON.stringify(bytes)}`]];
  });
  return Object.fromEntries(entries);
}

/** The names of the files that differ. */
export const differing = (one: Record<string, string>, other: Record<string, string>): string[] =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])].filter((name) => one[name] !== other[name]).sort();

/** What git says about a checkout: its commit, branch and changes. */
export const gitState = (cwd: string): string =>
  ["rev-parse HEAD", "symbolic-ref HEAD", "status --porcelain"]
    .map((line) => execFileSync("git", line.split(" "), { cwd, encoding: "utf8", env: gitEnvironment }))
    .join("");

const gitEnvironment = {
  PATH: process.env.PATH,
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  ...{ GIT_AUTHOR_NAME: "A", GIT_AUTHOR_EMAIL: "a@example.org" },
  ...{ GIT_COMMITTER_NAME: "A", GIT_COMMITTER_EMAIL: "a@example.org" },
};
