import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { printHeader, printRow, type Row } from "../table.ts";

const flags = {
  quick: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  events: { type: "string", default: "100000" },
} as const;

interface GroupOptions {
  /** A smoke test: every row runs, but its figures mean nothing. */
  quick: boolean;
  /** The number of events that stalled readers do not read. */
  events: number;
  /** A temporary folder, removed afterwards. */
  directory: string;
}

/**
 * Each group runs as its own program, so that no group is affected by memory that another one used. A group can also be
 * started alone: `node --conditions=spoor-source bench/log/append.ts`. It prints each row as soon as it is measured.
 */
export async function group(measure: (options: GroupOptions) => AsyncIterable<Row>): Promise<void> {
  const { values } = parseArgs({ options: flags });
  const directory = await mkdtemp(path.join(tmpdir(), "spoor-bench-"));
  try {
    if (!values.json) printHeader();
    for await (const row of measure({ quick: values.quick, events: Number(values.events), directory })) {
      if (values.json) console.log(JSON.stringify(row));
      else printRow(row);
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

export const TOKEN = "a-token-that-is-only-for-benches";

/** Yields the rows of a group while its program measures them. Throws when the program fails. */
export async function* rowsOf(
  name: string,
  { quick, events }: Pick<GroupOptions, "quick" | "events">,
): AsyncGenerator<Row> {
  const program = fileURLToPath(new URL(`${name}.ts`, import.meta.url));
  const args = ["--conditions=spoor-source", program, "--json", "--events", `${events}`, ...(quick ? ["--quick"] : [])];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  try {
    for await (const line of createInterface({ input: child.stdout })) yield JSON.parse(line);
    const [code, signal] = await exited;
    if (code !== 0) throw new Error(`bench/log/${name}.ts ended with ${signal ?? `exit code ${code}`}; see above.`);
  } finally {
    child.kill();
  }
}
