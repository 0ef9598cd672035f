import { execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { openLog } from "../../packages/spoor/src/log/open.ts";
import { appendGolden } from "../../packages/spoor/testing/cli/logs.ts";
import { firstLine } from "../../packages/spoor/testing/process/first-line.ts";
import type { Cli } from "../cli.ts";
import { startModelServer } from "../model-server/server.ts";
import { place } from "../place.ts";
import { spoor, writeProgram } from "./programs.ts";

const call = (name: string, input: Record<string, unknown>) => ({
  blocks: [{ type: "tool" as const, name: `mcp__spoor__${name}`, input }],
});

/** What the model does in each conversation. */
const script = [
  call("list_runs", { limit: 5 }),
  call("read_run", { run: "last" }),
  call("read_run", { run: "last", granularity: "block" }),
  call("read_run", { run: "run_nobody" }),
  { blocks: [{ type: "text" as const, text: "The last run was completed.", deltas: 2 }] },
];

/**
 * Lets the real Claude Code use `spoor mcp`, over stdio and over HTTP: it is added by the lines of docs/mcp.md, a scripted model
 * calls its tools, and what the model is told is checked. Prints each outcome; returns whether all are as they should be.
 */
export async function proveClaudeMcp(cli: Cli): Promise<boolean> {
  const home = await mkdtemp(join(tmpdir(), "spoor-mcp-"));
  const data = join(home, "data");
  const model = await startModelServer({ script: [...script, ...script] });
  const log = await openLog({ directory: data });
  const run_id = await appendGolden(log, "success");
  await log.close();
  writeProgram(home, "spoor", spoor);
  const http = spawn(join(home, "spoor"), ["mcp", "--http", "--port", "0", "--json", "--data", data], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const { url } = JSON.parse(await firstLine(http.stdout)) as { url: string };
    const token = (await readFile(join(data, "token"), "utf8")).trim();
    const placed = await place(cli, { url: model.url, home });
    const env = { ...placed.env, HOME: home, PATH: `${home}:${placed.env.PATH}`, SPOOR_HOME: data };
    const claude = async (...argv: string[]): Promise<string> => {
      const options = { env, cwd: placed.cwd, timeout: 120_000, maxBuffer: 64 * 1024 * 1024 };
      const started = promisify(execFile)(placed.command, [...placed.first, ...argv], options);
      started.child.stdin?.end();
      return (await started).stdout;
    };
    let isFine = true;
    for (const [name, ...added] of [
      ["stdio", "spoor", "--", "spoor", "mcp"],
      ["HTTP", "--transport", "http", "spoor", url, "--header", `Authorization: Bearer ${token}`],
    ] as const) {
      await claude("mcp", "add", ...added);
      const said = await claude(...placed.oneShot("How did the last run end?"));
      await claude("mcp", "remove", "spoor");
      const told = JSON.stringify(model.requests.findLast(({ isSide }) => !isSide)?.body ?? null);
      const problems = problemsOf(said, told, run_id);
      console.log(
        [`${problems.length === 0 ? "✓" : "✗"} Claude Code: spoor mcp over ${name}`, ...problems].join("\n    "),
      );
      isFine &&= problems.length === 0;
    }
    return isFine;
  } finally {
    http.kill();
    await model.close();
    // Claude Code may still be writing files.
    await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

const problemsOf = (said: string, told: string, run_id: string): string[] => [
  ...(said.includes("The last run was completed.") ? [] : ["Claude Code did not get to its answer."]),
  ...(told.includes(run_id) ? [] : ["The model was not told the run."]),
  // Claude Code shows its model the structured content, not the text.
  ...(told.match(/untrusted_data_begins/g)?.length === 3 ? [] : ["The model was not told what is untrusted data."]),
  ...(told.includes("run_not_found: ") ? [] : ["The model was not told why a call was refused."]),
];
