import type { AgentEventOf } from "../agent-events/catalog.ts";
import type { Report } from "./finding.ts";

interface Call {
  kind: "tool" | "mcp";
  name: string;
  /** Characters of input so far; undefined when the start was not seen or carries no input. */
  input: number | undefined;
  /** Undefined when the stream was joined after the call began. */
  ready: boolean | undefined;
  /** Questions without an answer. */
  waiting: number;
  refused: boolean;
  /** Whether its command has started. */
  ran?: true;
}

type ToolEnd = AgentEventOf<"tool_result" | "tool_error">;
type McpEnd = AgentEventOf<"mcp_tool_result" | "mcp_tool_error">;

/** Tool calls, native and MCP. Only the ids of ended calls are kept, to report an id that is used again. */
export class Calls {
  readonly #open = new Map<string, Call>();
  readonly #ended = new Set<string>();
  /** Calls of this turn that became ready, whether ended or not. */
  readonly #readyInTurn = new Set<string>();
  readonly #report: Report;

  constructor(report: Report) {
    this.#report = report;
  }

  start({ toolCallId, toolName, inputAccumulated }: AgentEventOf<"tool_call_start">): void {
    const input = (inputAccumulated as string | undefined)?.length;
    this.#begin(toolCallId, { kind: "tool", name: toolName, input, ready: false, waiting: 0, refused: false });
  }

  input({ toolCallId, delta, inputAccumulated }: AgentEventOf<"tool_input_delta">): void {
    const call = this.#find(toolCallId, "tool", "tool_input_delta");
    if (!call) return;
    if (call.ready)
      this.#report.violation("tool.input", `tool_input_delta comes after the call ${quote(toolCallId)} was ready.`);
    const accumulated = (inputAccumulated as string | undefined)?.length;
    if (call.input !== undefined) call.input += delta.length;
    if (accumulated !== undefined && call.input !== undefined && accumulated !== call.input) {
      this.#report.violation(
        "tool.accumulated",
        `inputAccumulated of ${quote(toolCallId)} has ${accumulated} characters, but the input has ${call.input}.`,
      );
    }
  }

  ready({ toolCallId, toolName }: AgentEventOf<"tool_call_ready">): void {
    const call = this.#find(toolCallId, "tool", "tool_call_ready", toolName);
    if (!call) return;
    if (call.ready) {
      this.#report.violation("tool.ready", `tool_call_ready comes a second time for ${quote(toolCallId)}.`);
    }
    call.ready = true;
    this.#readyInTurn.add(toolCallId);
  }

  end({ type, toolCallId, toolName }: ToolEnd): void {
    const call = this.#find(toolCallId, "tool", type, toolName);
    if (!call) return;
    if (call.ready === false)
      this.#report.violation("tool.ready", `${type} comes before the call ${quote(toolCallId)} was ready.`);
    if (type === "tool_result") this.#mayRun(toolCallId, call, type);
    this.#finish(toolCallId);
  }

  startMcp({ toolCallId, server, toolName }: AgentEventOf<"mcp_tool_call_start">): void {
    const name = `${server}/${toolName}`;
    this.#begin(toolCallId, { kind: "mcp", name, input: undefined, ready: true, waiting: 0, refused: false });
    this.#readyInTurn.add(toolCallId);
  }

  endMcp({ type, toolCallId, server, toolName }: McpEnd): void {
    const call = this.#find(toolCallId, "mcp", type, `${server}/${toolName}`);
    if (!call) return;
    if (type === "mcp_tool_result") this.#mayRun(toolCallId, call, type);
    this.#finish(toolCallId);
  }

  /** A file event. */
  file(type: string, toolCallId: string | undefined): void {
    if (toolCallId === undefined) {
      if (this.#readyInTurn.size === 0 && !this.#report.joined) {
        this.#report.violation("file.tool", `${type} comes while no tool call of this turn is ready.`);
      }
    } else if (this.#readyInTurn.has(toolCallId)) {
      this.#mayRun(toolCallId, this.#open.get(toolCallId), type);
    } else if (!this.#report.joined) {
      this.#report.violation(
        "file.tool",
        `${type} names the call ${quote(toolCallId)}, which did not become ready in this turn.`,
      );
    }
  }

  /** A command starts. */
  shell(toolCallId: string | undefined): void {
    if (this.#report.joined) return;
    const call = toolCallId === undefined ? undefined : this.#open.get(toolCallId);
    const inside = toolCallId === undefined ? [...this.#open.values()].some(({ ready }) => ready) : call?.ready;
    if (!inside) {
      const of = toolCallId === undefined ? "no call" : quote(toolCallId);
      this.#report.violation(
        "shell.tool",
        `shell_start comes inside ${of}, but needs a call that is ready and has not ended.`,
      );
    } else if (toolCallId !== undefined) this.#mayRun(toolCallId, call, "shell_start");
    if (call) call.ran = true;
  }

  ask(toolCallId: string | undefined): void {
    const call = toolCallId === undefined ? undefined : this.#open.get(toolCallId);
    if (!call) return;
    call.waiting += 1;
    if (call.ran) {
      this.#report.violation(
        "approval.early",
        `Permission for ${quote(toolCallId ?? "")} is asked while its command runs.`,
      );
    }
  }

  answer(toolCallId: string | undefined, granted: boolean): void {
    const call = toolCallId === undefined ? undefined : this.#open.get(toolCallId);
    if (!call) return;
    call.waiting -= 1;
    call.refused = !granted;
  }

  /** Reports calls that are still open at `moment`. */
  close(moment: string): void {
    for (const [id, { kind }] of this.#open) {
      this.#report.violation(`${kind}.open`, `The call ${quote(id)} is still open at ${moment}.`);
      this.#ended.add(id);
    }
    this.#open.clear();
    this.#readyInTurn.clear();
  }

  #begin(id: string, call: Call): void {
    if (this.#open.has(id) || this.#ended.has(id)) {
      this.#report.violation("tool.id", `A second call has the id ${quote(id)}.`);
    }
    this.#open.set(id, call);
  }

  #find(id: string, kind: Call["kind"], what: string, name?: string): Call | undefined {
    const call = this.#open.get(id);
    if (!call && !this.#ended.has(id) && this.#report.joined) {
      const joined: Call = { kind, name: name ?? "", input: undefined, ready: undefined, waiting: 0, refused: false };
      this.#open.set(id, joined);
      return joined;
    }
    if (!call || call.kind !== kind) {
      const rule = this.#ended.has(id) ? "end" : "start";
      const why = rule === "end" ? "which has ended" : "which was not started";
      this.#report.violation(`${kind}.${rule}`, `${what} names the call ${quote(id)}, ${why}.`);
      return undefined;
    }
    if (name !== undefined && call.name !== "" && name !== call.name) {
      this.#report.violation(
        `${kind}.name`,
        `${what} of ${quote(id)} names ${quote(name)}, but its start names ${quote(call.name)}.`,
      );
    }
    return call;
  }

  #finish(id: string): void {
    this.#open.delete(id);
    this.#ended.add(id);
  }

  /** Reports a call that works while it waits for permission or after permission was denied. */
  #mayRun(id: string, call: Call | undefined, what: string): void {
    if (!call) return;
    if (call.waiting > 0)
      this.#report.violation("approval.tool", `${what} of ${quote(id)} comes before permission was given.`);
    else if (call.refused && what !== "tool_result" && what !== "mcp_tool_result") {
      this.#report.violation("approval.tool", `${what} of ${quote(id)} comes after permission was refused.`);
    }
  }
}

export const quote = (id: string): string => JSON.stringify(id.length > 60 ? `${id.slice(0, 60)}…` : id);
