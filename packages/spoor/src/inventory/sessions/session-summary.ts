import type { CostRecord } from "@spoor/protocol";
import type { SessionLog, SessionMessage } from "../../agents/session-log.ts";
import type { SessionFile } from "./session-files.ts";

/** A session in a list, described by its file and the beginning of its content. */
export interface SessionSummary {
  /** `<agent>:<the agent's own id>`. */
  id: string;
  agent: string;
  nativeId: string;
  /** The title, or the beginning of the first prompt if it has none. */
  title: string;
  cwd?: string;
  model?: string;
  /** Epoch milliseconds, like all times here. */
  startedAt?: number;
  updatedAt: number;
  /** The session this one was forked from. */
  forkedFrom?: string;
  /** The file that holds the session. Some agents keep all sessions in one file. */
  path: string;
  sizeBytes: number;
  /** Sentences about parts that could not be read. */
  notes?: string[];
}

/** A whole session with its messages. */
export interface Session extends SessionSummary {
  /** How many model calls the session has. */
  turnCount: number;
  messages: SessionMessage[];
  /** Cost of the whole conversation, with subagents and the part copied by a fork; by list price unless the agent reports it. */
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
  return line.length > MAX_TITLE_LENGTH ? `${[...line.slice(0, MAX_TITLE_LENGTH)].slice(0, -1).join("")}…` : line;
}

const MAX_TITLE_LENGTH = 120;
