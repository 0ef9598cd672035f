import { asText, maybe, type Payload, text } from "../translator.ts";
import { stopOf, textBlock, type ZotBlock, type ZotEvent, type ZotStop } from "./zot-events.ts";
import { createUsage, type Usage } from "./zot-usage.ts";

/** A tool call of the current turn. */
interface Call {
  readonly id: string;
  readonly name: string;
  /** Whether some of its input was streamed. */
  hasInput: boolean;
  /** Its input, once it is known. */
  args?: unknown;
}

/** A part of the model's message, while it is made. */
type Block = { text: string } | { image: ZotBlock } | Call;

/**
 * The turns of zot. A turn is one model call: it is `open` while the model answers, `closed` while its tools run, and the next
 * one begins when all of them have returned.
 */
export interface Turns {
  readonly usage: Usage;
  /** The time of the envelope that is translated, which messages carry. */
  time: string;
  add(...events: ZotEvent[]): void;
  take(): ZotEvent[];
  /** Whether the model has gone on although tools of its last message still run. */
  isAhead(data: Payload): boolean;
  /** Whether the model still writes another call of the same message. */
  isWriting(data: Payload): boolean;
  /** Ends what is left of the current turn, and begins the next. */
  next(): void;
  write(key: string, delta: string): void;
  /** Writes what was not written of a text. */
  complete(key: string, whole: string): void;
  show(image: ZotBlock): void;
  startCall(data: Payload): void;
  writeCall(data: Payload, delta: string): void;
  proposeCall(data: Payload, args: unknown): void;
  progress(data: Payload, output: string): void;
  endCall(data: Payload, content: readonly ZotBlock[], isError: boolean): void;
  /** The model has answered. The reason is the agent's own word for it, or the words of an error. */
  stop(reason: string | undefined, error?: string): void;
  /** What a model call used is known, so the model has answered. It waits while a call is not written to its end. */
  used(usage: readonly ZotEvent[]): void;
  /** The model has answered. If it called tools, the turn ends here, so that they can report. */
  answered(): void;
  /** Ends the model call. */
  close(stop?: ZotStop, error?: string): void;
  /** Ends calls that never reported an end. */
  settle(): void;
  /** Ends everything. */
  end(stop?: "error" | "aborted", error?: string): void;
}

export function createTurns(): Turns {
  let events: ZotEvent[] = [];
  let phase: "none" | "open" | "closed" = "none";
  let step = 0;
  let hasStarted = false;
  let stopped: { reason: ZotStop | undefined; error: string | undefined } | undefined;
  let last: ZotStop | undefined;
  /** The message of the model: texts and calls in their order. */
  let blocks: Block[] = [];
  const lengths = new Map<string, number>();
  /** Calls of the turn without a result, and the ids of all that have one. */
  const calls = new Map<string, Call>();
  const ended = new Set<string>();
  const usage = createUsage();
  /** The usage that waits for the end of a call. */
  let late: readonly ZotEvent[] = [];

  const add = (...more: ZotEvent[]): void => void events.push(...more);

  function open(): void {
    step += 1;
    phase = "open";
    hasStarted = false;
    stopped = undefined;
    blocks = [];
    add({ step, type: "turn_start" });
  }

  /** The model says something. */
  function speak(): void {
    if (phase !== "open") open();
    if (!hasStarted) add({ type: "assistant_start" });
    hasStarted = true;
  }

  function close(stop?: ZotStop, error = stopped?.error): void {
    if (phase !== "open") return;
    phase = "closed";
    tellLate();
    add(...usage.flush());
    const content = blocks.flatMap(blockOf);
    const proposed = content.filter(({ type }) => type === "tool_call");
    last = stop ?? stopped?.reason ?? (proposed.length > 0 ? "tool_use" : "end");
    // zot drops a message that was cut off.
    if (content.length > 0 && last !== "aborted") add({ content, time: turns.time, type: "assistant_message" });
    add(...(proposed as ZotEvent[]));
    add({ ...(error !== undefined && last === "error" && { error }), stop: last, type: "turn_end" });
  }

  function tellLate(): void {
    add(...late);
    late = [];
  }

  const isWriting = (except?: unknown): boolean =>
    phase === "open" && [...calls.values()].some(({ id, args }) => args === undefined && id !== except);

  function startCall(data: Payload): Call | undefined {
    const id = text(data, "tool_call_id");
    const known = calls.get(id);
    if (known || ended.has(id)) return known;
    speak();
    const call: Call = { id, name: maybe(data, "tool_name") ?? "unknown", hasInput: false };
    calls.set(id, call);
    blocks.push(call);
    add({ id, name: call.name, type: "tool_use_start" });
    return call;
  }

  function writeCall(call: Call | undefined, delta: string): void {
    if (!call || call.args !== undefined || delta === "") return;
    call.hasInput = true;
    add({ delta, id: call.id, type: "tool_use_args" });
  }

  function propose(data: Payload, args: unknown): Call | undefined {
    const call = startCall(data);
    if (!call || call.args !== undefined) return call;
    if (!call.hasInput) writeCall(call, asText(args));
    call.args = args;
    add({ id: call.id, type: "tool_use_end" });
    if (!isWriting()) tellLate();
    return call;
  }

  function endCall(call: Call | undefined, content: readonly ZotBlock[], is_error: boolean): void {
    if (!call) return;
    close("tool_use");
    calls.delete(call.id);
    ended.add(call.id);
    add({ content, id: call.id, is_error, type: "tool_result" });
  }

  function settle(): void {
    const open = [...calls.values()];
    for (const { id } of open) propose({ tool_call_id: id }, {});
    for (const call of open) endCall(call, [textBlock("The call did not report its end.")], true);
  }

  const turns: Turns = {
    usage,
    time: "",
    add,
    take() {
      const taken = events;
      events = [];
      return taken;
    },
    isAhead: (data) => phase === "closed" && calls.size > 0 && !calls.has(text(data, "tool_call_id")),
    isWriting: (data) => isWriting(data.tool_call_id),
    next() {
      settle();
      close();
      open();
    },
    write(key, delta) {
      if (delta === "") return;
      speak();
      lengths.set(key, (lengths.get(key) ?? 0) + delta.length);
      const block = blocks.at(-1);
      if (block && "text" in block) block.text += delta;
      else blocks.push({ text: delta });
      add({ delta, type: "text_delta" });
    },
    complete: (key, whole) => turns.write(key, whole.slice(lengths.get(key) ?? 0)),
    show(image) {
      speak();
      blocks.push({ image });
    },
    startCall: (data) => void startCall(data),
    writeCall: (data, delta) => writeCall(calls.get(text(data, "tool_call_id")), delta),
    proposeCall: (data, args) => void propose(data, args),
    progress(data, output) {
      const call = propose(data, {});
      if (!call || output === "") return;
      close("tool_use");
      add({ id: call.id, text: output, type: "tool_progress" });
    },
    endCall: (data, content, isError) => endCall(propose(data, {}), content, isError),
    stop(reason, error) {
      stopped = { reason: stopOf(reason) ?? stopped?.reason, error: error ?? stopped?.error };
      // Whether a turn was aborted or failed, and why, is known only when the run ends or goes on.
      if (stopped.reason !== undefined && stopped.reason !== "error" && stopped.reason !== "aborted") close();
    },
    used(used) {
      if (used.length === 0) return;
      if (isWriting()) late = [...late, ...used];
      else {
        add(...used);
        turns.answered();
      }
    },
    answered() {
      if (calls.size > 0 && [...calls.values()].every(({ args }) => args !== undefined)) close();
    },
    close,
    settle,
    end(stop, error) {
      settle();
      const wasOpen = phase === "open";
      close(stop, error);
      add(...usage.flush());
      // Nothing else tells that a run was ended while tools ran or between two turns.
      if (stop === "aborted" && !wasOpen && last !== "aborted") add({ stop, type: "turn_end" });
    },
  };
  return turns;
}

function blockOf(block: Block): ZotBlock[] {
  if ("text" in block) return [textBlock(block.text)];
  if ("image" in block) return [block.image];
  const { args, id, name } = block;
  return args === undefined ? [] : [{ args, id, name, type: "tool_call" }];
}
