import type { InstallMethod } from "../agents/agent-about.ts";
import type { Adapter } from "../agents/machine.ts";
import { type Environment, inheritEnvironment } from "../process/environment.ts";
import { resolveCommand } from "../process/resolve-command.ts";
import { spawnProcess } from "../process/spawn.ts";
import { type AuthState, authStateOf } from "./auth/auth-state.ts";
import { type Capabilities, capabilitiesOf } from "./capabilities.ts";
import { compareVersions } from "./compare-versions.ts";
import type { DialectProof } from "./dialect-proof.ts";
import { proofs } from "./dialect-proofs.gen.ts";
import type { LookupContext } from "./locate.ts";

/** What `detect` found out about an agent on this machine. */
export interface Detected {
  agent: string;
  title: string;
  /** The adapter was written from the agent's documentation; we have not run the agent. */
  isDocumentedOnly?: true;
  installed: boolean;
  /** The program's path; undefined when it is not installed, or when no program belongs to the agent. */
  path: string | undefined;
  /** Undefined also when the program does not print a version in time. */
  version: string | undefined;
  /** Whether the version is at least `minimumVersion`; undefined when either is unknown. */
  meetsMinimumVersion: boolean | undefined;
  minimumVersion?: string;
  /** Why the installed program may not work. */
  problem?: string;
  auth: AuthState;
  capabilities: Capabilities;
  /** How to install it on this platform. */
  install: readonly InstallMethod[];
  dialects: {
    name: string;
    runs: boolean;
    asks: boolean;
    streams: Adapter["dialects"][number]["streams"];
    /** The options that it takes besides the prompt. Only told of our own loop. */
    takes?: readonly string[];
    /** How we know which events this dialect produces, and how complete they are. */
    proof?: DialectProof;
  }[];
}

/** Where `detect` looks, and how long it waits. */
export interface DetectOptions extends LookupContext {
  platform?: NodeJS.Platform;
  /** How long the program may take to print its version. */
  timeoutMs?: number;
}

/**
 * Finds out whether an agent is installed, in which version, and whether it has credentials. Starts no session.
 *
 * @example
 * for (const adapter of adapters) {
 *   const { agent, installed, version } = await detect(adapter);
 *   if (installed) console.log(agent, version);
 * }
 */
export async function detect(adapter: Adapter, options: DetectOptions = {}): Promise<Detected> {
  const { env: environment = process.env, platform = process.platform, timeoutMs = 10_000 } = options;
  const { name: agent, title, dialects, about } = adapter;
  // The same environment as in a run, because programs installed by a version manager need its variables.
  const env = inheritEnvironment(environment);
  const command = dialects.find(({ live }) => live?.command)?.live?.command;
  const path = command ? resolveCommand(command, env)?.path : undefined;
  const [version, auth] = await Promise.all([
    path === undefined ? undefined : versionOf(path, about?.versionArgs ?? ["--version"], env, timeoutMs),
    authStateOf(adapter, { ...options, platform }),
  ]);
  const minimum = about?.minimumVersion;
  const meets = version === undefined || minimum === undefined ? undefined : compareVersions(version, minimum) >= 0;
  return {
    agent,
    title,
    ...(adapter.isDocumentedOnly && { isDocumentedOnly: true }),
    installed: path !== undefined,
    path,
    version,
    meetsMinimumVersion: meets,
    ...(minimum !== undefined && { minimumVersion: minimum }),
    ...(path !== undefined && version === undefined && { problem: "The program did not print its version." }),
    ...(meets === false && {
      problem: `Version ${version} is older than ${minimum}, the oldest version we have tested. Update it if a run fails.`,
    }),
    auth,
    capabilities: capabilitiesOf(adapter),
    install: about?.install.filter(({ platforms }) => platforms?.includes(platform) ?? true) ?? [],
    dialects: dialects.map(({ name, live, canAsk, streams }) => ({
      name,
      runs: live !== undefined,
      asks: canAsk,
      streams,
      ...(proofs[agent]?.[name] && { proof: proofs[agent][name] }),
    })),
  };
}

/** Returns the first text in the program's output that looks like a version. Kills a program that does not exit. */
async function versionOf(
  command: string,
  args: readonly string[],
  env: Environment,
  timeoutMs: number,
): Promise<string | undefined> {
  const signal = AbortSignal.timeout(timeoutMs);
  const limits = { signal, gracePeriodMs: 200, maxLineBytes: MAX_OUTPUT_LENGTH };
  const child = spawnProcess({ command, args, env, cwd: process.cwd(), stdin: "ignore", ...limits });
  const found: { stdout?: string; stderr?: string } = {};
  let outputLength = 0;
  for await (const { source, line } of child.output) {
    const version = line.match(/\d+\.\d+[\w.+-]*/)?.[0];
    if (version !== undefined) found[source] ??= version;
    outputLength += line.length;
    if (found.stdout !== undefined || outputLength > MAX_OUTPUT_LENGTH) break;
  }
  child.terminate();
  await child.exited;
  // Warnings on standard error may contain numbers too, so standard output is preferred.
  return found.stdout ?? found.stderr;
}

const MAX_OUTPUT_LENGTH = 10_000;
