import type { Effect } from "../../log/effects.ts";
import type { FactChanges } from "../../log/records.ts";
import type { Row } from "../../log/tables.ts";
import { commitEvents, type RunEvent } from "../commit.ts";
import { RunFactsFold } from "../projections/run-facts.ts";
import type { Redactor } from "../redaction/index.ts";
import type { Execution } from "./executor.ts";

/** How a run of ours ends: its status, and why if it failed. */
export interface RunEnd {
  status: "completed" | "failed" | "cancelled";
  code?: string;
  message?: string;
}

export const endOfRun = (status: RunEnd["status"], failure: { code?: string; message?: string } = {}): RunEnd => ({
  status,
  ...failure,
});

type CommandRow = Row<"commands">;

/** What an executor does about commands. It returns false if it cannot do it. */
export interface CommandHandlers {
  cancel(): void;
  pause?(): Promise<boolean>;
  unpause?(): Promise<boolean>;
}

/** A run that this process performs without an agent: writes its events and receives its commands. */
export interface OwnRun {
  readonly isLost: boolean;
  /** Appends events in one commit, and acknowledges the commands that they tell of by their `command_id`. */
  commit(events: readonly RunEvent[], facts?: FactChanges, effects?: readonly Effect[]): Promise<void>;
  /** Writes the last events, the terminal one and `task.updated` in one commit. */
  end(events: readonly RunEvent[], end: RunEnd, effects?: readonly Effect[]): Promise<void>;
  /** Passes commands on until the returned function is called. */
  listen(handlers: CommandHandlers): () => void;
  /** Who asked for what is being done, and why: the data of the event that answers the command. */
  told(kind: string): Record<string, unknown>;
}

/** `afterCall` is told when the end of the run's call is stored, and returns the events that tell what followed. */
export function openOwnRun(
  { log, claim, signal }: Execution,
  redactor: Redactor,
  afterCall?: () => Promise<RunEvent[]> | undefined,
): OwnRun {
  const { run, epoch } = claim;
  const startedAt = Date.now();
  const fold = new RunFactsFold(run);
  /** Commands that were taken and whose event is not written yet. */
  const taken = new Map<string, CommandRow>();
  const known = new Set<string>();
  let writing: Promise<unknown> = Promise.resolve();

  const isLost = (): boolean => signal.aborted && signal.reason === "lost";

  /** One commit after the other, so that events keep their order. */
  function commit(
    events: readonly RunEvent[],
    facts: FactChanges = {},
    effects: readonly Effect[] = [],
  ): Promise<void> {
    const next = writing.then(async () => {
      if (isLost()) return;
      const at = Date.now();
      const ended = facts.ended_at === undefined ? {} : { ended_at: at };
      const all = [...effects, ...acknowledgements(events)];
      await commitEvents(log, { run, epoch, at, events, facts: { ...facts, ...ended }, effects: all, redactor, fold });
    });
    writing = next.catch(() => {});
    return next;
  }

  /** A command whose event is written is done, in the same commit: a crash leaves both or none. */
  const acknowledgements = (events: readonly RunEvent[]): Effect[] =>
    events.flatMap(([, { command_id }]) => {
      const command = taken.get(String(command_id));
      return command ? [answered(command, "done")] : [];
    });

  const told = (kind: string): Record<string, unknown> => {
    const command = [...taken.values()].find((each) => each.kind === kind);
    if (!command) return {};
    const { reason } = bodyOf(command);
    return {
      command_id: command.command_id,
      ...(command.by !== null && { by: command.by }),
      ...(typeof reason === "string" && { reason }),
    };
  };

  const answered = (command: CommandRow, outcome: "done" | "refused", detail?: string): Effect<"commands"> => {
    taken.delete(command.command_id);
    return {
      do: "update",
      table: "commands",
      key: command.command_id,
      when: { done_at: null },
      set: { done_at: Date.now(), outcome, ...(detail !== undefined && { detail }) },
    };
  };

  async function end(
    events: readonly RunEvent[],
    { status, code, message }: RunEnd,
    effects: readonly Effect[] = [],
  ): Promise<void> {
    if (afterCall) {
      await commit(events, {}, effects);
      await finish((await afterCall()) ?? [], { status, code, message }, []);
    } else await finish(events, { status, code, message }, effects);
  }

  async function finish(
    events: readonly RunEvent[],
    { status, code, message }: { [K in keyof RunEnd]: RunEnd[K] | undefined } & Pick<RunEnd, "status">,
    effects: readonly Effect[],
  ): Promise<void> {
    const at = Date.now();
    const cancel = told("cancel");
    const totals = { duration_ms: Math.max(0, at - startedAt) };
    const data = {
      completed: { final_status: "completed", status: "completed", error: "", ...totals },
      failed: { code, message, error: message, status: "failed", retriable: false, ...totals },
      cancelled: {
        reason: cancel.reason ?? message ?? "",
        ...(cancel.by !== undefined && { by: cancel.by }),
        ...totals,
      },
    }[status];
    const cause: RunEvent[] = status === "cancelled" ? [["run.aborted", cancel]] : [];
    // The cause of the end is a part of the session, if there is one.
    const session = events.findIndex(([type]) => type === "session.ended");
    const before = session === -1 ? events.length : session;
    const acknowledged = [...taken.values()].map((command) =>
      command.kind === "cancel" && status === "cancelled"
        ? answered(command, "done")
        : answered(command, "refused", "The run is over."),
    );
    await commit(
      [
        ...events.slice(0, before),
        ...cause,
        ...events.slice(before),
        [terminalTypes[status], data],
        ["task.updated", { status }],
      ],
      { status, ended_at: at, cancelling: null, paused: null, ...(code !== undefined && { error_code: code }) },
      [...effects, ...acknowledged],
    );
  }

  function listen(handlers: CommandHandlers): () => void {
    const take = async (command: CommandRow): Promise<void> => {
      known.add(command.command_id);
      taken.set(command.command_id, command);
      if (command.kind === "cancel") return handlers.cancel();
      const act = command.kind === "pause" || command.kind === "unpause" ? handlers[command.kind] : undefined;
      const isDone = (await act?.()) ?? false;
      // Its event has acknowledged it.
      if (isDone && !taken.has(command.command_id)) return;
      const detail = isDone ? undefined : `A run of kind ${run.kind} does not take the command ${command.kind}.`;
      await commit([], {}, [answered(command, isDone ? "done" : "refused", detail)]);
    };
    return log.watchCommands(run.run_id, (commands) => {
      for (const command of commands) if (!known.has(command.command_id)) void take(command).catch(() => {});
    });
  }

  return {
    get isLost() {
      return isLost();
    },
    commit,
    end,
    listen,
    told,
  };
}

const terminalTypes = { completed: "run.finished", failed: "run.failed", cancelled: "run.cancelled" } as const;

function bodyOf({ body }: CommandRow): Record<string, unknown> {
  return body === null ? {} : (JSON.parse(body) as Record<string, unknown>);
}
