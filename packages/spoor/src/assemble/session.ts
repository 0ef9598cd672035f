import type { CostRecord } from "@spoor/protocol";
import type { Signal } from "../agents/signal.ts";
import type { Emitter } from "./emitter.ts";

export interface SessionOptions {
  /** The run this one is a subagent of. */
  parentRunId?: string;
  /** The run goes on where another of the same process ended. */
  continues?: { sessionId: string; turns: number };
  /** What was asked of the agent, for wires that do not repeat it. */
  resumed?: boolean;
  forkedFrom?: string;
  /** Turns of the session that is resumed, where that is known from elsewhere: it wins over what the wire tells. */
  priorTurns?: () => number | undefined;
  /** The agent is to keep no session, so its id means nothing later. */
  noSession?: boolean;
  /** What happens to actions that need permission, where that is known. */
  approve?: "ask" | "auto" | "deny";
  newId(): string;
}

/** The frame of a run: told by the agent, or made up where it tells none. */
export class Session {
  id: string | undefined;
  ended = false;
  priorTurns: number;
  /** The agent's name for a session that had to be opened without one. */
  #lateId: string | undefined;
  readonly #options: SessionOptions;
  readonly #emitter: Emitter;

  constructor(emitter: Emitter, options: SessionOptions) {
    this.#emitter = emitter;
    this.#options = options;
    this.priorTurns = options.continues?.turns ?? 0;
  }

  /** The agent names its session. A name that comes late is only noted: the run has one by then. */
  tell({ id, resumed, priorTurns, forkedFrom }: Extract<Signal, { kind: "session" }>): void {
    if (this.id === undefined) {
      const { continues, resumed: askedToResume = continues !== undefined } = this.#options;
      this.priorTurns = this.#options.priorTurns?.() ?? priorTurns ?? this.priorTurns;
      this.#start(id, resumed ?? askedToResume, forkedFrom ?? this.#options.forkedFrom);
    } else if (id !== undefined && id !== this.id) {
      this.#lateId = id;
      this.#emitter.emit("debug", { level: "info", message: `The agent's session is ${id}.` });
    }
  }

  /** Whether this is the name of another session than this one. */
  isOther(id: string): boolean {
    const name = this.#lateId ?? this.id;
    return name !== undefined && id !== name && (this.#lateId !== undefined || !name.startsWith("transient-"));
  }

  /** Something is about to be told, and every run has a session. */
  ensure(): void {
    if (this.id !== undefined) return;
    const { continues } = this.#options;
    this.#start(continues?.sessionId, continues !== undefined, undefined);
  }

  end(turns: number, cost: CostRecord | undefined): void {
    this.ended = true;
    const turnCount = this.priorTurns + turns;
    this.#emitter.emit("session_end", { sessionId: this.id ?? "", turnCount, ...(cost && { cost }) });
  }

  #start(id: string | undefined, resumed: boolean, forkedFrom: string | undefined): void {
    const { noSession, parentRunId, approve: approvalMode, newId } = this.#options;
    const sessionId = id === undefined || noSession ? `transient-${newId()}` : id;
    this.id = sessionId;
    // What an agent opens anew has no past, whatever this process did before.
    if (!resumed) this.priorTurns = 0;
    const links = {
      ...(forkedFrom && { forkedFrom }),
      ...(parentRunId && { parentRunId }),
      ...(approvalMode && { approvalMode }),
    };
    this.#emitter.emit("session_start", { sessionId, resumed, ...links });
    if (resumed) this.#emitter.emit("session_resume", { sessionId, priorTurnCount: this.priorTurns });
    if (forkedFrom) this.#emitter.emit("session_fork", { sessionId, forkedFrom });
  }
}
