import { existsSync, readFileSync } from "node:fs";
import type { AgentEvent } from "@spoor/protocol";
import { adapters } from "../../../src/agents/registry.ts";
import { parse } from "../../../src/assemble/parse.ts";
import { readAcp } from "./acp.ts";
import { readCodexAcp, readKilo, readOpenclawAcp, readPiAcp } from "./acp-by-name.ts";
import { readAmp } from "./amp.ts";
import { readClaude } from "./claude-stream-json.ts";
import { readCodexAppServer } from "./codex-app-server.ts";
import { readCodexExec } from "./codex-exec.ts";
import { readCopilot } from "./copilot.ts";
import { readCopilotAcp } from "./copilot-acp.ts";
import { readCursor } from "./cursor.ts";
import type { Facts } from "./facts.ts";
import { framesOf, type RecordedFrame } from "./frames.ts";
import { readGemini } from "./gemini-stream-json.ts";
import { readHermes, readHermesAcp } from "./hermes.ts";
import { factsOfEvents } from "./of-events.ts";
import { readOmp } from "./omp.ts";
import { readOpenclaw } from "./openclaw.ts";
import { readOpenclawDocument } from "./openclaw-document.ts";
import { readOpencode } from "./opencode.ts";
import { readPi } from "./pi.ts";
import { readPiLog } from "./pi-log.ts";
import { readZot } from "./zot.ts";

type Reader = (frames: readonly RecordedFrame[], argv: readonly string[]) => Facts;

/** The reader for a recording: the first whose pattern matches its path below `fixtures/`. */
const readers: readonly (readonly [RegExp, Reader])[] = [
  [/^copilot\/.*\.acp\.jsonl$/, readCopilotAcp],
  [/^hermes\/.*\.acp\.jsonl$/, readHermesAcp],
  [/^codex-acp\//, readCodexAcp],
  [/^kilo\//, readKilo],
  [/^openclaw\/.*\.acp\.jsonl$/, readOpenclawAcp],
  [/^pi-acp\//, readPiAcp],
  [/\.acp\.jsonl$|^acp\//, readAcp],
  [/^amp\//, readAmp],
  [/^(claude|qwen)\//, readClaude],
  [/^codex\/.*\.app-server\.jsonl$/, readCodexAppServer],
  [/^codex\//, readCodexExec],
  [/^copilot\//, readCopilot],
  [/^cursor\//, readCursor],
  [/^gemini\//, readGemini],
  [/^hermes\//, readHermes],
  [/^(omp|pi)\/.*\/session-log\./, readPiLog],
  [/^omp\//, readOmp],
  [/^openclaw\/.*\.json$/, readOpenclawDocument],
  [/^openclaw\//, readOpenclaw],
  [/^opencode\//, readOpencode],
  [/^pi\//, readPi],
  [/^zot\//, readZot],
];

/** The facts in the agent's own frames. `name` is the path below the folder of recordings, beginning with the agent. */
export function factsOfWire(name: string, path: string): Facts {
  const reader = readers.find(([pattern]) => pattern.test(name))?.[1];
  if (!reader) throw new Error(`No reader matches ${name}. Add one to the list of readers.`);
  return reader(framesOf(readFileSync(path, "utf8")), metaOf(path).argv ?? []);
}

/** The facts in our events of the same recording. */
export async function factsOfAdapter(name: string, path: string): Promise<Facts> {
  const agent = name.slice(0, name.indexOf("/"));
  const adapter = adapters.find((one) => one.name === agent);
  if (!adapter) throw new Error(`There is no adapter named ${agent}.`);
  const lines = readFileSync(path, "utf8").split("\n");
  if (lines.at(-1) === "") lines.pop();
  async function* source() {
    yield* lines;
  }
  const events: AgentEvent[] = [];
  for await (const event of parse(source(), { adapter, exit: exitOf(path) })) events.push(event);
  return factsOfEvents(events);
}

function exitOf(path: string): { code: number | null; signal: string | null } {
  const { exit_code, exitCode, signal } = metaOf(path);
  return { code: exit_code ?? exitCode ?? (signal ? null : 0), signal: signal ?? null };
}

interface Meta {
  exit_code?: number;
  exitCode?: number;
  signal?: string | null;
  argv?: string[];
}

function metaOf(path: string): Meta {
  const beside = path.replace(/\.jsonl?$/, ".meta.json");
  return existsSync(beside) ? JSON.parse(readFileSync(beside, "utf8")) : {};
}
