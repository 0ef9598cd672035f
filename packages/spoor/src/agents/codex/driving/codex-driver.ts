import { RpcRequester } from "../../kit/json-rpc.ts";
import { asObject, asObjects, asText, type Json, parseObject } from "../../kit/json-values.ts";
import { omitUndefined } from "../../kit/omit-undefined.ts";
import type { Answer, Attachment, Driver, Launch, LaunchRequest, LiveDialect } from "../../machine.ts";

/** Runs Codex as a server on standard input and output: JSON-RPC, one message per line, without the `jsonrpc` field. */
export const codexLive: LiveDialect = {
  command: "codex",
  takes: [
    ...(["model", "systemPrompt", "systemPromptReplace", "resume", "fork", "noSession", "thinkingEffort"] as const),
    ...(["mcpServers", "remoteMcpServers", "images", "imageUrls"] as const),
  ],
  deny: { how: "it asks, and Spoor refuses; commands that it trusts run in a read-only sandbox" },
  launch,
  createDriver,
};

function launch({ mcpServers = [], remoteMcpServers = [], thinkingEffort }: LaunchRequest): Launch {
  // Values of `-c` are TOML. JSON strings, arrays and inline tables of strings have the same syntax there.
  const local = mcpServers.flatMap(({ name, command, args = [], env = {} }) => [
    `mcp_servers.${name}.command=${JSON.stringify(command)}`,
    `mcp_servers.${name}.args=${JSON.stringify(args)}`,
    ...Object.entries(env).map(([key, value]) => `mcp_servers.${name}.env.${key}=${JSON.stringify(value)}`),
  ]);
  const remote = remoteMcpServers.flatMap(({ name, url, headers = {} }) => [
    `mcp_servers.${name}.url=${JSON.stringify(url)}`,
    `mcp_servers.${name}.http_headers=${tableOf(headers)}`,
  ]);
  const effort = thinkingEffort === undefined ? [] : [`model_reasoning_effort="${efforts[thinkingEffort]}"`];
  return {
    args: ["app-server", ...[...local, ...remote, ...effort].flatMap((setting) => ["-c", setting])],
    allow: ["CODEX_*", "OPENAI_*", "AZURE_*"],
    stdin: "pipe",
  };
}

const tableOf = (values: Readonly<Record<string, string>>): string =>
  `{${Object.entries(values).map(([key, value]) => `${JSON.stringify(key)}=${JSON.stringify(value)}`)}}`;

const efforts = { low: "low", medium: "medium", high: "high", max: "xhigh" } as const;

/** What Codex may do without asking, and where it may write. */
const policies: Record<LaunchRequest["approve"], { approvalPolicy: string; sandbox: string }> = {
  ask: { approvalPolicy: "untrusted", sandbox: "workspace-write" },
  auto: { approvalPolicy: "never", sandbox: "danger-full-access" },
  deny: { approvalPolicy: "untrusted", sandbox: "read-only" },
};

function createDriver(request: LaunchRequest): Driver {
  const { prompt, attachments = [] } = request;
  const asking = new RpcRequester({ version: {} });
  let threadId: string | undefined;
  let turnId: string | undefined;
  /** The server's open requests, by id as text. A response must have the id in its original type. */
  const asked = new Map<string, { id: unknown; method: string; params: Json }>();

  const inThread = (method: string, params: object): string => asking.request(method, { threadId, ...params });
  const openThread = (): string[] => {
    const { method, params } = opening(request);
    return ['{"method":"initialized"}', asking.request(method, params, begin)];
  };
  const begin = ({ thread }: Json): string[] => {
    threadId = asText(asObject(thread)?.id);
    const input = [...attachments.map(imageInput), textInput(prompt)];
    return threadId === undefined ? [] : [inThread("turn/start", { input })];
  };

  return {
    endsWithInput: true,
    get hasGivenUp() {
      return asking.hasGivenUp;
    },
    open: () => [asking.request("initialize", { clientInfo, capabilities: {} }, openThread)],
    receive(line) {
      const frame = parseObject(line);
      const method = asText(frame?.method);
      const params = asObject(frame?.params) ?? {};
      if (!frame) return [];
      if (method === undefined) return asking.handleResponse(frame) ?? [];
      if (frame.id !== undefined) asked.set(String(frame.id), { id: frame.id, method, params });
      else if (method === "turn/started" && params.threadId === threadId) turnId = asText(asObject(params.turn)?.id);
      else if (method === "turn/completed" && params.threadId === threadId) turnId = undefined;
      return [];
    },
    follow: (text) =>
      turnId === undefined
        ? [inThread("turn/start", { input: [textInput(text)] })]
        : [inThread("turn/steer", { expectedTurnId: turnId, input: [textInput(text)] })],
    answer(id, answer) {
      const question = asked.get(id);
      if (!question) return [];
      asked.delete(id);
      return [asking.frame({ id: question.id, result: resultOf(question.method, question.params, answer) })];
    },
    interrupt: () => (turnId === undefined ? [] : [inThread("turn/interrupt", { turnId })]),
  };
}

const clientInfo = { name: "spoor", title: "Spoor", version: "0" };

const textInput = (text: string) => ({ type: "text", text, text_elements: [] });

/** The request that opens the thread. */
function opening(request: LaunchRequest): { method: string; params: object } {
  const { cwd, model, systemPrompt, systemPromptMode, resume, fork, noSession, approve } = request;
  const instructions = systemPromptMode === "replace" ? "baseInstructions" : "developerInstructions";
  const options = { cwd, ...policies[approve], ...omitUndefined({ model, [instructions]: systemPrompt }) };
  if (fork !== undefined) return { method: "thread/fork", params: { threadId: fork, ...options } };
  if (resume !== undefined) return { method: "thread/resume", params: { threadId: resume, ...options } };
  return { method: "thread/start", params: { ...options, ...(noSession && { ephemeral: true }) } };
}

/** An image as a path, which Codex reads itself, or as a data URL. */
function imageInput(attachment: Attachment): object {
  if ("url" in attachment) return { type: "image", url: attachment.url };
  const { mimeType, base64, path } = attachment;
  if (path !== undefined) return { type: "localImage", path };
  return { type: "image", url: `data:${mimeType};base64,${base64}` };
}

function resultOf(method: string, params: Json, { granted, text }: Answer): object {
  if (method === "mcpServer/elicitation/request") {
    return { action: granted ? "accept" : "decline", content: {}, _meta: null };
  }
  if (method === "item/tool/requestUserInput") {
    const answer = { answers: text ? [text] : [] };
    return { answers: Object.fromEntries(asObjects(params.questions).map(({ id }) => [asText(id) ?? "", answer])) };
  }
  return { decision: granted ? "accept" : "decline" };
}
