import { acp } from "./acp/index.ts";
import { claude } from "./claude/index.ts";
import { codex } from "./codex/index.ts";
import { gemini } from "./gemini/index.ts";
import type { Adapter } from "./machine.ts";
import { pi } from "./pi/index.ts";
import { qwen } from "./qwen/index.ts";

/** Every agent we know. To add one: a folder, and a line here. */
export const adapters: readonly Adapter[] = [claude, codex, gemini, pi, qwen, acp];

export const findAdapter = (name: string): Adapter | undefined => adapters.find((adapter) => adapter.name === name);
