import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Real programs that start others. All else on the PATH only records how it was started. */
const wrappers = ["env", "timeout", "nice", "nohup", "xargs", "bash"];

/** Records the words of a command, each ended by NUL, and a separator. It is one write, so that none can come in between. */
const RECORD = `printf '%s\\0' "$@" $'\\036' >> "$RECORD_FILE"`;

export interface Bash {
  /** Runs a text and returns the words of every command that bash started, or tried to. */
  run(text: string): string[][];
}

/** Returns bash in a folder where nothing can be harmed, or undefined if there is no bash here. */
export function findBash(folder: string): Bash | undefined {
  const found = spawnSync("bash", ["-c", "echo $BASH"], { encoding: "utf8" });
  if (found.status !== 0) return undefined;
  const bin = path.join(folder, "bin");
  const home = path.join(folder, "home");
  mkdirSync(bin, { recursive: true });
  mkdirSync(home);
  for (const name of wrappers) {
    const file = spawnSync("bash", ["-c", `command -v ${name}`], { encoding: "utf8" }).stdout.trim();
    if (file !== "") symlinkSync(file, path.join(bin, name));
  }
  for (const name of ["alpha", "beta", "gamma", "delta"]) {
    writeFileSync(path.join(bin, name), `#!${found.stdout.trim()} -p\nset -- "\${0##*/}" "$@"\n${RECORD}\n`, {
      mode: 0o755,
    });
  }
  let runs = 0;
  const env = {
    PATH: bin,
    HOME: home,
    FUNCNEST: "20",
    X: "x y",
    "BASH_FUNC_command_not_found_handle%%": `() { ${RECORD}; }`,
  };
  return {
    run(text) {
      // A command in the background can write later, so each run has its own file.
      runs += 1;
      const record = path.join(folder, `record-${runs}`);
      rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 25 });
      mkdirSync(home);
      writeFileSync(path.join(home, "in"), "");
      spawnSync("bash", ["-c", text], {
        cwd: home,
        env: { ...env, RECORD_FILE: record },
        timeout: 2_000,
        killSignal: "SIGKILL",
        stdio: "ignore",
        input: "",
      });
      return readRecord(record);
    },
  };
}

function readRecord(file: string): string[][] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return [];
  }
  return text
    .split("\u001e\0")
    .filter((one) => one !== "")
    .map((one) => one.split("\0").slice(0, -1));
}
