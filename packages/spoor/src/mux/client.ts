import { createUlidSource } from "@spoor/protocol/ids";
import type { Adapter, Dialect, LaunchRequest, LiveWire } from "../agents/machine.ts";
import { adapters as builtIn } from "../agents/registry.ts";
import { SpoorError } from "./errors.ts";
import { RunHandle } from "./run-handle.ts";

export interface RunOptions extends Partial<Omit<LaunchRequest, "prompt">> {
  agent: string;
  prompt: string;
  /** Name of the wire; the agent's best one when absent. */
  dialect?: string;
  stream?: "auto" | boolean;
  timeout?: number;
  inactivityTimeout?: number;
  gracePeriodMs?: number;
  runId?: string;
  /** The program and what comes before its arguments, when it is not on the PATH under its own name. */
  command?: string | readonly string[];
  /** Names of environment variables to let through besides those the agent is known to need. */
  passEnv?: readonly string[];
  env?: Record<string, string | undefined>;
}

export interface ClientOptions {
  /** Agents besides the built-in ones; one of the same name takes its place. */
  adapters?: readonly Adapter[];
  debug?: boolean;
}

export interface Client {
  readonly adapters: readonly Adapter[];
  /** Starts a run. Throws at once what keeps it from starting; what happens later is an event. */
  run(options: RunOptions): RunHandle;
}

/** The way in for programs: no server, no log, agents as child processes of yours. */
export function createClient({ adapters: added = [], debug = false }: ClientOptions = {}): Client {
  const adapters = [...added, ...builtIn.filter(({ name }) => !added.some((adapter) => adapter.name === name))];
  const newId = createUlidSource();
  return {
    adapters,
    run(options) {
      const adapter = adapters.find(({ name }) => name === options.agent);
      if (!adapter) {
        const known = adapters.map(({ name }) => name).join(", ");
        throw new SpoorError("AGENT_NOT_FOUND", `No adapter named "${options.agent}". Known: ${known}.`);
      }
      const {
        agent: _,
        dialect: name,
        stream = "auto",
        env = process.env,
        runId = newId(),
        command,
        passEnv,
        ...rest
      } = options;
      const { timeout, inactivityTimeout, gracePeriodMs, ...asked } = rest;
      if (asked.prompt.trim() === "") throw new SpoorError("VALIDATION_ERROR", "The prompt is empty.");
      const dialect = liveDialect(adapter, name, asked.approve ?? "ask");
      if (dialect.live.command === "" && command === undefined) {
        throw new SpoorError(
          "VALIDATION_ERROR",
          `${adapter.name} needs a command: the program to run, with its arguments.`,
        );
      }
      if (asked.mcpServers && !dialect.live.takesMcpServers) {
        throw new SpoorError("CAPABILITY_ERROR", `${adapter.name} takes no MCP servers on its ${dialect.name} wire.`);
      }
      const nameless = asked.mcpServers?.find(({ name }) => !/^[A-Za-z0-9_-]+$/.test(name));
      if (nameless) {
        throw new SpoorError(
          "VALIDATION_ERROR",
          `"${nameless.name}" is no name for an MCP server: letters, digits, _ and - only.`,
        );
      }
      if (stream === true && !dialect.streams.text) {
        throw new SpoorError("CAPABILITY_ERROR", `${adapter.name} does not stream text on its ${dialect.name} wire.`);
      }
      return new RunHandle({
        adapter,
        dialect,
        runId,
        stream,
        debug,
        environment: env,
        request: { cwd: process.cwd(), approve: "ask", ...asked },
        ...(command !== undefined && { command: typeof command === "string" ? [command] : command }),
        ...(passEnv && { passEnv }),
        ...(timeout !== undefined && { timeout }),
        ...(inactivityTimeout !== undefined && { inactivityTimeout }),
        ...(gracePeriodMs !== undefined && { gracePeriodMs }),
      });
    },
  };
}

/** The wire asked for; else the agent's best one, which for asking is the first that can ask. */
function liveDialect(adapter: Adapter, name: string | undefined, approve: LaunchRequest["approve"]): LiveDialect {
  const live = adapter.dialects.filter((dialect): dialect is LiveDialect => dialect.live !== undefined);
  const best = approve === "ask" ? (live.find(({ canAsk }) => canAsk) ?? live[0]) : live[0];
  const found = name === undefined ? best : live.find((dialect) => dialect.name === name);
  if (found) return found;
  const offered = live.length > 0 ? `It runs on: ${live.map((dialect) => dialect.name).join(", ")}.` : "";
  throw new SpoorError(
    "CAPABILITY_ERROR",
    `${adapter.name} cannot be run${name ? ` on ${name}` : ""}. ${offered}`.trim(),
  );
}

type LiveDialect = Dialect & { live: LiveWire };
