import { noteOfFrame } from "../../kit/fact-signals.ts";
import { type Failure, fail } from "../../kit/failures.ts";
import { asNumber, asObject, asText, type Json } from "../../kit/json-values.ts";
import { assignToSubagent } from "../../kit/subagent-signals.ts";
import type { Signal } from "../../signal.ts";
import { Conversation } from "../conversation/opencode-conversation.ts";

/** A session on the server. */
export interface Thread {
  id: string;
  conversation: Conversation;
  /** The session belongs to a subagent. Its events are held until the call that spawned it is known. */
  isChild: boolean;
  child?: string;
  held: Json[];
  /** Ids of its earlier messages, which are sent again when it is copied. */
  history: Set<string>;
  priorTurns: number;
  isReported: boolean;
  isNew: boolean;
  isBusy: boolean;
  hasFailed: boolean;
  revertedTo?: string;
}

type Read = (frame: Json, thread: Thread) => Signal[] | undefined;

/**
 * The sessions on one server. The run's session is the one that was created or prompted last; late events of others
 * become notes. A subagent's session is reported under the call that spawned it.
 */
export class Sessions {
  readonly #all = new Map<string, Thread>();
  readonly #read: Read;
  #current: Thread | undefined;
  #isKnown = false;

  constructor(read: Read) {
    this.#read = read;
  }

  frame(event: Json): Signal[] | undefined {
    const fields = asObject(event.properties);
    if (!fields) return undefined;
    this.#isKnown = true;
    const info = asObject(fields.info) ?? {};
    if (event.type === "session.created") {
      this.#created(info);
      return undefined;
    }
    const thread = this.#threadOf(event, fields, info);
    if (!thread) return undefined;
    if (thread.isChild && thread.child === undefined) {
      thread.held.push(event);
      return [];
    }
    const signals = this.#read(event, thread);
    return signals && this.#reported(signals, thread);
  }

  message(info: Json, thread: Thread): Signal[] | undefined {
    const id = asText(info.id) ?? "";
    const isFirst = !thread.conversation.knows(id);
    const isCompleted = asNumber(asObject(info.time)?.completed) !== undefined;
    thread.conversation.message(info);
    if (info.role === "user") {
      if (!isFirst || !isPrompt(info)) return undefined;
      thread.isBusy = true;
      thread.hasFailed = false;
      return [{ kind: "prompt" }];
    }
    if (isFirst && isCompleted) {
      thread.history.add(id);
      return undefined;
    }
    thread.isBusy ||= isFirst && !isCompleted;
    // Its parts and the session's errors report everything else.
    return [];
  }

  part(part: Json, thread: Thread): Signal[] | undefined {
    if (thread.history.has(asText(part.messageID) ?? "")) {
      if (part.type === "step-start") thread.priorTurns += 1;
      return undefined;
    }
    if (part.type === "step-start") thread.hasFailed = false;
    const signals = thread.conversation.part(part);
    const child = this.#all.get(asText(asObject(asObject(part.state)?.metadata)?.sessionId) ?? "");
    const callId = asText(part.callID);
    if (!child?.isChild || child.child !== undefined || !callId) return signals;
    child.child = callId;
    const held = child.held.splice(0).flatMap((event) => this.frame(event) ?? [noteOfFrame(event)]);
    return [...(signals ?? []), ...held];
  }

  failed(thread: Thread, event: Failure): Signal[] {
    thread.hasFailed = true;
    return [fail(event)];
  }

  /** The event comes twice each time, and once more after a failure. */
  idle(thread: Thread): Signal[] {
    if (!thread.isBusy) return [];
    thread.isBusy = false;
    if (thread.hasFailed) thread.conversation.endRun();
    return [{ kind: "promptDone" }];
  }

  /** Whether every prompt has ended. */
  get isSettled(): boolean {
    return this.#isKnown && !this.#current?.isBusy;
  }

  /** Reports the held events at the end. */
  close(): Signal[] {
    const held = [...this.#all.values()].flatMap((thread) => thread.held.splice(0).map((event) => noteOfFrame(event)));
    return [...(this.#current ? this.#reported([], this.#current) : []), ...held];
  }

  /** Only the first prompt shows whether the session begins with messages of another, so it is reported then. */
  #created(info: Json): void {
    const id = asText(info.id);
    if (!id || this.#all.has(id)) return;
    const parent = asText(info.parentID);
    const thread = this.#open(id, { isChild: parent !== undefined && this.#all.has(parent), isNew: true });
    if (!thread.isChild && !this.#current?.isBusy) this.#current = thread;
  }

  #threadOf(event: Json, fields: Json, info: Json): Thread | undefined {
    const part = asObject(fields.part);
    const id = asText(fields.sessionID) ?? asText(info.sessionID) ?? asText(part?.sessionID);
    // An event without a session id belongs to the current session.
    if (id === undefined)
      return event.type === "session.error" || this.#current?.isReported ? this.#current : undefined;
    const known = this.#all.get(id);
    if (known?.isChild || (known && known === this.#current)) return known;
    const isPrompted = event.type === "message.updated" && info.role === "user" && isPrompt(info);
    const opens = isPrompted || (!this.#current && this.#shows(event, info));
    if (!opens) return undefined;
    this.#current = known ?? this.#open(id, { isChild: false, isNew: false });
    return this.#current;
  }

  /** Whether an event shows a session at work whose beginning was not seen. */
  #shows({ type }: Json, info: Json): boolean {
    if (type === "session.updated") return asObject(info.revert) !== undefined;
    if (type === "message.updated") return info.role === "assistant" && info.finish === undefined;
    return type === "message.part.updated" || type === "message.part.delta" || type === "permission.asked";
  }

  #open(id: string, { isChild, isNew }: { isChild: boolean; isNew: boolean }): Thread {
    const thread: Thread = {
      ...{ id, isChild, isNew, conversation: new Conversation({ reportsSubagents: true }), held: [] },
      ...{ history: new Set<string>(), priorTurns: 0, isReported: false, isBusy: false, hasFailed: false },
    };
    this.#all.set(id, thread);
    return thread;
  }

  /** Reports the session before its first other signal. */
  #reported(signals: Signal[], thread: Thread): Signal[] {
    const { id, child, isNew, priorTurns } = thread;
    if (thread.isReported) return assignToSubagent(child, signals);
    thread.isReported = true;
    const resumed = !isNew || priorTurns > 0;
    const session: Signal = { kind: "session", id, resumed, ...(priorTurns > 0 && { priorTurns }) };
    return assignToSubagent(child, [session, ...signals]);
  }
}

/** A prompt that was processed has a summary of its changes. */
const isPrompt = (info: Json): boolean => info.summary === undefined;
