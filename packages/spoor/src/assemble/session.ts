import type { CostRecord } from "@spoor/protocol";
import type { Signal } from "../agents/signal.ts";
import type { Emitter } from "./emitter.ts";

export interface SessionOptions {
  /** The id of the parent run, if this run is a subagent. */
  parentRunId?: string;
  /** The run continues one that ended in the same process. */
  continues?: { sessionId: string; turns: number };
  /** Whether the agent was asked to resume a session, for dialects that do not report it. */
  resumed?: boolean;
  forkedFrom?: string;
  /**
   * Returns the number of turns that the agent's session files contain, if known. It overrides the number that the dialect
   * reports.
   */
  priorTurns?: () => number | undefined;
  /** The agent stores no session, so its session id is not usable later. */
  noSession?: boolean;
  /** What happens to actions that need permission, if known. */
  approve?: "ask" | "auto" | "deny";
  newId(): string;
}

/** The session of a run. Its id is the one that the agent reports, or a generated one if the agent reports none. */
export class Session {
  id: string | undefined;
  ended = false;
  priorTurns: number;
  /** The agent's session id, if it arrived after the session was opened with a generated id. */
  #lateId: string | undefined;
  readonly #options: SessionOptions;
  readonly #emitter: Emitter;

  constructor(emitter: Emitter, options: SessionOptions) {
    this.#emitter = emitter;
    this.#options = options;
    this.priorTurns = options.continues?.turns ?? 0;
  }

  /** The agent reports its session id. If the run already has an id, the agent's id becomes a debug event. */
  name({ id, resumed, priorTurns, forkedFrom, version }: Extract<Signal, { kind: "session" }>): void {
    if (this.id === undefined) {
      const { continues, resumed: askedToResume = continues !== undefined } = this.#options;
      this.priorTurns = this.#options.priorTurns?.() ?? priorTurns ?? this.priorTurns;
      this.#start(id, resumed ?? askedToResume, forkedFrom ?? this.#options.forkedFrom, version);
    } else if (id !== undefined && id !== this.id) {
      this.#lateId = id;
      this.#emitter.emit("debug", { level: "info", message: `The agent's session is ${id}.` });
    }
  }

  /** Whether this is the id of another session. */
  isOther(id: string): boolean {
    const name = this.#lateId ?? this.id;
    return name !== undefined && id !== name && (this.#lateId !== undefined || !name.startsWith("transient-"));
  }

  /** Opens the session before the first event of the run, if it is not open. */
  ensure(): void {
    if (this.id !== undefined) return;
    const { continues } = this.#options;
    this.#start(continues?.sessionId, continues !== undefined);
  }

  end(turns: number, cost: CostRecord | undefined): void {
    this.ended = true;
    const turnCount = this.priorTurns + turns;
    this.#emitter.emit("session_end", { sessionId: this.id ?? "", turnCount, ...(cost && { cost }) });
  }

  #start(id: string | undefined, resumed: boolean, forkedFrom?: string, version?: string): void {
    const { noSession, parentRunId, approve: approvalMode, newId } = this.#options;
    const sessionId = id === undefined || noSession ? `transient-${newId()}` : id;
    this.id = sessionId;
    // A new session has no earlier turns, even if this process had another session before.
    if (!resumed) this.priorTurns = 0;
    const links = {
      ...(forkedFrom && { forkedFrom }),
      ...(parentRunId && { parentRunId }),
      ...(approvalMode && { approvalMode }),
      ...(version && { agentVersion: version }),
    };
    this.#emitter.emit("session_start", { sessionId, resumed, ...links });
    if (resumed) this.#emitter.emit("session_resume", { sessionId, priorTurnCount: this.priorTurns });
    if (forkedFrom) this.#emitter.emit("session_fork", { sessionId, forkedFrom });
  }
}
