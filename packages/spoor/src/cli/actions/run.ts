import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline/promises";
import { text as readAll } from "node:stream/consumers";
import type { McpServer } from "../../agents/machine.ts";
import { createClient } from "../../mux/client.ts";
import { SpoorError } from "../../mux/errors.ts";
import type { PendingInteraction } from "../../mux/interaction-channel.ts";
import type { RunHandle } from "../../mux/run-handle.ts";
import type { RunResult } from "../../mux/run-result.ts";
import { ExitError } from "../exit-error.ts";
import type { Io } from "../io.ts";
import { printed } from "../printed.ts";
import { createRenderer } from "../render.ts";
import { visible } from "../visible.ts";

export interface RunCommandOptions {
  json?: true;
  result?: string;
  cwd: string;
  model?: string;
  system?: string;
  resume?: string;
  fork?: string;
  session: boolean;
  approve: "ask" | "auto" | "deny";
  mcp?: string;
  maxTurns?: number;
  timeout?: number;
  inactivity?: number;
  stream: "auto" | "true" | "false";
  dialect?: string;
  command?: string;
  env?: string[];
  debug?: true;
}

export async function runAgent(
  agent: string,
  prompt: string | undefined,
  options: RunCommandOptions,
  io: Io,
): Promise<void> {
  const asked = prompt === undefined || prompt === "-" ? await readAll(io.stdin) : prompt;
  const handle = start(agent, asked, options);
  const stopListening = interruptOnSignals(handle);
  if (options.approve === "ask") answerFromTerminal(handle, options, io);
  const render = options.json ? undefined : createRenderer(io.stdout);
  try {
    for await (const event of handle) {
      if (render) render(event);
      else io.stdout.write(`${JSON.stringify(printed(event))}\n`);
      // A reader that is slow slows the agent, instead of filling our memory.
      if (io.stdout.writableNeedDrain) await once(io.stdout, "drain");
    }
    const result = await handle.result();
    if (options.result !== undefined) writeFileSync(options.result, `${JSON.stringify(result, null, 2)}\n`);
    const code = exitCode(result);
    if (code !== 0)
      throw new ExitError(
        code,
        options.json ? "" : visible(result.error?.message ?? `The run was ${result.exitReason}.`),
      );
  } finally {
    stopListening();
  }
}

function start(agent: string, prompt: string, options: RunCommandOptions): RunHandle {
  const { model, system, resume, fork, session, approve, maxTurns, timeout, inactivity, dialect, command, env } =
    options;
  try {
    return createClient({ debug: options.debug === true }).run({
      agent,
      prompt,
      approve,
      cwd: path.resolve(options.cwd),
      stream: options.stream === "auto" ? "auto" : options.stream === "true",
      ...(model !== undefined && { model }),
      ...(system !== undefined && { systemPrompt: system }),
      ...(resume !== undefined && { resume }),
      ...(fork !== undefined && { fork }),
      ...(!session && { noSession: true }),
      ...(maxTurns !== undefined && { maxTurns }),
      ...(options.mcp !== undefined && { mcpServers: readMcpServers(options.mcp) }),
      ...(timeout !== undefined && { timeout: timeout * 1000 }),
      ...(inactivity !== undefined && { inactivityTimeout: inactivity * 1000 }),
      ...(dialect !== undefined && { dialect }),
      ...(command !== undefined && { command: splitWords(command) }),
      ...(env && { passEnv: env }),
    });
  } catch (error) {
    if (!(error instanceof SpoorError)) throw error;
    throw new ExitError(startFailures[error.code] ?? 1, visible(error.message));
  }
}

const startFailures: Partial<Record<SpoorError["code"], number>> = {
  VALIDATION_ERROR: 2,
  AGENT_NOT_FOUND: 3,
  CAPABILITY_ERROR: 4,
};

/** The file most agents keep their MCP servers in. */
function readMcpServers(file: string): McpServer[] {
  try {
    const { mcpServers } = JSON.parse(readFileSync(file, "utf8"));
    return Object.entries(mcpServers as Record<string, Omit<McpServer, "name">>).map(([name, server]) => ({
      ...server,
      name,
    }));
  } catch (error) {
    throw new ExitError(2, `Cannot read MCP servers from ${visible(file)}: ${visible((error as Error).message)}`);
  }
}

/** Words of a command line: quotes keep spaces, nothing else is special. */
const splitWords = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, bare]) => double ?? single ?? bare ?? "");

/** One for each outcome, so that a script can tell them apart. */
function exitCode({ exitReason, error }: RunResult): number {
  if (exitReason === "failed") return failures[error?.code ?? ""] ?? 1;
  return { completed: 0, interrupted: 130, aborted: 13, timeout: 11, inactivity: 11, turn_limit: 16, crashed: 12 }[
    exitReason
  ];
}

const failures: Record<string, number> = { AUTH_ERROR: 5, RATE_LIMITED: 14, CONTEXT_EXCEEDED: 15 };

/** The first Ctrl-C asks the agent to stop, the second ends it. */
function interruptOnSignals(handle: RunHandle): () => void {
  let signals = 0;
  const onSignal = () => {
    signals += 1;
    if (signals > 1) handle.abort();
    else if (handle.state !== "ended") handle.interrupt();
  };
  process.on("SIGINT", onSignal);
  return () => process.off("SIGINT", onSignal);
}

/** Questions go to the person at the terminal; where there is none, they are refused so that nothing hangs. */
function answerFromTerminal(handle: RunHandle, { json }: RunCommandOptions, io: Io): void {
  const isInteractive = !json && (io.stdin as { isTTY?: boolean }).isTTY === true;
  let turn = Promise.resolve();
  handle.interaction.onPending((interaction) => {
    if (!isInteractive) {
      // Answered once the event itself is out.
      queueMicrotask(() =>
        handle.interaction.respond(interaction.id, { deny: true, reason: "Nobody is there to ask." }),
      );
      return;
    }
    turn = turn.then(() => askPerson(handle, interaction, io));
  });
}

async function askPerson(
  handle: RunHandle,
  { id, type, description, detail }: PendingInteraction,
  io: Io,
): Promise<void> {
  const terminal = createInterface({ input: io.stdin, output: io.stderr });
  // Waiting for a line, the terminal takes Ctrl-C for itself; it is meant for the run.
  const given = new AbortController();
  terminal.on("SIGINT", () => {
    given.abort();
    process.kill(process.pid, "SIGINT");
  });
  const question = `\n${visible(description)}\n${detail.split("\n").map(visible).join("\n")}\n`;
  const prompt = `${question}${type === "approval" ? "Allow? [y/N] " : "> "}`;
  const answer = await terminal.question(prompt, { signal: given.signal }).catch(() => undefined);
  terminal.close();
  if (answer === undefined || !handle.interaction.pending.some((pending) => pending.id === id)) return;
  if (type === "input") handle.interaction.respond(id, { text: answer });
  else if (/^y(es)?$/i.test(answer.trim())) handle.approve(id);
  else handle.deny(id, "The user said no.");
}
