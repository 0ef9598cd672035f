import { RpcRequester } from "../../kit/json-rpc.ts";
import { asText, type Json, parseObject } from "../../kit/json-values.ts";
import { omitUndefined } from "../../kit/omit-undefined.ts";
import type { Attachment, Driver, Launch, LaunchRequest, LiveDialect } from "../../machine.ts";
import { questionId } from "./copilot-server.ts";
import { providerOf } from "./model-provider.ts";

/** Runs Copilot as a server on standard input and output: JSON-RPC with Content-Length framing. */
export const copilotLive: LiveDialect = {
  command: "copilot",
  takes: [
    ...(["model", "systemPrompt", "systemPromptReplace", "thinkingEffort", "resume", "fork", "skills"] as const),
    ...(["mcpServers", "remoteMcpServers", "sseMcpServers", "images", "files"] as const),
  ],
  deny: { how: "it refuses what it would ask" },
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
  /** What Copilot may ask a person: permission, and its own questions. */
  asks: { requestPermission: boolean; requestUserInput: boolean };
  method: string;
  params: object;
}

const readsPass = {
  method: "session.permissions.configure",
  params: { rules: { approved: [{ kind: "read", argument: null }], denied: [] } },
};

/**
 * If Copilot cannot ask, it refuses. By default it reads the project without asking, so the rules here allow reading.
 */
const policies: Record<LaunchRequest["approve"], Policy> = {
  ask: { asks: { requestPermission: true, requestUserInput: true }, ...readsPass },
  auto: {
    asks: { requestPermission: true, requestUserInput: false },
    method: "session.permissions.setMode",
    params: { mode: "allow-all" },
  },
  deny: { asks: { requestPermission: false, requestUserInput: false }, ...readsPass },
};

function createDriver(request: LaunchRequest): Driver {
  const { prompt, attachments = [], resume, fork, approve } = request;
  const policy = policies[approve];
  const asking = new RpcRequester();
  /** Ids of the server's questions, by the ids that we report. */
  const questions = new Map<string, unknown>();
  let sessionId: string | undefined;

  const inSession = (method: string, params: object = {}): string => asking.request(method, { sessionId, ...params });
  const opened = ({ sessionId: id }: Json): string[] => {
    sessionId = asText(id);
    const files = attachments.length > 0 ? { attachments: attachments.map(attached) } : {};
    return [inSession(policy.method, policy.params), inSession("session.send", { prompt, ...files })];
  };
  const settings = { ...sessionSettings(request), ...policy.asks };
  const reopen = (id: string): string[] => [asking.request("session.resume", { sessionId: id, ...settings }, opened)];
  const begin = (): string[] => {
    if (fork !== undefined) {
      return [asking.request("sessions.fork", { sessionId: fork }, (result) => reopen(asText(result.sessionId) ?? ""))];
    }
    return resume === undefined ? [asking.request("session.create", settings, opened)] : reopen(resume);
  };

  return {
    endsWithInput: true,
    get hasGivenUp() {
      return asking.hasGivenUp;
    },
    open: () => [asking.request("connect", {}, begin)],
    receive(line) {
      const frame = parseObject(line);
      const method = asText(frame?.method);
      if (!frame || frame.id === undefined) return [];
      if (method === "userInput.request") {
        questions.set(questionId(frame.id), frame.id);
        return [];
      }
      if (method === undefined) return asking.handleResponse(frame) ?? [];
      return [asking.refuse(frame.id, -32601, `${method} is not supported by this client.`)];
    },
    follow: (text) => [inSession("session.send", { prompt: text })],
    answer(id, { granted, text }) {
      if (questions.has(id)) {
        const question = questions.get(id);
        questions.delete(id);
        return [asking.frame({ id: question, result: { answer: text ?? "", wasFreeform: true } })];
      }
      const result = granted ? { kind: "approve-once" } : { kind: "reject", ...omitUndefined({ feedback: text }) };
      return [inSession("session.permissions.handlePendingPermissionRequest", { requestId: id, result })];
    },
    interrupt: () => (sessionId === undefined ? [] : [inSession("session.abort")]),
  };
}

function sessionSettings(request: LaunchRequest): object {
  const { cwd, systemPrompt, systemPromptMode = "append", thinkingEffort, skills } = request;
  const { mcpServers = [], remoteMcpServers = [], environment = {} } = request;
  const model = request.model ?? environment.COPILOT_MODEL;
  const servers = [
    ...mcpServers.map((server) => ({ type: "local", args: [], ...server })),
    ...remoteMcpServers.map(({ transport, ...server }) => ({ type: transport === "sse" ? "sse" : "http", ...server })),
  ].map(({ name, ...server }) => [name, { ...server, tools: ["*"] }]);
  return {
    clientName: "spoor",
    workingDirectory: cwd,
    streaming: true,
    includeSubAgentStreamingEvents: true,
    envValueMode: "direct",
    // Discovers the project's skills, MCP servers and agents, as its command line does.
    enableConfigDiscovery: true,
    ...omitUndefined({
      model,
      provider: providerOf(environment),
      reasoningEffort: thinkingEffort,
      skillDirectories: skills,
    }),
    ...(systemPrompt !== undefined && { systemMessage: { mode: systemPromptMode, content: systemPrompt } }),
    ...(servers.length > 0 && { mcpServers: Object.fromEntries(servers) }),
  };
}

/** A file as a path, which Copilot reads itself, or as bytes. */
function attached(attachment: Attachment): object {
  const { name: displayName, mimeType } = attachment;
  const path = "url" in attachment ? attachment.url : attachment.path;
  if (path !== undefined || !("base64" in attachment)) return { type: "file", path, displayName };
  return { type: "blob", data: attachment.base64, mimeType, displayName };
}
