import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { DescribedAgent } from "../inventory/agent-json.ts";
import { authStateOf } from "../inventory/auth/auth-state.ts";
import { capabilitiesOf } from "../inventory/capabilities.ts";
import { loopAdapter } from "./adapter.ts";
import { listProviders } from "./providers/list-providers.ts";

/** What is known of our own loop on this machine: it is always there, and some providers have their keys. */
export async function describeLoop(environment: NodeJS.ProcessEnv = process.env): Promise<DescribedAgent> {
  const { name: agent, title, about, dialects } = loopAdapter;
  return {
    agent,
    title,
    installed: true,
    path: fileURLToPath(packageFile("bin/spoor.js")),
    version: (JSON.parse(readFileSync(packageFile("package.json"), "utf8")) as { version: string }).version,
    meetsMinimumVersion: undefined,
    auth: await authStateOf(loopAdapter, { env: environment }),
    capabilities: capabilitiesOf(loopAdapter),
    install: [],
    dialects: dialects.map(({ name, canAsk: asks, streams, live }) => {
      return { name, runs: true, asks, streams, ...(live?.takes && { takes: live.takes }) };
    }),
    ...(about && { about }),
    controls: {
      dialect: "loop",
      asksPermission: true,
      takesAnswers: true,
      takesPrompts: true,
      canBeInterrupted: true,
      canBePaused: true,
      reportsUsage: true,
    },
    providers: listProviders(environment),
  };
}

/** The package is two folders up, both from src/loop and from dist/bundle. */
const packageFile = (name: string): URL => new URL(`../../${name}`, import.meta.url);
