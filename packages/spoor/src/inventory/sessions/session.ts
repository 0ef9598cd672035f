import type { CostRecord } from "@spoor/protocol";
import type { SessionLog, SessionMessage } from "../../agents/session-log.ts";
import type { SessionFile } from "./session-files.ts";

/** What is told of a session in a list: what its file and the beginning of it say. */
export interface SessionSummary {
  /** `<agent>:<the agent's own id>`. */
  id: string;
  agent: string;
  nativeId: string;
  /** What it is called, else how its first prompt begins. */
  title: string;
  cwd?: string;
  model?: string;
  /** Milliseconds, as all times here. */
  startedAt?: number;
  updatedAt: number;
  /** The session it is a copy of. */
  forkedFrom?: string;
  /** The file it is in. Some agents keep all of them in one. */
  path: string;
  sizeBytes: number;
  /** What could not be read of it. */
  notes?: string[];
}

export interface Session extends SessionSummary {
  /** Model calls. */
  turnCount: number;
  messages: SessionMessage[];
  /** Of the whole conversation, subagents and what was copied included; by list price unless the agent says. */
  cost: CostRecord;
}

export function summaryOf(file: SessionFile, log: SessionLog, notes: readonly string[]): SessionSummary {
  const { agent, path, sizeBytes, updatedAt } = file;
  const nativeId = file.id ?? log.id ?? file.idStart ?? "";
  const { cwd, model, startedAt, forkedFrom } = log;
  return {
    id: unifiedId(agent, nativeId),
    agent,
    nativeId,
    title: titleOf(log),
    ...(cwd !== undefined && { cwd }),
    ...(model !== undefined && { model }),
    ...(startedAt !== undefined && { startedAt }),
    updatedAt,
    ...(forkedFrom !== undefined && { forkedFrom: unifiedId(agent, forkedFrom) }),
    path,
    sizeBytes,
    ...(notes.length > 0 && { notes: [...notes] }),
  };
}

export const unifiedId = (agent: string, nativeId: string): string => `${agent}:${nativeId}`;

function titleOf({ title, messages }: SessionLog): string {
  const prompt = title ?? messages.find(({ role }) => role === "user")?.text ?? "";
  const line = prompt.trim().split("\n", 1)[0] ?? "";
  return line.length > LONG ? `${[...line.slice(0, LONG)].slice(0, -1).join("")}…` : line;
}

const LONG = 120;
