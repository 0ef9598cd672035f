import { retriableErrorCodes } from "@spoor/protocol/write";
import {
  type Check,
  callback,
  either,
  expecting,
  flag,
  listOf,
  mapOf,
  matching,
  number,
  objectOf,
  oneOf,
  text,
  whole,
} from "./checks.ts";
import type { RetryPolicy } from "./retry-policy.ts";
import type { RunOptions } from "./run-options.ts";

export interface Field {
  check: Check;
  /** Where it may stand besides the call itself: profiles and configuration files, and the client's own options. */
  shared?: true;
  /**
   * It decides what runs on this machine or what an agent may do unasked. A file that came with a project may say it
   * only where the user trusts that project.
   */
  trusted?: (value: unknown) => boolean;
  /** How a nearer value goes with a farther one: in its place unless this says otherwise. */
  merge?: "keys" | "names";
}

const always = () => true;
const name = /^[A-Za-z0-9_-]+$/;

const retryPolicy: Record<keyof RetryPolicy, Check> = {
  maxAttempts: whole(0),
  baseDelayMs: whole(0),
  maxDelayMs: whole(0),
  jitterFactor: number(0, 1),
  // Failures of a provider that agents have no better word for are INTERNAL too.
  retryOn: listOf(oneOf(...retriableErrorCodes, "INTERNAL")),
};

const localServer = objectOf(
  {
    name: matching(name, "letters, digits, _ and -"),
    transport: oneOf("stdio"),
    command: text,
    args: listOf(expecting("text", (value) => typeof value === "string")),
    env: mapOf(expecting("text", (value) => typeof value === "string")),
  },
  ["name", "command"],
);

const remoteServer = objectOf(
  {
    name: matching(name, "letters, digits, _ and -"),
    transport: oneOf("sse", "streamable-http"),
    url: matching(/^https?:\/\//, "an http or https address"),
    headers: mapOf(expecting("text", (value) => typeof value === "string")),
  },
  ["name", "url", "transport"],
);

const mcpServer: Check = (value, field) =>
  (typeof value === "object" && value !== null && "url" in value ? remoteServer : localServer)(value, field);

const attachment: Check = (value, field) => {
  const problems = objectOf({ filePath: text, url: text, base64: text, mimeType: text, name: text })(value, field);
  if (problems.length > 0) return problems;
  const given = value as Record<string, unknown>;
  const sources = ["filePath", "url", "base64"].filter((source) => given[source] !== undefined);
  if (sources.length !== 1) return [{ field, message: `${field} must have one of filePath, url and base64.` }];
  if (given.base64 !== undefined && given.mimeType === undefined) {
    return [
      { field: `${field}.mimeType`, message: `${field}.mimeType is missing: bytes alone do not say what they are.` },
    ];
  }
  return [];
};

const someText = expecting("text", (value) => typeof value === "string");

/** Every option of a run: what it may be, where it may be said, and how it is merged. */
export const fields: Readonly<Record<keyof RunOptions, Field>> = {
  agent: { check: text, shared: true },
  prompt: { check: either(someText, listOf(someText, "text, or a list of texts")) },
  profile: { check: matching(/^[A-Za-z0-9_-]{1,64}$/, "a name of at most 64 letters, digits, _ and -") },
  systemPrompt: { check: text, shared: true },
  systemPromptMode: { check: oneOf("append", "replace"), shared: true },
  attachments: { check: listOf(attachment) },
  model: { check: text, shared: true },
  thinkingEffort: { check: oneOf("low", "medium", "high", "max"), shared: true },
  thinkingBudgetTokens: { check: whole(1024), shared: true },
  maxOutputTokens: { check: whole(1), shared: true },
  resume: { check: text },
  fork: { check: text },
  noSession: { check: flag, shared: true },
  sessionId: { check: text },
  forkSessionId: { check: text },
  stream: { check: oneOf("auto", true, false), shared: true },
  cwd: { check: text },
  env: { check: mapOf(someText), shared: true, trusted: always, merge: "keys" },
  passEnv: { check: listOf(matching(/^(?!\*$)[^\s=]+$/, "the name of a variable")), shared: true, trusted: always },
  environmentMode: {
    check: oneOf("inherit", "clean"),
    shared: true,
    trusted: (value) => value === "inherit",
  },
  environment: { check: mapOf(expecting("text", (value) => value === undefined || typeof value === "string")) },
  timeout: { check: whole(0), shared: true },
  inactivityTimeout: { check: whole(0), shared: true },
  gracePeriodMs: { check: whole(0), shared: true },
  maxTurns: { check: whole(1), shared: true },
  approve: { check: oneOf("ask", "auto", "deny", "prompt", "yolo"), shared: true, trusted: isUnasked },
  approvalMode: { check: oneOf("ask", "auto", "deny", "prompt", "yolo"), shared: true, trusted: isUnasked },
  skills: { check: listOf(text), shared: true, trusted: always },
  mcpServers: { check: listOf(mcpServer), shared: true, trusted: always, merge: "names" },
  retryPolicy: { check: objectOf(retryPolicy), shared: true, merge: "keys" },
  runId: { check: matching(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/, "a ULID") },
  tags: { check: listOf(text), shared: true },
  collectEvents: { check: flag, shared: true },
  dialect: { check: text, shared: true },
  command: {
    check: either(text, listOf(text, "a program, or a list of it and what comes first")),
    shared: true,
    trusted: always,
  },
  onApprovalRequest: { check: callback },
  onInputRequired: { check: callback },
};

/** Options of other systems like ours that no wire of any agent can honour, with what to do instead. */
export const impossible: Readonly<Record<string, string>> = {
  temperature: "agents choose it themselves",
  topP: "agents choose it themselves",
  topK: "agents choose it themselves",
  maxTokens: "use maxOutputTokens",
  thinkingOverride: "use thinkingEffort or thinkingBudgetTokens",
  outputFormat: "a run gives events; ask for a format in the prompt",
  agentsDoc: "use systemPrompt, or put the file where the agent looks for it",
  projectId: "use tags",
};

/** Of each of these, one at most. */
export const exclusive: readonly (readonly (keyof RunOptions)[])[] = [
  ["resume", "sessionId", "fork", "forkSessionId", "noSession"],
  ["approve", "approvalMode"],
];

function isUnasked(value: unknown): boolean {
  return value === "auto" || value === "yolo";
}
