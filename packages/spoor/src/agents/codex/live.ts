import { asObject, asText, type Json, parseObject } from "../json-machine.ts";
import type { Answer, Attachment, Driver, Launch, LaunchRequest, LiveWire } from "../machine.ts";

/** Codex as a server on standard input and output: JSON-RPC, a line per message, without the `jsonrpc` field. */
export const codexLive: LiveWire = {
  command: "codex",
  takes: [
    ...(["model", "systemPrompt", "systemPromptReplace", "resume", "fork", "noSession", "thinkingEffort"] as const),
    ...(["mcpServers", "remoteMcpServers", "images", "imageUrls"] as const),
  ],
  launch,
  createDriver,
};

function launch({ mcpServers = [], remoteMcpServers = [], thinkingEffort }: LaunchRequest): Launch {
  // Values of `-c` are TOML; JSON strings, arrays and inline tables of strings are written the same way there.
  const local = mcpServers.flatMap(({ name, command, args = [], env = {} }) => [
    ...["-c", `mcp_servers.${name}.command=${JSON.stringify(command)}`],
    ...["-c", `mcp_servers.${name}.args=${JSON.stringify(args)}`],
    ...Object.entries(env).flatMap(([key, value]) => ["-c", `mcp_servers.${name}.env.${key}=${JSON.stringify(value)}`]),
  ]);
  const remote = remoteMcpServers.flatMap(({ name, url, headers = {} }) => [
    ...["-c", `mcp_servers.${name}.url=${JSON.stringify(url)}`],
    ...["-c", `mcp_servers.${name}.http_headers=${tableOf(headers)}`],
  ]);
  const effort = thinkingEffort === undefined ? [] : ["-c", `model_reasoning_effort="${efforts[thinkingEffort]}"`];
  return {
    args: ["app-server", ...local, ...remote, ...effort],
    allow: ["CODEX_*", "OPENAI_*", "AZURE_*"],
    stdin: "pipe",
  };
}

const tableOf = (values: Readonly<Record<string, string>>): string =>
  `{${Object.entries(values).map(([key, value]) => `${JSON.stringify(key)}=${JSON.stringify(value)}`)}}`;

const efforts = { low: "low", medium: "medium", high: "high", max: "xhigh" } as const;

/** What may be done without asking, and where writing is possible at all. */
const policies: Record<LaunchRequest["approve"], { approvalPolicy: string; sandbox: string }> = {
  ask: { approvalPolicy: "untrusted", sandbox: "workspace-write" },
  auto: { approvalPolicy: "never", sandbox: "danger-full-access" },
  deny: { approvalPolicy: "never", sandbox: "read-only" },
};

/** Ids of our own requests, by what they ask for. Prompts count on from here. */
const INITIALIZE = 0;
const THREAD = 1;

function createDriver(asking: LaunchRequest): Driver {
  const { prompt, attachments = [], cwd, model, systemPrompt, systemPromptMode, resume, fork, noSession } = asking;
  let next = THREAD;
  let threadId: string | undefined;
  let turnId: string | undefined;
  /** The server's open requests, by id as text: ids are answered in the type they came in. */
  const asked = new Map<string, { id: unknown; method: string; params: Json }>();

  const request = (method: string, params: object, id = ++next): string => JSON.stringify({ method, id, params });
  const input = (text: string) => [{ type: "text", text, text_elements: [] }];
  const openThread = (): string => {
    const options = {
      cwd,
      ...policies[asking.approve],
      ...(model !== undefined && { model }),
      ...(systemPrompt !== undefined && {
        [systemPromptMode === "replace" ? "baseInstructions" : "developerInstructions"]: systemPrompt,
      }),
    };
    if (fork !== undefined) return request("thread/fork", { threadId: fork, ...options }, THREAD);
    if (resume !== undefined) return request("thread/resume", { threadId: resume, ...options }, THREAD);
    return request("thread/start", { ...options, ...(noSession && { ephemeral: true }) }, THREAD);
  };

  return {
    endsWithInput: true,
    open: () => [
      request(
        "initialize",
        { clientInfo: { name: "spoor", title: "Spoor", version: "0" }, capabilities: {} },
        INITIALIZE,
      ),
    ],
    receive(line) {
      const frame = parseObject(line);
      const method = asText(frame?.method);
      const params = asObject(frame?.params) ?? {};
      if (frame?.id !== undefined && method !== undefined) {
        asked.set(String(frame.id), { id: frame.id, method, params });
      } else if (method === "turn/started" && params.threadId === threadId) {
        turnId = asText(asObject(params.turn)?.id);
      } else if (method === "turn/completed" && params.threadId === threadId) turnId = undefined;
      else if (method === undefined && frame?.id === INITIALIZE) return ['{"method":"initialized"}', openThread()];
      else if (method === undefined && frame?.id === THREAD) {
        threadId = asText(asObject(asObject(frame.result)?.thread)?.id);
        if (threadId !== undefined)
          return [request("turn/start", { threadId, input: [...attachments.map(imageInput), ...input(prompt)] })];
      }
      return [];
    },
    follow: (text) =>
      turnId === undefined
        ? [request("turn/start", { threadId, input: input(text) })]
        : [request("turn/steer", { threadId, expectedTurnId: turnId, input: input(text) })],
    answer(id, answer) {
      const question = asked.get(id);
      if (!question) return [];
      asked.delete(id);
      return [JSON.stringify({ id: question.id, result: resultOf(question.method, question.params, answer) })];
    },
    interrupt: () => (turnId === undefined ? [] : [request("turn/interrupt", { threadId, turnId })]),
  };
}

/** A file by its path, which it reads itself; bytes as an address that holds them. */
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
    const questions = Array.isArray(params.questions) ? params.questions : [];
    const answers = questions.map((question) => [
      asText(asObject(question)?.id) ?? "",
      { answers: text ? [text] : [] },
    ]);
    return { answers: Object.fromEntries(answers) };
  }
  return { decision: granted ? "accept" : "decline" };
}
