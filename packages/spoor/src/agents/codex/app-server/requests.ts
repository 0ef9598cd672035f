import { asArray, asObject, asText, type Json } from "../../json-machine.ts";
import type { Signal } from "../../signal.ts";
import { changedPaths, fileFacts } from "../files.ts";
import { ready, toolItems } from "../tools.ts";
import type { Thread } from "./thread.ts";

type Ask = Extract<Signal, { kind: "ask" }>;
type Tool = NonNullable<Ask["tool"]>;

export interface Requests {
  /** The agent asks; `undefined` when it is no question to a person. */
  asked(frame: Json, thread: Thread): Signal[] | undefined;
  /** An answer of ours, and the thread that asked. */
  answered(frame: Json): { threadId: string; signals: Signal[] } | undefined;
  isAnswered(id: unknown): boolean;
}

/** Questions of the agent, by the id of its request, until they are answered. */
export function createRequests(): Requests {
  const open = new Map<string, { threadId: string; answer(result: Json): Signal[] }>();
  const answeredIds = new Set<string>();
  /** Calls of MCP tools that were asked about: the question does not name its call. */
  const askedCalls = new Set<string>();

  return {
    asked(frame, thread) {
      const id = String(frame.id);
      const method = asText(frame.method) ?? "";
      const params = asObject(frame.params) ?? {};
      const isMcp = asObject(params._meta)?.codex_approval_kind === "mcp_tool_call";
      if (method === "item/tool/requestUserInput") {
        const call = callOf(params, id);
        const answer = (result: Json): Signal[] => [{ kind: "toolEnd", id: call, output: result.answers ?? null }];
        open.set(id, { threadId: thread.id, answer });
        return [...thread.asked(), ...userInput(id, params)];
      }
      if (method === "mcpServer/elicitation/request" && !isMcp) {
        const context = asText(params.serverName);
        const question = asText(params.message) ?? "";
        open.set(id, { threadId: thread.id, answer: () => [] });
        return [{ kind: "question", id, question, source: "tool", ...(context !== undefined && { context }) }];
      }
      const signals = isMcp ? mcpCall(id, params, thread, askedCalls) : approvals[method]?.(id, params, thread);
      if (!signals) return undefined;
      open.set(id, { threadId: thread.id, answer: (result) => [answer(id, result)] });
      return [...thread.asked(), ...signals];
    },
    answered(frame) {
      const id = String(frame.id);
      const question = open.get(id);
      if (!question) return undefined;
      open.delete(id);
      answeredIds.add(id);
      return { threadId: question.threadId, signals: question.answer(asObject(frame.result) ?? {}) };
    },
    isAnswered: (id) => answeredIds.has(String(id)),
  };
}

const approvals: Record<string, (id: string, params: Json, thread: Thread) => Signal[]> = {
  "item/commandExecution/requestApproval": (id, params) => {
    const call = callOf(params, id);
    const command = asText(params.command) ?? "";
    const actions = asArray(params.commandActions).map((action) => asObject(action)?.type);
    const isReading = actions.length > 0 && actions.every((type) => type !== "unknown");
    const risk = params.networkApprovalContext ? "high" : isReading ? "low" : "medium";
    const input = { command: params.command, ...(params.cwd !== undefined && { cwd: params.cwd }) };
    const tool: Tool = { id: call, name: "exec_command", toolKind: "shell", input };
    const started = toolItems.commandExecution?.start(call, params) ?? [];
    return [...started, ask(id, "shell", asText(params.reason) ? `${command}\n${params.reason}` : command, risk, tool)];
  },
  "item/fileChange/requestApproval": (id, params, thread) => {
    const call = callOf(params, id);
    const changes = thread.items.running(call)?.changes;
    const isDeleting = fileFacts(changes).some(({ op }) => op === "delete");
    const detail = [...changedPaths(changes), asText(params.reason) ?? asText(params.grantRoot) ?? []]
      .flat()
      .join("\n");
    const tool: Tool = { id: call, name: "apply_patch", toolKind: "edit", input: { changes: asArray(changes) } };
    return [ask(id, "patch", detail, isDeleting ? "high" : "medium", tool)];
  },
  "item/permissions/requestApproval": (id, params) => [
    ask(id, "permissions", asText(params.reason) ?? JSON.stringify(params.permissions ?? {}), "high"),
  ],
};

/** Of the calls that run, the one to this server with these arguments that nothing was asked about yet. */
function mcpCall(id: string, params: Json, thread: Thread, asked: Set<string>): Signal[] {
  const detail = asText(params.message) ?? "";
  const input = asObject(params._meta)?.tool_params ?? {};
  const waiting = thread.items
    .allRunning()
    .filter((item) => item.server === params.serverName && !asked.has(asText(item.id) ?? ""));
  const item = waiting.find((call) => JSON.stringify(call.arguments) === JSON.stringify(input)) ?? waiting[0];
  const call = asText(item?.id);
  if (!item || !call) return [ask(id, "mcp", detail, "medium")];
  asked.add(call);
  const mcp = { server: asText(item.server) ?? "unknown", tool: asText(item.tool) ?? "unknown" };
  return [ask(id, "mcp", detail, "medium", { id: call, name: mcp.tool, toolKind: "mcp", input, mcp })];
}

function ask(id: string, action: string, detail: string, risk: Ask["risk"], tool?: Tool): Ask {
  return { kind: "ask", id, action, detail, risk, ...(tool && { tool }) };
}

/** A decision is a word, or an object named for what it grants beyond the call. */
function answer(id: string, result: Json): Signal {
  const [decision] = Object.keys(asObject(result.decision) ?? {});
  const word =
    asText(result.decision) ?? asText(result.action) ?? decision ?? (result.permissions ? "accept" : "cancel");
  return word.startsWith("accept")
    ? { kind: "answer", id, granted: true }
    : { kind: "answer", id, granted: false, reason: word };
}

/** One request asks one thing or several, and is answered at once. */
function userInput(id: string, params: Json): Signal[] {
  const questions = asArray(params.questions).map((question) => asObject(question) ?? {});
  const context = questions.map(({ header, options }) =>
    [asText(header) ?? "", ...asArray(options).map(option)].join("\n"),
  );
  return [
    ready(callOf(params, id), "request_user_input", "other", { questions }),
    {
      kind: "question",
      id,
      question: questions.map(({ question }) => asText(question) ?? "").join("\n"),
      context: context.join("\n\n"),
      source: "agent",
    },
  ];
}

function option(value: unknown): string {
  const { label, description } = asObject(value) ?? {};
  return `- ${asText(label) ?? ""}${asText(description) ? `: ${description}` : ""}`;
}

const callOf = (params: Json, id: string): string => asText(params.itemId) || `request-${id}`;
