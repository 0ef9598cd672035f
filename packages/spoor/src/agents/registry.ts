import { knownAcpAgents } from "./acp/acp-agents.ts";
import { acp } from "./acp/index.ts";
import { amp } from "./amp/index.ts";
import { claude } from "./claude/index.ts";
import { codex } from "./codex/index.ts";
import { copilot } from "./copilot/index.ts";
import { cursor } from "./cursor/index.ts";
import { gemini } from "./gemini/index.ts";
import { hermes } from "./hermes/index.ts";
import type { Adapter } from "./machine.ts";
import { omp } from "./omp/index.ts";
import { openclaw } from "./openclaw/index.ts";
import { opencode } from "./opencode/index.ts";
import { pi } from "./pi/index.ts";
import { qwen } from "./qwen/index.ts";
import { zot } from "./zot/index.ts";

/** All built-in adapters. To add one, add a folder and a line here. */
export const adapters: readonly Adapter[] = [
  amp,
  claude,
  codex,
  copilot,
  cursor,
  gemini,
  hermes,
  omp,
  openclaw,
  opencode,
  pi,
  qwen,
  zot,
  acp,
  ...knownAcpAgents,
];

export const findAdapter = (name: string): Adapter | undefined => adapters.find((adapter) => adapter.name === name);
