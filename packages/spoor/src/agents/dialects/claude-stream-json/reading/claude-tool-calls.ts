import { noteOfFrame } from "../../../kit/fact-signals.ts";
import { asObject, asObjects, asText, asTexts, type Json } from "../../../kit/json-values.ts";
import { omitUndefined } from "../../../kit/omit-undefined.ts";
import { assignToSubagent } from "../../../kit/subagent-signals.ts";
import { readySignals, riskOf, type ToolCall, toolByName, toolKindsByName } from "../../../kit/tool-calls.ts";
import type { Signal } from "../../../signal.ts";
import type { ClaudeProfile } from "./claude-profile.ts";

export type Calls = ReturnType<typeof createCalls>;

/** The calls that have no result yet, of the run and its subagents, and the questions about them. */
export function createCalls(profile: ClaudeProfile) {
  const kinds = toolKindsByName(profile.tools);
  /** The subagent to which a call or question belongs. */
  const owners = new Map<unknown, string>();

  const answered = (id: unknown, granted: boolean, reason: string | undefined): Signal[] =>
    assignToSubagent(owners.get(id), [{ kind: "answer", id: asText(id) ?? "", granted, ...omitUndefined({ reason }) }]);

  const calls = {
    profile,
    cwd: undefined as string | undefined,
    open: new Map<unknown, ToolCall>(),
    /** Calls that were refused or asked about. */
    asked: new Set<unknown>(),
    named: (name: string) => toolByName(name, kinds, /^mcp__(?<server>.+?)__(?<tool>.+)$/),

    /** The call's input is complete. */
    ready(block: Json, child: string | undefined): Signal[] {
      const [id, name] = [asText(block.id), asText(block.name)];
      if (id === undefined || name === undefined) return [noteOfFrame(block)];
      const call = { id, ...calls.named(name), input: block.input };
      calls.open.set(id, call);
      if (child !== undefined) owners.set(id, child);
      return readySignals(call, calls.cwd, profile.commandField);
    },

    /** The agent asks a question. */
    ask({ request_id, request }: Json): Signal[] | undefined {
      const [id, reported] = [asText(request_id), asObject(request) ?? {}];
      const child = owners.get(reported.tool_use_id);
      if (child !== undefined) owners.set(id, child);
      return id ? assignToSubagent(child, questionIn(id, reported, calls)) : undefined;
    },

    /** The client answers it. */
    answer(frame: Json): Signal[] {
      const response = asObject(frame.response) ?? {};
      const { behavior, message } = asObject(response.response) ?? {};
      return answered(response.request_id, behavior === "allow", asText(message ?? response.error));
    },

    withdraw: ({ request_id }: Json) => answered(request_id, false, "The agent took the question back."),

    /** A call was refused and nobody was asked. */
    deny({ tool_use_id: id, message }: Json): Signal[] {
      calls.asked.add(id);
      return assignToSubagent(owners.get(id), [{ kind: "denied", ...omitUndefined({ reason: asText(message) }) }]);
    },
  };
  return calls;
}

function questionIn(id: string, request: Json, calls: Calls): Signal[] | undefined {
  if (request.subtype === "elicitation") return [questionOf(id, request, "tool")];
  if (request.subtype !== "can_use_tool") return undefined;
  const action = asText(request.tool_name) ?? "unknown";
  if (calls.profile.questionTools.includes(action)) return [questionOf(id, request, "agent")];
  return [askOf(id, action, request, calls)];
}

function askOf(id: string, action: string, request: Json, { open, asked, named }: Calls): Signal {
  const toolId = asText(request.tool_use_id);
  const known = open.get(toolId);
  const tool = known ?? named(action);
  // The text of a plan is only in the call: the request's input is empty.
  const input: Json = { ...asObject(known?.input), ...asObject(request.input) };
  const detail = asText(input.command ?? input.plan ?? input.file_path ?? input.url) ?? JSON.stringify(input);
  const ask: Signal = { kind: "ask", id, action, detail, risk: riskOf(tool.toolKind), input };
  asked.add(toolId);
  return toolId === undefined ? ask : { ...ask, tool: { ...tool, id: toolId, input } };
}

/** A message of an MCP server, or all questions of one call, which are answered together. */
function questionOf(id: string, request: Json, source: "agent" | "tool"): Signal {
  const questions = asObjects(asObject(request.input)?.questions);
  const options = questions.flatMap((question) => asObjects(question.options));
  const context = options.map(({ label, description }) => asTexts([label, description]).join(": ")).join("\n");
  const question = asTexts([request.message, ...questions.map((each) => each.question)]).join("\n");
  return { kind: "question", id, question, source, ...(context !== "" && { context }) };
}
