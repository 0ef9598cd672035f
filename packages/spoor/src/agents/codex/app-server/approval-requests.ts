import { asArray, asObject, asObjects, asText, type Json } from "../../kit/json-values.ts";
import { lookUp } from "../../kit/look-up.ts";
import { omitUndefined } from "../../kit/omit-undefined.ts";
import type { Signal } from "../../signal.ts";
import { changedPaths, fileFacts } from "../items/codex-file-changes.ts";
import { commandInput, ready, toolItems } from "../items/codex-tool-items.ts";
import type { Thread } from "./codex-thread.ts";

/** A request of the agent, and the call that it names or stands for. */
interface Question {
  id: string;
  call: string;
  params: Json;
  thread: Thread;
}

/** The agent's open questions, by the id of its request. */
export class ApprovalRequests {
  readonly #open = new Map<string, { question: Question; kind: Kind }>();
  readonly #answered = new Set<string>();

  /** Reads a request of the agent; returns `undefined` if it is no question to a person. */
  asked(frame: Json, thread: Thread): Signal[] | undefined {
    const id = String(frame.id);
    const params = asObject(frame.params) ?? {};
    const isMcp = asObject(params._meta)?.codex_approval_kind === "mcp_tool_call";
    const kind = lookUp(kinds, isMcp ? "mcp" : (asText(frame.method) ?? ""));
    if (!kind) return undefined;
    const question = { id, params, thread, call: asText(params.itemId) || `request-${id}` };
    this.#open.set(id, { question, kind });
    return [...(kind.isServers ? [] : thread.asked()), ...kind.ask(question)];
  }

  /** Reads our response. Returns its signals and the thread that asked. */
  answered(frame: Json): { threadId: string; signals: Signal[] } | undefined {
    const id = String(frame.id);
    const open = this.#open.get(id);
    if (!open) return undefined;
    this.#open.delete(id);
    this.#answered.add(id);
    const { question, kind } = open;
    const result = asObject(frame.result) ?? {};
    return {
      threadId: question.thread.id,
      signals: kind.answer ? kind.answer(question, result) : [decided(id, result)],
    };
  }

  isAnswered(id: unknown): boolean {
    return this.#answered.has(String(id));
  }
}

interface Kind {
  ask(question: Question): Signal[];
  /** Reads a response that is no decision. */
  answer?(question: Question, result: Json): Signal[];
  /** An MCP server asks, not the model. */
  isServers?: true;
}

const kinds: Readonly<Record<string, Kind>> = {
  "item/commandExecution/requestApproval": {
    ask({ id, call, params }) {
      const detail = [asText(params.command) ?? "", asText(params.reason) || []].flat().join("\n");
      const actions = asObjects(params.commandActions);
      const isReading = actions.length > 0 && actions.every(({ type }) => type !== "unknown");
      const risk = params.networkApprovalContext ? "high" : isReading ? "low" : "medium";
      const tool = { id: call, name: "exec_command", toolKind: "shell", input: commandInput(params) } as const;
      const started = toolItems.commandExecution?.start(call, params) ?? [];
      return [...started, { kind: "ask", id, action: "shell", detail, risk, tool }];
    },
  },
  "item/fileChange/requestApproval": {
    ask({ id, call, params, thread }) {
      const changes = thread.items.running(call)?.changes;
      const isDeleting = fileFacts(changes).some(({ op }) => op === "delete");
      const reason = asText(params.reason) ?? asText(params.grantRoot) ?? [];
      const detail = [changedPaths(changes), reason].flat().join("\n");
      const input = { changes: asArray(changes) };
      const tool = { id: call, name: "apply_patch", toolKind: "edit", input } as const;
      return [{ kind: "ask", id, action: "patch", detail, risk: isDeleting ? "high" : "medium", tool }];
    },
  },
  "item/permissions/requestApproval": {
    ask({ id, params }) {
      const detail = asText(params.reason) ?? JSON.stringify(params.permissions ?? {});
      return [
        {
          kind: "ask",
          id,
          action: "permissions",
          detail,
          risk: "high",
          ...omitUndefined({ input: params.permissions }),
        },
      ];
    },
  },
  mcp: {
    ask({ id, params, thread }) {
      const tool = thread.mcpCallAsked(params.serverName, asObject(params._meta)?.tool_params ?? {});
      return [
        {
          kind: "ask",
          id,
          action: "mcp",
          detail: asText(params.message) ?? "",
          risk: "medium",
          ...omitUndefined({ tool }),
        },
      ];
    },
  },
  "item/tool/requestUserInput": {
    ask: userInput,
    answer: ({ call }, { answers = null }) => [{ kind: "toolEnd", id: call, output: answers }],
  },
  "mcpServer/elicitation/request": {
    isServers: true,
    ask({ id, params }) {
      const question = asText(params.message) ?? "";
      return [
        { kind: "question", id, question, source: "tool", ...omitUndefined({ context: asText(params.serverName) }) },
      ];
    },
    answer: () => [],
  },
};

/** A decision is a string, or an object whose field names what it grants beyond the call. */
function decided(id: string, { decision, action, permissions }: Json): Signal {
  const [named] = Object.keys(asObject(decision) ?? {});
  const word = asText(decision) ?? asText(action) ?? named ?? (permissions ? "accept" : "cancel");
  if (word.startsWith("accept")) return { kind: "answer", id, granted: true };
  return { kind: "answer", id, granted: false, reason: word };
}

/** One request may contain several questions; one response answers them all. */
function userInput({ id, call, params }: Question): Signal[] {
  const questions = asObjects(params.questions);
  const question = questions.map((each) => asText(each.question) ?? "").join("\n");
  const contexts = questions.map(({ header, options }) =>
    [asText(header) ?? "", ...asObjects(options).map(optionLine)].join("\n"),
  );
  return [
    ready(call, "request_user_input", "other", { questions }),
    { kind: "question", id, question, context: contexts.join("\n\n"), source: "agent" },
  ];
}

const optionLine = ({ label, description }: Json): string =>
  `- ${asText(label) ?? ""}${asText(description) ? `: ${description}` : ""}`;
