import type { Envelope } from "@spoor/protocol";
import { asText, present } from "../translator.ts";
import { type AgUiEvent, type Block, type BlockKind, closingOf, openingOf } from "./blocks.ts";
import { restOfInput } from "./input/rest-of-input.ts";

/** What waits for a person. */
export type Interrupt = { readonly id: string; readonly reason: string } & Readonly<Record<string, unknown>>;

/**
 * The runs of AG-UI that one run of ours becomes, and what is open in the current one. AG-UI allows no run to end while
 * something in it is open, so everything is closed first, and what still goes on is opened again in the next run. A
 * thing is remembered after its first event was added and forgotten after its last one, because adding may begin a run.
 */
export interface Segments {
  /** Opens a run before the first event, and after an interrupt. */
  begin(envelope: Envelope): void;
  add(event: AgUiEvent): void;
  /** Returns the events since the last call. */
  take(): AgUiEvent[];

  write(kind: BlockKind, key: string, delta: string): void;
  /** Delivers what was not delivered of a block, and closes it. */
  complete(kind: BlockKind, key: string, whole: string): void;

  /** Does nothing if the call was opened before, even if it was closed since. */
  openCall(id: string, name: string): void;
  writeCall(id: string, delta: string): void;
  /** Delivers what was not delivered of the input, if it is known, and closes the call. */
  completeCall(id: string, input: unknown): void;

  openStep(name: string): void;
  closeStep(name: string): void;
  openSubagent(id: string, name: string): void;
  closeSubagent(id: string, end: AgUiEvent): void;
  /** An activity that grows until it is ended. */
  openActivity(id: string, activityType: string, content: object): void;
  endActivity(id: string): void;
  outputPatch(activity: string, piece: unknown): unknown[];
  /** The tokens of the whole run so far. */
  setUsage(total: Usage): void;

  interrupt(interrupt: Interrupt): void;
  answered(id: string): void;
  finish(outcome: { type: string; interrupts?: readonly Interrupt[] }): void;
  /** The run ends with an error. */
  stop(message: string, code: string): void;
  /** Opens again what is open, for a stream that begins here. */
  reopen(): void;
  /** The stream ends. A run that is open ends with an error; while a person is asked, none is. */
  cut(): void;
}

/** Numbers of tokens by AG-UI's names. */
export type Usage = Readonly<Record<string, number>>;

export function createSegments(): Segments {
  let events: AgUiEvent[] = [];
  let source: Envelope;
  let count = 0;
  let isOpen = false;
  let isOver = false;
  let used: Usage = {};
  let told: Usage = {};
  const blocks = new Map<string, Block>();
  const calls = new Map<string, { name: string; written: string }>();
  const known = new Set<string>();
  const steps = new Set<string>();
  const subagents = new Map<string, string>();
  const outputs = new Set<string>();
  const activities = new Map<string, { activityType: string; content: object }>();
  const pending = new Map<string, Interrupt>();

  const threadId = () => source.session_id ?? source.run_id;
  const runId = (number: number) => (number === 1 ? source.run_id : `${source.run_id}-${number}`);

  function add(event: AgUiEvent): void {
    if (isOver) return;
    if (!isOpen) start();
    push(event);
  }

  /** Every event is made for this run, so it can be completed in place. */
  function push(event: AgUiEvent): void {
    const { run_id, sequence, event_id, occurred_at } = source;
    const timestamp = Date.parse(occurred_at);
    events.push(Object.assign(event, { timestamp, metadata: { spoor: { run_id, sequence, event_id } } }));
  }

  function start(): void {
    count += 1;
    isOpen = true;
    pushStart();
  }

  function pushStart(): void {
    const parentRunId = count > 1 ? runId(count - 1) : undefined;
    push({
      type: "RUN_STARTED",
      ...present({ threadId: threadId(), runId: runId(count), parentRunId, protocolVersion: "1.0" }),
    });
    for (const [id, name] of subagents) push({ type: "SUBAGENT_STARTED", subagentRunId: id, name });
    for (const stepName of steps) push({ type: "STEP_STARTED", stepName });
    for (const block of blocks.values()) for (const event of openingOf(block)) push(event);
    for (const [id, { name }] of calls) push({ type: "TOOL_CALL_START", toolCallId: id, toolCallName: name });
  }

  /** Closes what is open for this run of AG-UI. It is not forgotten, so that the next run opens it again. */
  function closeAll(): void {
    for (const block of blocks.values()) for (const event of closingOf(block)) push(event);
    for (const id of calls.keys()) push({ type: "TOOL_CALL_END", toolCallId: id });
    for (const id of subagents.keys()) {
      push({ type: "SUBAGENT_FINISHED", subagentRunId: id, outcome: { type: "suspended" } });
    }
    for (const stepName of steps) push({ type: "STEP_FINISHED", stepName });
  }

  /** A model that goes on has its answer, or does not need one. */
  function passQuestions(): void {
    for (const { id, reason } of pending.values()) if (reason === "question") pending.delete(id);
  }

  /** The tokens of this run of AG-UI, without those of the runs before it. */
  function takeUsage(): Usage[] | undefined {
    const own = Object.entries(used).map(([name, total]) => [name, total - (told[name] ?? 0)] as const);
    told = used;
    return own.some(([, count]) => count > 0) ? [Object.fromEntries(own)] : undefined;
  }

  function finish(outcome: object): void {
    if (isOver) return;
    if (!isOpen) start();
    closeAll();
    push({
      type: "RUN_FINISHED",
      ...present({ threadId: threadId(), runId: runId(count), outcome, usage: takeUsage() }),
    });
    isOpen = false;
  }

  function stop(message: string, code: string): void {
    if (isOver) return;
    if (!isOpen) start();
    closeAll();
    push({ type: "RUN_ERROR", ...present({ message, code, usage: takeUsage() }) });
    isOver = true;
  }

  function write(kind: BlockKind, key: string, delta: string): void {
    if (isOver) return;
    passQuestions();
    let block = blocks.get(key);
    if (!block) {
      block = { kind, messageId: `${kind}-${source.sequence}-${source.run_id}`, length: 0 };
      for (const event of openingOf(block)) add(event);
      blocks.set(key, block);
    }
    if (delta === "") return;
    block.length += delta.length;
    const type = kind === "text" ? "TEXT_MESSAGE_CONTENT" : "REASONING_MESSAGE_CONTENT";
    add({ type, messageId: block.messageId, delta });
  }

  function writeCall(id: string, delta: string): void {
    const call = calls.get(id);
    if (!call || delta === "") return;
    call.written += delta;
    add({ type: "TOOL_CALL_ARGS", toolCallId: id, delta });
  }

  function completeCall(id: string, input: unknown): void {
    const call = calls.get(id);
    if (!call) return;
    writeCall(id, call.written === "" ? asText(input) : restOfInput(call.written, input));
    add({ type: "TOOL_CALL_END", toolCallId: id });
    calls.delete(id);
  }

  /** The run is over, so nothing more is known of the inputs that are not whole. */
  function completeCalls(): void {
    for (const id of calls.keys()) completeCall(id, undefined);
  }

  return {
    begin(envelope) {
      source = envelope;
      if (count === 0) start();
    },
    add,
    take() {
      const taken = events;
      events = [];
      return taken;
    },

    write,
    complete(kind, key, whole) {
      write(kind, key, whole.slice(blocks.get(key)?.length ?? 0));
      const block = blocks.get(key);
      if (!block) return;
      for (const event of closingOf(block)) add(event);
      blocks.delete(key);
    },

    openCall(id, name) {
      if (known.has(id) || isOver) return;
      passQuestions();
      add({ type: "TOOL_CALL_START", toolCallId: id, toolCallName: name });
      known.add(id);
      calls.set(id, { name, written: "" });
    },
    writeCall,
    completeCall,

    openStep(stepName) {
      if (steps.has(stepName) || isOver) return;
      passQuestions();
      add({ type: "STEP_STARTED", stepName });
      steps.add(stepName);
    },
    closeStep(stepName) {
      if (!steps.has(stepName)) return;
      add({ type: "STEP_FINISHED", stepName });
      steps.delete(stepName);
    },
    openSubagent(id, name) {
      if (subagents.has(id) || isOver) return;
      add({ type: "SUBAGENT_STARTED", subagentRunId: id, name });
      subagents.set(id, name);
    },
    closeSubagent(id, end) {
      if (!subagents.has(id) || isOver) return;
      add({ ...end, subagentRunId: id });
      subagents.delete(id);
    },
    openActivity(messageId, activityType, content) {
      add({ type: "ACTIVITY_SNAPSHOT", messageId, activityType, content });
      activities.set(messageId, { activityType, content });
    },
    endActivity(id) {
      activities.delete(id);
    },
    outputPatch(activity, piece) {
      const isFirst = !outputs.has(activity);
      outputs.add(activity);
      return isFirst
        ? [{ op: "add", path: "/output", value: [piece] }]
        : [{ op: "add", path: "/output/-", value: piece }];
    },
    setUsage(total) {
      used = total;
    },

    interrupt(interrupt) {
      pending.set(interrupt.id, interrupt);
      finish({ type: "interrupt", interrupts: [...pending.values()] });
    },
    answered(id) {
      pending.delete(id);
    },
    finish(outcome) {
      completeCalls();
      finish(outcome);
      isOver = true;
    },
    stop(message, code) {
      completeCalls();
      stop(message, code);
    },
    reopen() {
      if (!isOpen || isOver) return;
      pushStart();
      for (const [messageId, { activityType, content }] of activities) {
        // Readers that have it keep what they have.
        const own = outputs.has(messageId) ? { ...content, output: [] } : content;
        push({ type: "ACTIVITY_SNAPSHOT", messageId, activityType, content: own, replace: false });
      }
    },
    cut() {
      if (isOpen) stop("The stream ended before the run.", "stream_cut");
    },
  };
}
