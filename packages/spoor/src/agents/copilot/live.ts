import { asObject, asText, type Json, parseObject } from "../json-machine.ts";
import type { Attachment, Driver, Launch, LaunchRequest, LiveWire } from "../machine.ts";
import { providerOf } from "./provider.ts";
import { questionId } from "./server.ts";

/** Copilot as a server on standard input and output: JSON-RPC, framed by length. */
export const copilotLive: LiveWire = {
  command: "copilot",
  takes: [
    ...(["model", "systemPrompt", "systemPromptReplace", "thinkingEffort", "resume", "fork", "skills"] as const),
    ...(["mcpServers", "remoteMcpServers", "sseMcpServers", "images", "files"] as const),
  ],
  launch,
  createDriver,
};

function launch(): Launch {
  return {
    args: ["--headless", "--no-auto-update", "--stdio"],
    allow: ["COPILOT_*", "GH_TOKEN", "GITHUB_TOKEN"],
    stdin: "pipe",
    framing: "content-length",
  };
}

interface Policy {
  /** What it may ask a person: permission, and questions of its own. */
  asks: { requestPermission: boolean; requestUserInput: boolean };
  method: string;
  params: object;
}

const readsPass = {
  method: "session.permissions.configure",
  params: { rules: { approved: [{ kind: "read", argument: null }], denied: [] } },
};

/** Unable to ask, it refuses. Left to itself it reads the project unasked, and so it does here. */
const policies: Record<LaunchRequest["approve"], Policy> = {
  ask: { asks: { requestPermission: true, requestUserInput: true }, ...readsPass },
  auto: {
    asks: { requestPermission: true, requestUserInput: false },
    method: "session.permissions.setMode",
    params: { mode: "allow-all" },
  },
  deny: { asks: { requestPermission: false, requestUserInput: false }, ...readsPass },
};

function createDriver(asking: LaunchRequest): Driver {
  const { prompt, attachments = [], resume, fork, approve } = asking;
  const policy = policies[approve];
  let next = 0;
  let sessionId: string | undefined;
  let hasGivenUp = false;
  /** What each answer that is waited for leads to. */
  const steps = new Map<number, (result: Json) => string[]>();
  /** Ids of the server's questions, by the names we gave them. */
  const questions = new Map<string, unknown>();

  const request = (method: string, params: object, then?: (result: Json) => string[]): string => {
    const id = next++;
    if (then) steps.set(id, then);
    return JSON.stringify({ jsonrpc: "2.0", id, method, params });
  };
  const inSession = (method: string, params: object = {}): string => request(method, { sessionId, ...params });
  const opened = ({ sessionId: id }: Json): string[] => {
    sessionId = asText(id);
    const given = attachments.length > 0 ? { attachments: attachments.map(attached) } : {};
    return [inSession(policy.method, policy.params), inSession("session.send", { prompt, ...given })];
  };
  const settings = { ...sessionSettings(asking), ...policy.asks };
  const reopen = (id: string): string[] => [request("session.resume", { sessionId: id, ...settings }, opened)];
  const begin = (): string[] => {
    if (fork !== undefined) {
      return [request("sessions.fork", { sessionId: fork }, (result) => reopen(asText(result.sessionId) ?? ""))];
    }
    return resume === undefined ? [request("session.create", settings, opened)] : reopen(resume);
  };

  return {
    endsWithInput: true,
    get hasGivenUp() {
      return hasGivenUp;
    },
    open: () => [request("connect", {}, begin)],
    receive(line) {
      const frame = parseObject(line);
      const method = asText(frame?.method);
      if (!frame || frame.id === undefined) return [];
      if (method === "userInput.request") {
        questions.set(questionId(frame.id), frame.id);
        return [];
      }
      if (method !== undefined) return [notOffered(frame.id, method)];
      const step = steps.get(frame.id as number);
      steps.delete(frame.id as number);
      if (step && frame.error !== undefined) hasGivenUp = true;
      return step && !hasGivenUp ? step(asObject(frame.result) ?? {}) : [];
    },
    follow: (text) => [inSession("session.send", { prompt: text })],
    answer(id, { granted, text }) {
      if (questions.has(id)) {
        const question = questions.get(id);
        questions.delete(id);
        return [JSON.stringify({ jsonrpc: "2.0", id: question, result: { answer: text ?? "", wasFreeform: true } })];
      }
      const refusal = { kind: "reject", ...(text !== undefined && { feedback: text }) };
      const result = granted ? { kind: "approve-once" } : refusal;
      return [inSession("session.permissions.handlePendingPermissionRequest", { requestId: id, result })];
    },
    interrupt: () => (sessionId === undefined ? [] : [inSession("session.abort")]),
  };
}

/** It waits for an answer to whatever it asks. */
const notOffered = (id: unknown, method: string): string =>
  JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: `${method} is not offered here.` } });

function sessionSettings(asking: LaunchRequest): object {
  const { cwd, systemPrompt, systemPromptMode = "append", thinkingEffort, skills } = asking;
  const { mcpServers = [], remoteMcpServers = [], environment = {} } = asking;
  const model = asking.model ?? environment.COPILOT_MODEL;
  const provider = providerOf(environment);
  const servers = [
    ...mcpServers.map(({ name, ...server }) => [name, { type: "local", args: [], ...server, tools: ["*"] }]),
    ...remoteMcpServers.map(({ name, transport, ...server }) => [
      name,
      { type: transport === "sse" ? "sse" : "http", ...server, tools: ["*"] },
    ]),
  ];
  return {
    clientName: "spoor",
    workingDirectory: cwd,
    streaming: true,
    includeSubAgentStreamingEvents: true,
    envValueMode: "direct",
    // As its command line does: the project's skills, MCP servers and agents.
    enableConfigDiscovery: true,
    ...(model !== undefined && { model }),
    ...(provider && { provider }),
    ...(systemPrompt !== undefined && { systemMessage: { mode: systemPromptMode, content: systemPrompt } }),
    ...(thinkingEffort !== undefined && { reasoningEffort: thinkingEffort }),
    ...(skills && { skillDirectories: skills }),
    ...(servers.length > 0 && { mcpServers: Object.fromEntries(servers) }),
  };
}

/** A file by its path, which it reads itself, or its bytes. */
function attached(attachment: Attachment): object {
  const { name: displayName, mimeType } = attachment;
  if ("url" in attachment) return { type: "file", path: attachment.url, displayName };
  if (attachment.path !== undefined) return { type: "file", path: attachment.path, displayName };
  return { type: "blob", data: attachment.base64, mimeType, displayName };
}
