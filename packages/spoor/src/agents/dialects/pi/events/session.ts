import { asCount, asObject, asText, type Json } from "../../../json-machine.ts";
import type { Signal } from "../../../signal.ts";

/**
 * Which session the agent is in. The rpc wire tells no id by itself: not at the start, not when a session is begun or
 * forked. The next answer that holds one tells it.
 */
export class Sessions {
  readonly #onNextRun: () => void;
  #id: string | undefined;
  /** The session was left for one whose id is not known yet. */
  #next: { forkedFrom?: string; resumed?: boolean } | undefined;
  #left = 0;
  #used = false;
  /** Paths of sessions that were asked for, by request. */
  readonly #paths = new Map<string, string>();

  constructor(onNextRun: () => void) {
    this.#onNextRun = onNextRun;
  }

  header(frame: Json): Signal[] | undefined {
    const id = asText(frame.id);
    if (!id) return undefined;
    const parent = asText(frame.parentSession);
    return this.#enter(id, parent === undefined ? {} : { forkedFrom: idOf(parent) });
  }

  asked(frame: Json): Signal[] {
    const path = asText(frame.sessionPath);
    if (path) this.#paths.set(String(frame.id), path);
    return [];
  }

  answered(frame: Json): Signal[] {
    const data = asObject(frame.data) ?? {};
    const command = asText(frame.command) ?? "";
    if (frame.success !== true || data.cancelled === true) return [];
    if (moves.has(command)) return this.#leave(command, this.#paths.get(String(frame.id)));
    const id = asText(data.sessionId);
    if (!id) return [];
    const resumed = !this.#used && (asCount(data.messageCount) ?? 0) > 0;
    return this.#enter(id, this.#next ?? (resumed ? { resumed } : {}));
  }

  /** A prompt begins. In a session whose id nobody asked for, the run is told apart by an id of ours. */
  prompted(): Signal[] {
    this.#used = true;
    const next = this.#next;
    if (!next || this.#id === undefined) return [];
    this.#left += 1;
    return this.#enter(`transient-${this.#id}-${this.#left}`, next);
  }

  #leave(command: string, path: string | undefined): Signal[] {
    this.#next = {
      ...(forks.has(command) && this.#id !== undefined && { forkedFrom: this.#id }),
      ...(command === "switch_session" && { resumed: true }),
    };
    return path === undefined ? [] : this.#enter(idOf(path), this.#next);
  }

  #enter(id: string, how: { forkedFrom?: string; resumed?: boolean }): Signal[] {
    const before = this.#id;
    // An id of ours was only waiting for the real one.
    const isSame = before === undefined || (this.#next === undefined && before.startsWith("transient-"));
    this.#next = undefined;
    if (id === before) return [];
    this.#id = id;
    if (!isSame) this.#onNextRun();
    return [{ kind: "session", id, ...how }];
  }
}

/** Commands after which the agent is in another session. */
const moves = new Set(["new_session", "switch_session", "fork", "clone", "branch"]);
const forks = new Set(["fork", "clone", "branch"]);

/** Session files are named by time and id. */
const idOf = (path: string): string => /_([^_/\\]+)\.jsonl$/.exec(path)?.[1] ?? path;
