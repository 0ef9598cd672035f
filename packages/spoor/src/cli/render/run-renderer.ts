import type { AgentEvent } from "@spoor/protocol";
import { todosOf } from "@spoor/protocol/write";
import type { Line } from "../output/line.ts";
import { layout } from "../output/line.ts";
import type { Screen } from "../output/screen.ts";
import { inputOf } from "./call.ts";
import { type CallOptions, callLines, joinedLine, outputLine, runningLine } from "./call-lines.ts";
import { Calls } from "./calls.ts";
import { addFacts, newFacts, type RunFacts } from "./facts.ts";

export interface RenderOptions extends CallOptions {
  /** Whether thoughts are shown, dim. */
  thinking?: boolean;
  /** The run's own id; events of other runs are those of its subagents. Default: that of the first event. */
  runId?: string;
  /** Whether the run is seen from its beginning. */
  isWhole?: boolean;
  /** Set if the caller shows decisions and errors itself, from the log. */
  isLog?: boolean;
  /** Whether the person at this terminal gave the answer, so that it is on the screen already. */
  isAnswered?(interactionId: string): boolean;
}

/**
 * Shows a run to a person as it happens: the text of the agent as it is streamed, and a line for each call when it is over.
 * All text of the agent is made safe for the terminal, and none of its lines begins like one of ours.
 */
export class RunRenderer {
  readonly facts: RunFacts = newFacts();
  readonly screen: Screen;
  readonly #options: RenderOptions;
  readonly #calls: Calls;
  #runId: string | undefined;
  #hasSpoken = false;
  #todos = "";
  /** The last words of the agent and its last calls, for a person who is asked something. */
  readonly #trail: Line[] = [];
  #said = "";

  constructor(screen: Screen, options: RenderOptions) {
    this.screen = screen;
    this.#options = options;
    this.#runId = options.runId;
    this.#calls = new Calls(this.facts, options.isWhole ?? true);
  }

  event(event: AgentEvent): void {
    this.#runId ??= event.runId;
    if (event.runId !== this.#runId) {
      this.facts.lastAt = event.timestamp;
      this.#calls.addOfSubagent(event);
      return;
    }
    addFacts(this.facts, event);
    if (!quiet.has(event.type)) this.#printDue(isShown(event, this.#options));
    this.#calls.add(event);
    this.#show(event);
  }

  /** Prints a line that is no event of the agent, in its place. */
  line(parts: Line): void {
    this.#printDue(true);
    this.screen.line(parts);
  }

  /** Prints everything that was held back. */
  flush(): void {
    this.#printDue(true);
    this.screen.endLine();
  }

  /** Prints what is left when the run is over. */
  end(): void {
    this.#calls.endAll(this.facts.lastAt);
    this.flush();
  }

  /** The lines of what runs now, for the end of the screen. */
  running(now: number, most: number): string[] {
    const mark = SPINNER[Math.floor(now / 250) % SPINNER.length] ?? "◐";
    const looks = this.#calls.looks.length > 0 ? [this.#looks(this.#calls.looks)].flat(1).slice(-2) : [];
    const lines = [...this.#calls.open.values()]
      .filter(({ isWaiting }) => !isWaiting)
      .flatMap((call) => [
        runningLine(call, this.#options, now, mark),
        ...(this.#options.output === "none" ? [] : call.output.last(6).map(outputLine)),
      ]);
    return [...looks, ...lines].slice(-most).map((line) => layout(line, this.screen.style));
  }

  /** What led to this moment: the last calls and the last words. */
  trail(): { calls: readonly Line[]; said: string } {
    return { calls: this.#trail, said: this.#said };
  }

  #printDue(all: boolean): void {
    const { looks, others } = this.#calls.take(all);
    for (const line of this.#looks(looks)) {
      this.screen.line(line);
      this.#remember(line);
    }
    for (const call of others) {
      if (call.kind === "todo_write" && call.end?.error === undefined) continue;
      const lines = callLines(call, this.#options);
      for (const line of lines) this.screen.line(line);
      this.#remember(lines[0]);
    }
  }

  #looks(calls: readonly Parameters<typeof callLines>[0][]): Line[] {
    const lines = calls.length >= 3 ? [joinedLine(calls)] : calls.flatMap((call) => callLines(call, this.#options));
    return lines;
  }

  #remember(line: Line | undefined): void {
    if (line) this.#trail.push(line);
    if (this.#trail.length > MOST_REMEMBERED) this.#trail.shift();
  }

  #show(event: AgentEvent): void {
    const { screen } = this;
    switch (event.type) {
      case "text_delta":
        this.#hasSpoken = true;
        screen.say(event.delta);
        break;
      case "message_stop":
        // No deltas were seen, because they are filtered out or came before we joined: show the whole text.
        if (!this.#hasSpoken) screen.say(event.text);
        this.#hasSpoken = false;
        this.#said = event.text;
        screen.endLine();
        break;
      case "thinking_delta":
        if (this.#options.thinking) screen.say(event.delta, "dim");
        break;
      case "thinking_stop":
        if (this.#options.thinking) screen.endLine();
        break;
      case "tool_call_ready":
        if (event.toolKind === "todo_write") this.#showTodos(event.input);
        break;
      case "debug":
        if (event.level === "warn") screen.paragraph(`! ${event.message}`);
        break;
      case "approval_denied":
        if (this.#options.isLog || this.#options.isAnswered?.(event.interactionId)) break;
        screen.line([
          "▲",
          { text: "denied", role: "yellow" },
          { text: firstLine(event.reason ?? ""), role: "dim", shrinks: "end" },
        ]);
        break;
      case "retry":
        screen.line(["↻", { text: retryText(event), shrinks: "end" }]);
        break;
      case "rate_limited":
        screen.line([
          "↻",
          `rate limited${event.retryAfterMs === undefined ? "" : `, the agent waits ${seconds(event.retryAfterMs)}`}`,
        ]);
        break;
      case "context_compacted":
        screen.line([{ text: "  context compacted", role: "dim" }]);
        break;
      case "error":
        if (event.recoverable && !this.#options.isLog)
          screen.line([
            { text: "✗", role: "red" },
            { text: event.code, role: "strong" },
            { text: firstLine(event.message), shrinks: "end" },
          ]);
        break;
    }
  }

  #showTodos(input: unknown): void {
    const todos = todosOf(inputOf(input)) ?? [];
    const key = JSON.stringify(todos);
    if (todos.length === 0 || key === this.#todos) return;
    this.#todos = key;
    const done = todos.filter(({ status }) => status === "completed" || status === "cancelled").length;
    const open = todos.filter(({ status }) => status === "pending" || status === "in_progress");
    const now = open.find(({ status }) => status === "in_progress") ?? open[0];
    const next = open[open.indexOf(now as (typeof open)[number]) + 1];
    this.screen.line([
      "☐",
      `To do ${done}/${todos.length}${now ? ":" : ""}`,
      { text: now ? firstLine(now.content) : "", role: "strong", shrinks: "end" },
      { text: next ? `then: ${firstLine(next.content)}` : "", role: "dim", leaves: 1 },
    ]);
  }
}

/** Events that come between the result of a call and the changes of its files, or say nothing about the order of things. */
const quiet: ReadonlySet<string> = new Set([
  ...["file_patch", "file_create", "file_write", "file_delete", "file_read", "cost", "token_usage"],
  ...["shell_stdout_delta", "shell_stderr_delta", "shell_exit", "tool_result", "tool_error", "tool_input_delta", "log"],
]);

/** Whether an event shows something, so that the reads and searches before it are printed first. */
function isShown(event: AgentEvent, { thinking }: RenderOptions): boolean {
  if (event.type === "thinking_delta") return thinking === true;
  if (event.type === "debug") return event.level === "warn";
  if (event.type === "error") return event.recoverable;
  if (event.type === "tool_call_ready") return !["file_read", "glob", "grep"].includes(event.toolKind ?? "");
  return shown.has(event.type);
}

const shown: ReadonlySet<string> = new Set([
  ...["text_delta", "message_stop", "mcp_tool_call_start", "approval_request", "approval_denied", "input_required"],
  ...[
    "retry",
    "rate_limited",
    "context_compacted",
    "subagent_spawn",
    "subagent_result",
    "subagent_error",
    "session_end",
  ],
]);

const retryText = ({ reason, delayMs, attempt, maxAttempts }: Extract<AgentEvent, { type: "retry" }>): string =>
  [
    firstLine(reason),
    delayMs > 0 ? `trying again in ${seconds(delayMs)}` : "trying again",
    maxAttempts > 0 ? `${attempt} of ${maxAttempts}` : `attempt ${attempt}`,
  ].join(", ");

const seconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`;
export const firstLine = (text: string): string => text.trim().split("\n", 1)[0] ?? "";

const SPINNER = ["◐", "◓", "◑", "◒"];
const MOST_REMEMBERED = 6;
