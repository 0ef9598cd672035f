import { SpoorError } from "../../failures/errors.ts";
import { LogError } from "../../log/errors.ts";
import type { Row } from "../../log/tables.ts";
import type { RunControl, UserInput } from "../../run/observer.ts";
import { endOfCommand, type TakenCommand } from "../recorder/acknowledgements.ts";
import type { Recorder } from "../recorder/recorder.ts";
import type { RecorderLog } from "../recorder/recorder-log.ts";
import { type CommandErrorCode, refusalText } from "./command-error.ts";

export interface ReceiverHost {
  log: Pick<RecorderLog, "watchCommands" | "rows">;
  recorder: Recorder;
  control: RunControl;
  /** The run of the agent itself that is being executed now; commands to runs of its subagents can only be answers. */
  mainRun(): string;
  /** Called when a command is carried out. */
  onTaken?(command: Row<"commands">, body: CommandBody): void;
}

type Command = Row<"commands">;
/** What a command says. */
export type CommandBody = {
  approval_id?: string;
  comment?: string;
  reason?: string;
  text?: string;
  interaction_id?: string;
  /** Nobody answered in time. */
  timed_out?: boolean;
  /** Nobody answered in time, and the run is cancelled then. */
  cancel_run?: true;
};

/** The executor's side of commands: carries out each command of its runs once, and ends it with the event it causes. */
export class CommandReceiver {
  readonly #host: ReceiverHost;
  readonly #unwatches = new Map<string, () => void>();
  readonly #taken = new Set<string>();
  /** Commands that give the agent a text, until the event of that text is written. */
  readonly #answering = new Map<string, TakenCommand>();
  #sending: TakenCommand | undefined;

  constructor(host: ReceiverHost) {
    this.#host = host;
  }

  /** Receives the commands of a run from now on. */
  watch(run_id: string): void {
    if (this.#unwatches.has(run_id)) return;
    const unwatch = this.#host.log.watchCommands(run_id, (commands) => {
      for (const command of commands) this.take(command);
    });
    this.#unwatches.set(run_id, unwatch);
  }

  /** Carries out the commands of a run that are stored and that no watch has told of yet. */
  async takeStored(run_id: string): Promise<void> {
    const { rows } = await this.#host.log.rows.list("commands", { where: { run_id, done_at: null } });
    for (const command of rows) this.take(command);
  }

  /** Carries out a command, unless that has happened already. */
  take(command: Command): void {
    const { command_id, run_id, kind } = command;
    if (this.#taken.has(command_id) || command.done_at !== null) return;
    this.#taken.add(command_id);
    try {
      const act = acts[kind];
      if (!act) throw new Refusal("not_supported", `This version of Spoor does not know the command ${kind}.`);
      const main = this.#host.mainRun();
      if (run_id !== main && !isAnswer.has(kind)) {
        throw new Refusal("not_supported", `${run_id} is a part of ${main}: send the command to that run.`);
      }
      const body = command.body === null ? {} : (JSON.parse(command.body) as CommandBody);
      act(this, this.#host, command, body);
      this.#host.onTaken?.(command, body);
    } catch (error) {
      const detail = refusalText(codeOf(error, kind), (error as Error).message);
      this.#host.recorder.write(run_id, (writer) => {
        writer.forget(command_id);
        writer.endCommand(command_id, "refused", detail);
      });
    }
  }

  /** The command that a user's text comes from. */
  commandOf({ via, interactionId = "" }: UserInput): TakenCommand | undefined {
    return via === "answer" ? this.#answering.get(interactionId) : this.#sending;
  }

  answerFrom(command: TakenCommand, interactionId: string, text: string): void {
    this.#answering.set(interactionId, command);
    try {
      this.#host.control.answer(interactionId, text);
    } catch (error) {
      this.#answering.delete(interactionId);
      throw error;
    }
  }

  sendFrom(command: TakenCommand, text: string): void {
    this.#sending = command;
    try {
      this.#host.control.send(text);
    } finally {
      this.#sending = undefined;
    }
  }

  /** Receives nothing more. Whoever takes the run up next gets the commands that nobody carried out. */
  leave(): void {
    for (const unwatch of this.#unwatches.values()) unwatch();
    this.#unwatches.clear();
  }

  /** Receives nothing more, and refuses what nobody carried out. Call it when everything of the runs is written. */
  async close(): Promise<void> {
    const { rows } = this.#host.log;
    for (const [run_id, unwatch] of this.#unwatches) {
      unwatch();
      const open = await rows.list("commands", { where: { run_id, done_at: null } });
      for (const { command_id } of open.rows) {
        const end = endOfCommand(command_id, "refused", refusalText("run_over", "The run ended first."));
        await rows.write([end]).catch(ignoreConflict);
      }
    }
    this.#unwatches.clear();
  }
}

type Act = (receiver: CommandReceiver, host: ReceiverHost, command: Command, body: CommandBody) => void;

const decide =
  (granted: boolean): Act =>
  (_, { recorder, control, mainRun }, command, { approval_id = "", comment, timed_out = false, cancel_run }) => {
    const { run_id, command_id, by } = command;
    recorder.write(run_id, (writer) => {
      writer.decided(approval_id);
      writer.endCommand(command_id, "done");
    });
    const reason = comment ?? `${by ?? "Somebody"} refused it.`;
    if (!cancel_run) {
      control.deliver(approval_id, granted ? { granted } : { granted, text: reason }, timed_out);
      return;
    }
    recorder.write(mainRun(), (writer) => writer.expect("run.aborted", { command_id, by, reason }));
    control.abort();
  };

/** A command whose effect is an event of the run itself. */
const cause =
  (type: string, act: (control: RunControl) => void): Act =>
  (_, { recorder, control }, command, { reason }) => {
    recorder.write(command.run_id, (writer) => writer.expect(type, { ...command, reason }));
    act(control);
  };

const acts: Readonly<Record<string, Act>> = {
  approve: decide(true),
  deny: decide(false),
  answer: (receiver, _, command, { interaction_id = "", text = "" }) =>
    receiver.answerFrom(command, interaction_id, text),
  send: (receiver, _, command, { text = "" }) => receiver.sendFrom(command, text),
  interrupt: cause("run.interrupted", (control) => control.interrupt()),
  cancel: cause("run.aborted", (control) => control.abort()),
  pause: cause("run.paused", (control) => control.pause()),
  unpause: cause("run.unpaused", (control) => control.unpause()),
};

const isAnswer: ReadonlySet<string> = new Set(["approve", "deny", "answer"]);

class Refusal extends Error {
  readonly code: CommandErrorCode;

  constructor(code: CommandErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

function codeOf(error: unknown, kind: string): CommandErrorCode {
  if (error instanceof Refusal) return error.code;
  const code = error instanceof SpoorError ? error.code : undefined;
  if (code === "INVALID_STATE_TRANSITION")
    return kind === "pause" ? "paused" : kind === "unpause" ? "not_paused" : "run_over";
  if (code === "RUN_NOT_ACTIVE") return "run_over";
  if (code === "INTERACTION_NOT_FOUND") return "not_pending";
  return "not_supported";
}

function ignoreConflict(error: unknown): void {
  if (!(error instanceof LogError) || error.code !== "conflict") throw error;
}
