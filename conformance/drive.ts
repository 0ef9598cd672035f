import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgentEvent, createStreamChecker } from "../packages/protocol/src/index.ts";
import { adapters } from "../packages/spoor/src/agents/registry.ts";
import { createClient, type RunOptions } from "../packages/spoor/src/client.ts";
import { openLogSync } from "../packages/spoor/src/log/open.ts";
import { Recorder } from "../packages/spoor/src/runtime/recorder/recorder.ts";
import { freePort, startBeside } from "./beside.ts";
import type { Cli } from "./cli.ts";
import { listening } from "./listen.ts";
import { startModelServer } from "./model-server/server.ts";
import { place } from "./place.ts";
import { differencesOf } from "./read-again.ts";
import type { Outcome, Scenario } from "./scenarios/scenario.ts";
import { PROMPT, toolsOf } from "./tools.ts";

export interface Driven {
  problems: string[];
  events: readonly AgentEvent[];
  /** The lines that the agent wrote. */
  lines: readonly string[];
}

/**
 * Runs one scenario with the real program in a private home, against a model server that follows the script. `modules`
 * is the folder of the programs if it is not that of the pinned ones.
 */
export async function drive(cli: Cli, scenario: Scenario, modules?: string): Promise<Driven> {
  const tools = toolsOf[cli.name] ?? (cli.needsLogin && toolsOf.claude);
  if (!tools) throw new Error(`conformance/tools.ts has no entry for ${cli.name}. Add one.`);
  const home = await mkdtemp(join(tmpdir(), `spoor-${cli.name}-`));
  const server = await startModelServer({ script: scenario.script(tools, join(home, "project")) });
  const lines: string[] = [];
  let endBeside: (() => Promise<void>) | undefined;
  try {
    const port = cli.beside ? await freePort() : 0;
    const { withoutKey = false } = scenario;
    const placed = await place(cli, { url: server.url, home, port, withoutKey, ...(modules && { modules }) });
    const { command, first, env, cwd } = placed;
    scenario.before?.(cwd);
    const { mcpServers, ...asked } = scenario.options ?? {};
    if (mcpServers && cli.mcpFile) await nameServers(join(home, cli.mcpFile), mcpServers);
    if (cli.beside) endBeside = await startBeside(cli.beside, placed);
    const options = {
      agent: cli.name,
      prompt: PROMPT,
      cwd,
      environment: env,
      command: [command, ...first],
      approve: scenario.approve ?? "auto",
      timeout: 90_000,
      ...asked,
      ...(mcpServers && !cli.mcpFile && { mcpServers }),
    };
    const told = await run(scenario, options, { hear: (line) => lines.push(line), directory: join(home, "log") });
    if (typeof told === "string") return { problems: scenario.mayBeRefused ? [] : [told], events: [], lines };
    const lastAsked = JSON.stringify(server.requests.findLast(({ isSide }) => !isSide)?.body ?? null);
    return {
      problems: [
        ...violations(told.events),
        ...told.differences,
        ...scenario.problems({ ...told, cwd, asked: lastAsked }),
      ],
      events: told.events,
      lines,
    };
  } finally {
    await endBeside?.();
    await server.close();
    // Agents may still be writing files.
    await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** Adds MCP servers to the settings of an agent, in the usual format. */
async function nameServers(file: string, servers: readonly { name: string }[]): Promise<void> {
  const mcpServers = Object.fromEntries(servers.map(({ name, ...server }) => [name, { ...server, trust: true }]));
  await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, "utf8")), mcpServers }));
}

/** The recorded run, after the run whose session it continues; or why its options are not supported. */
async function run(
  scenario: Scenario,
  options: RunOptions,
  { hear, directory }: { hear(line: string): void; directory: string },
): Promise<(Pick<Outcome, "events" | "result" | "earlier"> & { differences: string[] }) | string> {
  const client = createClient({ adapters: adapters.map((adapter) => listening(adapter, hear)) });
  const earlier = scenario.after ? (await client.run(options)).sessionId : undefined;
  const log = openLogSync({ directory });
  const recorder = new Recorder({ log });
  try {
    const handle = client.run(
      { ...options, ...(scenario.after && earlier && { [scenario.after]: earlier }) },
      recorder,
    );
    scenario.act?.(handle);
    const events: AgentEvent[] = [];
    for await (const event of handle) events.push(event);
    const result = await handle.result();
    const { run_ids } = await recorder.close();
    const differences = await differencesOf(log, run_ids[0] ?? "", adapters);
    return { events, result, differences, ...(earlier !== undefined && { earlier }) };
  } catch (error) {
    return `The run was refused: ${(error as Error).message}`;
  } finally {
    await log.close();
  }
}

function violations(events: readonly AgentEvent[]): string[] {
  const checker = createStreamChecker();
  const findings = [...events.flatMap((event) => checker.add(event)), ...checker.end()];
  return findings.flatMap(({ finding }) =>
    finding.kind === "violation" ? [`${finding.rule}: ${finding.message}`] : [],
  );
}
