import type { AgentEvent } from "@spoor/protocol";
import { countDiff, outputTextOf } from "@spoor/protocol/write";
import { type Call, type FileChange, inputOf, isLook, newCall, type Subagent } from "./call.ts";
import { addFile, type RunFacts } from "./facts.ts";

/**
 * The calls of a run that are not printed yet. A call is `open` while it runs. When it is over it is `due`, because the
 * changes of its files come just after its result. Reads and searches are `looks` until something else follows.
 */
export class Calls {
  readonly open = new Map<string, Call>();
  readonly #facts: RunFacts;
  readonly #waiting = new Map<string, Call>();
  #due: Call[] = [];
  #looks: Call[] = [];
  /** Which call of the run each is. They are counted when the model begins to write them, as in the view of a run. */
  readonly #numbers = new Map<string, number>();
  readonly #isWhole: boolean;

  /** `isWhole` says whether the run is seen from its beginning, so that calls can be counted. */
  constructor(facts: RunFacts, isWhole: boolean) {
    this.#facts = facts;
    this.#isWhole = isWhole;
  }

  get looks(): readonly Call[] {
    return this.#looks;
  }

  /** Takes an event of the run itself. */
  add(event: AgentEvent): void {
    switch (event.type) {
      case "tool_call_start":
        this.#numberOf(event.toolCallId);
        break;
      case "tool_call_ready":
        this.#start(event, event.toolCallId, {
          name: event.toolName,
          kind: event.toolKind ?? "other",
          input: inputOf(event.input),
        });
        break;
      case "mcp_tool_call_start":
        this.#start(event, event.toolCallId, {
          name: `${event.server}/${event.toolName}`,
          kind: "mcp",
          input: inputOf(event.input),
        });
        break;
      case "approval_request": {
        const call = this.open.get(event.toolCallId ?? "");
        if (call) this.#waiting.set(event.interactionId, call);
        if (call) call.isWaiting = true;
        break;
      }
      case "approval_granted":
      case "approval_denied": {
        const call = this.#waiting.get(event.interactionId);
        // The time that a person needs does not count as the time of the call.
        if (call) Object.assign(call, { isWaiting: false, hasWaited: true, startedAt: event.timestamp });
        break;
      }
      case "shell_start":
        this.#shell(event, true).command = event.command;
        break;
      case "shell_stdout_delta":
      case "shell_stderr_delta":
        this.#shell(event).output.push(event.delta);
        break;
      case "shell_exit": {
        const call = this.#shell(event);
        call.exitCode = event.exitCode;
        // A command without a call ends by itself.
        if (event.toolCallId === undefined) this.#end(call, event, { ms: event.durationMs });
        break;
      }
      case "tool_result":
      case "mcp_tool_result": {
        const text = outputTextOf(event.output);
        const call = this.#known(event, event.toolCallId, event.toolName);
        if (call.kind === "shell" && call.output.count === 0 && text !== undefined) call.output.push(text);
        // What the agent says of the time of a call contains the time in which it waited for a person.
        const ms = call.hasWaited ? 0 : (event.durationMs ?? 0);
        this.#end(call, event, { ms, ...(text !== undefined && { lines: linesIn(text) }) });
        break;
      }
      case "tool_error":
      case "mcp_tool_error": {
        const { error, outcome } = event;
        const call = this.#known(event, event.toolCallId, event.toolName);
        // What is said of a command that ran is its output. Otherwise it is the reason why it did not run.
        const isOutput = outcome === undefined || (outcome === "failed" && call.exitCode !== undefined);
        if (call.kind === "shell" && call.output.count === 0 && isOutput) call.output.push(error);
        this.#end(call, event, { ms: 0, error, ...(outcome !== undefined && { outcome }) });
        break;
      }
      case "file_patch":
        this.#file(event, {
          ...{ path: event.path, diff: event.diff, isNew: /^--- \/dev\/null$/m.test(event.diff) },
          ...countDiff(event.diff),
        });
        break;
      case "file_create":
      case "file_write":
        this.#file(event, {
          ...{ path: event.path, bytes: event.byteCount, isNew: event.type === "file_create" },
          ...this.#written(event),
        });
        break;
      case "file_delete":
        this.#file(event, { path: event.path, isDeleted: true });
        break;
      case "subagent_spawn":
        this.#spawn(event);
        break;
      case "subagent_result":
        this.#subagentEnd(event, { summary: event.summary, ...(event.cost && { usd: event.cost.totalUsd }) });
        break;
      case "subagent_error":
        this.#subagentEnd(event, { error: event.error });
        break;
    }
  }

  /** Takes an event of a subagent's own run: its calls are counted. */
  addOfSubagent(event: AgentEvent): void {
    if (event.type !== "tool_call_ready" && event.type !== "mcp_tool_call_start") return;
    for (const { subagent } of this.open.values()) if (subagent?.childRunId === event.runId) subagent.tools += 1;
  }

  /** Removes the calls that can be printed now. Reads and searches wait for more of them unless `all`. */
  take(all: boolean): { looks: Call[]; others: Call[] } {
    const due = this.#due;
    this.#due = [];
    const firstOther = due.findIndex((call) => !isLook(call));
    const looks = [...this.#looks, ...(firstOther === -1 ? due : due.slice(0, firstOther))];
    const others = firstOther === -1 ? [] : due.slice(firstOther);
    this.#looks = all || others.length > 0 ? [] : looks;
    return { looks: all || others.length > 0 ? looks : [], others };
  }

  /** Ends what is still open, because the run is over. */
  endAll(now: number): void {
    for (const call of [...this.open.values()]) {
      this.#due.push({ ...call, end: { ms: now - call.startedAt, error: "did not end", outcome: "cancelled" } });
    }
    this.open.clear();
  }

  #start(event: AgentEvent, id: string, facts: Pick<Call, "name"> & Partial<Call>): Call {
    const known = this.open.get(id);
    if (known) return Object.assign(known, facts);
    const call = newCall(event, { id, number: this.#numberOf(id), ...facts });
    this.open.set(id, call);
    return call;
  }

  #numberOf(id: string): number | undefined {
    const number = this.#numbers.get(id) ?? this.#numbers.size + 1;
    this.#numbers.set(id, number);
    return this.#isWhole ? number : undefined;
  }

  #known(event: AgentEvent, id: string, name: string): Call {
    return this.open.get(id) ?? this.#due.find((call) => call.id === id) ?? this.#start(event, id, { name });
  }

  /** The call that runs a command. A command without a call is one by itself. */
  #shell(event: AgentEvent & { toolCallId?: string }, isStart = false): Call {
    const id = event.toolCallId ?? "shell";
    if (isStart && event.toolCallId === undefined) this.open.delete(id);
    return (
      this.open.get(id) ??
      this.#due.find((call) => call.id === id) ??
      this.#start(event, id, { name: "Run", kind: "shell" })
    );
  }

  #end(call: Call, event: AgentEvent, end: NonNullable<Call["end"]>): void {
    call.end ??= { ...end, ms: end.ms || event.timestamp - call.startedAt };
    // The work of a subagent may take longer than the call that started it.
    if (call.subagent && !call.subagent.isOver && end.error === undefined) return;
    this.#settle(call);
  }

  #settle(call: Call): void {
    this.open.delete(call.id);
    if (!this.#due.includes(call)) this.#due.push(call);
  }

  #file(event: AgentEvent & { toolCallId?: string }, file: FileChange): void {
    addFile(this.#facts, file);
    const id = event.toolCallId;
    const call = id === undefined ? undefined : (this.open.get(id) ?? this.#due.find((each) => each.id === id));
    if (call) {
      call.files.push(file);
      return;
    }
    const kind = file.diff === undefined ? ("file_write" as const) : ("edit" as const);
    const made = newCall(event, {
      id: id ?? file.path,
      number: undefined,
      name: file.isDeleted ? "Delete" : "Write",
      kind,
      files: [file],
    });
    this.#due.push({ ...made, ...(file.isDeleted && { kind: "other" }), end: { ms: 0 } });
  }

  /** Counts the lines of a new file if the call's input has its text. */
  #written({ type, toolCallId }: { type: string; toolCallId?: string }): Partial<FileChange> {
    const call = this.open.get(toolCallId ?? "") ?? this.#due.find(({ id }) => id === toolCallId);
    const content = call?.input.content ?? call?.input.contents ?? call?.input.text;
    return type === "file_create" && typeof content === "string" ? { additions: linesIn(content), deletions: 0 } : {};
  }

  #spawn(event: Extract<AgentEvent, { type: "subagent_spawn" }>): void {
    const { subagentId: id, agentName: name, prompt, childRunId } = event;
    const free = [...this.open.values()].find((call) => call.kind === "subagent" && !call.subagent);
    const described = free?.input.description;
    const task = typeof described === "string" && described !== "" ? described : prompt;
    const subagent: Subagent = { id, name, task, tools: 0, ...(childRunId !== undefined && { childRunId }) };
    const call = free ?? this.#start(event, id, { name, kind: "subagent" });
    call.subagent = subagent;
  }

  #subagentEnd(event: AgentEvent & { subagentId: string; agentName: string }, result: Partial<Subagent>): void {
    const found = [...this.open.values()].find(({ subagent }) => subagent?.id === event.subagentId);
    const call = found ?? this.#start(event, event.subagentId, { name: event.agentName, kind: "subagent" });
    call.subagent ??= { id: event.subagentId, name: event.agentName, task: "", tools: 0 };
    Object.assign(call.subagent, result, { isOver: true });
    const isOwn = call.id === event.subagentId;
    if (!isOwn && !call.end) return;
    const ms = event.timestamp - call.startedAt;
    call.end = { ms, ...(result.error !== undefined && { error: result.error }) };
    this.#settle(call);
  }
}

const linesIn = (text: string): number => (text.trimEnd() === "" ? 0 : text.trimEnd().split("\n").length);
