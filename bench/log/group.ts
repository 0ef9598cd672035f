import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { printTable, type Row } from "../table.ts";

const flags = {
  quick: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  events: { type: "string", default: "100000" },
} as const;

export interface GroupOptions {
  /** A smoke test: everything runs, the figures mean nothing. */
  quick: boolean;
  /** Of the events that stalled readers do not read. */
  events: number;
  /** Removed afterwards. */
  directory: string;
}

/**
 * A file of rows is a program of its own, so that no group meets what another left in memory. Started alone it prints
 * its table: `node --conditions=source bench/log/append.ts`.
 */
export async function group(measure: (options: GroupOptions) => Promise<Row[]>): Promise<void> {
  const { values } = parseArgs({ options: flags });
  const directory = await mkdtemp(path.join(tmpdir(), "spoor-bench-"));
  try {
    const rows = await measure({ quick: values.quick, events: Number(values.events), directory });
    if (values.json) console.log(JSON.stringify(rows));
    else printTable(rows);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

export const TOKEN = "a-token-that-is-only-for-benches";

/** The rows of a group. */
export function rowsOf(name: string, { quick, events }: Pick<GroupOptions, "quick" | "events">): Row[] {
  const program = fileURLToPath(new URL(`${name}.ts`, import.meta.url));
  const args = ["--conditions=source", program, "--json", "--events", `${events}`, ...(quick ? ["--quick"] : [])];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }));
}
