import { setTimeout as sleep } from "node:timers/promises";
import { createUlidSource } from "@spoor/protocol/ids";
import type { Effect, RowQuery } from "../../log/effects.ts";
import { LogError } from "../../log/errors.ts";
import type { AppendReceipt, Log, RunAppend, TapeLine } from "../../log/log.ts";
import type { RunQuery } from "../../log/records.ts";
import type { CommandListener } from "../../log/watch-commands.ts";
import type { RecorderLog } from "../recorder/recorder-log.ts";
import { type StoredLines, storedLines } from "../recorder/stored-lines.ts";
import { watchCommandsOfServer } from "./command-connection.ts";
import type { Request } from "./messages.ts";
import { packed, unpacked } from "./row-codec.ts";
import { ConnectionLost, connect, type ServerConnection, type Timeouts } from "./server-connection.ts";
import { findSocket } from "./socket-file.ts";

export interface RelayOptions extends Partial<Timeouts> {
  directory: string;
  /** Opens the log in that directory, for when the server is gone. */
  openLocal: () => Log | Promise<Log>;
  /** Once aborted, unanswered requests no longer wait for the server: the producer repeats them in the log itself. */
  signal?: AbortSignal;
}

/** Opens the log of a data directory through the server that runs on it; undefined when no server answers. */
export async function openRelayedLog({
  directory,
  openLocal,
  helloMs = 3_000,
  silenceMs = MAX_SILENCE_MS,
  signal,
}: RelayOptions): Promise<RelayedLog | undefined> {
  const socket = findSocket(directory);
  const connection = socket === undefined ? undefined : await connect(socket, { helloMs, silenceMs });
  if (!connection) return undefined;
  if (signal?.aborted) connection.close();
  signal?.addEventListener("abort", () => connection.close(), { once: true });
  return new RelayedLog(connection, openLocal, (run_id, listener, onLost) => {
    // A server answers `commands` late on purpose, but never as late as this.
    const timeouts = { helloMs, silenceMs: Math.max(silenceMs, MAX_SILENCE_MS) };
    return watchCommandsOfServer({ socket: socket as string, run_id, timeouts }, listener, onLost);
  });
}

const RETRY_MS = 500;

/** How long a server that was asked something may stay silent. */
export const MAX_SILENCE_MS = 30_000;

type WatchServer = (
  run_id: string,
  listener: CommandListener,
  onLost: (delivered: ReadonlySet<string>) => void,
) => () => void;

/**
 * A log for one producer, which appends to runs it created. Callers do not notice whether the server does the work.
 *
 * The connection has two states. While it is up, every request goes to the server. Once it is lost (closed, silent for
 * too long, or not understood) it stays lost, and the producer opens the log itself.
 *
 * Every append has an idempotency key, so it is stored exactly once:
 *
 * - answered by the server: done. The next append deletes its key.
 * - sent, but not answered when the connection was lost: the server may have committed it, may still commit it, or never
 *   will. The producer repeats it in the log under the same key: the second append changes nothing and gets the
 *   receipt of the first. These keys stay until the caretaker deletes old ones, since a suspended server may wake up late.
 * - not sent: only the producer can append it, without a key.
 *
 * The server and the producer both work through the requests in the order they were sent, so the order of events is kept,
 * no matter which of them commits each one.
 */
export class RelayedLog implements RecorderLog {
  readonly tapes: RecorderLog["tapes"];
  readonly rows: RecorderLog["rows"];
  readonly queue: RecorderLog["queue"];
  readonly #watchServer: WatchServer;
  /** Ends the watching of commands. */
  readonly #unwatches = new Set<() => void>();
  readonly #connection: ServerConnection;
  readonly #openLocal: RelayOptions["openLocal"];
  #local: Promise<Log> | undefined;
  #isClosed = false;
  readonly #newKey = createUlidSource({ prefix: "relay_" });
  /** Keys of requests that the server answered. */
  #answeredKeys: string[] = [];

  constructor(connection: ServerConnection, openLocal: RelayOptions["openLocal"], watchServer: WatchServer) {
    this.#connection = connection;
    this.#openLocal = openLocal;
    this.#watchServer = watchServer;
    this.tapes = { append: (run_id, lines) => this.#appendTape(run_id, lines) };
    this.rows = {
      find: async (table, key) => {
        const found = await this.#ask({ do: "find", table, key }, [], (log) => log.rows.find(table, key));
        return unpacked(found) ?? undefined;
      },
      list: async (table, query) => {
        const request = { do: "list", table, ...(query && { query: packed(query) as RowQuery }) } as const;
        return unpacked(await this.#ask(request, [], (log) => log.rows.list(table, query)));
      },
      write: (effects, options) => this.#writeRows(effects, options?.idempotency_key),
    };
    this.queue = {
      extend: (run_id, epoch, leaseMs) =>
        this.#ask({ do: "extend", run_id, epoch, leaseMs }, [], (log) => log.queue.extend(run_id, epoch, leaseMs)),
      release: async (run_id, epoch) => {
        await this.#ask({ do: "release", run_id, epoch }, [], (log) => log.queue.release(run_id, epoch));
      },
    };
  }

  async append(batch: readonly RunAppend[]): Promise<AppendReceipt[]> {
    const keys: string[] = [];
    const newKey = (): string => {
      const key = this.#newKey();
      keys.push(key);
      return key;
    };
    const forgotten = this.#answeredKeys.splice(0);
    const keyed = batch.map((append, index) => ({
      ...append,
      // A key of the caller stays: the caller may use it again.
      idempotency_key: append.idempotency_key ?? newKey(),
      ...(index === 0 && { forget_keys: [...(append.forget_keys ?? []), ...forgotten] }),
    }));
    const sent = keyed.map((append) => (append.effects ? { ...append, effects: packed(append.effects) } : append));
    return this.#ask({ do: "append", batch: sent }, keys, (log, wasSent) => log.append(wasSent ? keyed : batch));
  }

  runs(query: RunQuery = {}): ReturnType<Log["runs"]> {
    return this.#ask({ do: "runs", query }, [], (log) => log.runs(query));
  }

  /** A run's envelopes after a sequence, as they are stored. */
  readLines(run_id: string, after: number): Promise<StoredLines> {
    return this.#ask({ do: "read", run_id, after }, [], (log) => storedLines(log)(run_id, after));
  }

  /** The server sends commands on a connection of its own. When the server is gone, the log itself is watched. */
  watchCommands(run_id: string, listener: CommandListener): () => void {
    let isWatching = true;
    let unwatch = this.#watchServer(run_id, listener, async (delivered) => {
      if (!isWatching || this.#isClosed) return;
      const isNew = ({ command_id }: { command_id: string }) => !delivered.has(command_id);
      const log = await this.#openWhenPossible(() => isWatching && !this.#isClosed);
      if (!log || !isWatching) return;
      unwatch = log.watchCommands(run_id, (commands) => {
        const fresh = commands.filter(isNew);
        if (fresh.length > 0) listener(fresh);
      });
    });
    const end = (): void => {
      isWatching = false;
      unwatch();
      this.#unwatches.delete(end);
    };
    this.#unwatches.add(end);
    return end;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const unwatch of [...this.#unwatches]) unwatch();
    this.#connection.close();
    const log = await this.#local?.catch(() => undefined);
    await log?.close();
  }

  async #appendTape(run_id: string, lines: readonly TapeLine[]): Promise<void> {
    const idempotency_key = this.#newKey();
    await this.#ask({ do: "tape", run_id, lines, idempotency_key }, [idempotency_key], (log, wasSent) =>
      log.tapes.append(run_id, lines, wasSent ? { idempotency_key } : {}),
    );
  }

  async #writeRows(effects: readonly Effect[], key: string | undefined): Promise<void> {
    const idempotency_key = key ?? this.#newKey();
    const request = { do: "write", effects: packed(effects), idempotency_key } as const;
    await this.#ask(request, key === undefined ? [idempotency_key] : [], (log, wasSent) =>
      log.rows.write(effects, wasSent || key !== undefined ? { idempotency_key } : {}),
    );
  }

  /** Asks the server, or does the work in the local log when the server is gone. */
  async #ask<T>(
    request: Request,
    keys: readonly string[],
    locally: (log: Log, wasSent: boolean) => Promise<T>,
  ): Promise<T> {
    try {
      const answer = (await this.#connection.ask(request)) as T;
      this.#answeredKeys.push(...keys);
      return answer;
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
      return locally(await this.#openOnce(), error.wasSent);
    }
  }

  /** Tries again while the log cannot be opened, for example because another process has locked it. */
  async #openWhenPossible(isWanted: () => boolean): Promise<Log | undefined> {
    while (isWanted()) {
      try {
        return await this.#openOnce();
      } catch {
        await sleep(RETRY_MS, undefined, { ref: false });
      }
    }
    return undefined;
  }

  /** All callers that wait for the log to open continue in the order they came. */
  #openOnce(): Promise<Log> {
    if (this.#isClosed) throw new LogError("closed", "The log was closed.");
    this.#local ??= Promise.resolve()
      .then(this.#openLocal)
      .catch((error) => {
        // The next request tries again.
        this.#local = undefined;
        throw error;
      });
    return this.#local;
  }
}
