import type { InstallMethod } from "../agents/agent-about.ts";
import type { Adapter } from "../agents/machine.ts";
import { resolveCommand } from "../process/command.ts";
import { type Environment, inheritEnvironment } from "../process/environment.ts";
import { spawnProcess } from "../process/spawn.ts";
import { type AuthState, authStateOf } from "./auth/state.ts";
import { type Capabilities, capabilitiesOf } from "./capabilities.ts";
import type { Surroundings } from "./locate.ts";
import { proofs } from "./proof.gen.ts";
import type { WireProof } from "./proof.ts";
import { compareVersions } from "./version.ts";

export interface Detected {
  agent: string;
  title: string;
  /** It is known from what its makers document, and was not run here. */
  isDocumentedOnly?: true;
  installed: boolean;
  /** The program's path; undefined when it is not installed, or has none of its own. */
  path: string | undefined;
  /** Undefined also when the program does not tell it in time. */
  version: string | undefined;
  /** Whether it is as new as what was tried; undefined when either is not known. */
  meetsMinimumVersion: boolean | undefined;
  minimumVersion?: string;
  /** What is wrong with what was found. */
  problem?: string;
  auth: AuthState;
  capabilities: Capabilities;
  /** How to get it on this platform. */
  install: readonly InstallMethod[];
  wires: {
    name: string;
    runs: boolean;
    asks: boolean;
    streams: Adapter["dialects"][number]["streams"];
    /** How we know what it tells, and what that is. */
    proof?: WireProof;
  }[];
}

export interface DetectOptions extends Surroundings {
  platform?: NodeJS.Platform;
  /** How long the program may take to tell its version. */
  timeoutMs?: number;
}

/** Looks whether an agent is there, which version and whether it can sign in, without starting it on anything. */
export async function detect(adapter: Adapter, options: DetectOptions = {}): Promise<Detected> {
  const { env: environment = process.env, platform = process.platform, timeoutMs = 10_000 } = options;
  const { name: agent, title, dialects, about } = adapter;
  // As a run passes it on: programs under a version manager need its variables.
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
    ...(path !== undefined && version === undefined && { problem: "It did not tell its version." }),
    ...(meets === false && {
      problem: `Version ${version} is older than ${minimum}, the oldest that was tried. Update it if a run goes wrong.`,
    }),
    auth,
    capabilities: capabilitiesOf(adapter),
    install: about?.install.filter(({ platforms }) => platforms?.includes(platform) ?? true) ?? [],
    wires: dialects.map(({ name, live, canAsk, streams }) => ({
      name,
      runs: live !== undefined,
      asks: canAsk,
      streams,
      ...(proofs[agent]?.[name] && { proof: proofs[agent][name] }),
    })),
  };
}

/** The first thing that looks like a version in what it prints. A program that hangs or never ends is killed. */
async function versionOf(
  command: string,
  args: readonly string[],
  env: Environment,
  timeoutMs: number,
): Promise<string | undefined> {
  const signal = AbortSignal.timeout(timeoutMs);
  const limits = { signal, gracePeriodMs: 200, maxLineBytes: MOST_PRINTED };
  const child = spawnProcess({ command, args, env, cwd: process.cwd(), stdin: "ignore", ...limits });
  const found: { stdout?: string; stderr?: string } = {};
  let seen = 0;
  for await (const { source, line } of child.output) {
    const version = line.match(/\d+\.\d+[\w.+-]*/)?.[0];
    if (version !== undefined) found[source] ??= version;
    seen += line.length;
    if (found.stdout !== undefined || seen > MOST_PRINTED) break;
  }
  child.terminate();
  await child.exited;
  // Warnings may have numbers in them too.
  return found.stdout ?? found.stderr;
}

const MOST_PRINTED = 10_000;
