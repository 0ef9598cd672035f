import type { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import type { ReadStream } from "node:tty";
import type { AnswerOutcome, PendingInteraction } from "../../run/interaction-channel.ts";
import type { Run } from "../../run/run.ts";
import type { Io } from "../io.ts";
import { terminalSafe } from "../output/terminal-safe.ts";
import { dropTyped } from "./drop-typed.ts";
import { questionText } from "./question-text.ts";

export interface QuestionOptions {
  /** The flag that makes the output machine-readable, if it is set. Then nobody is asked, even at a terminal. */
  machineFlag?: string;
  /** Awaited before a question is shown, so that everything on the screen is in the log. */
  durable?(): Promise<void>;
  /** Whether somebody can answer through a server. Then questions wait although nobody is at the terminal. */
  hasServer?: boolean;
}

export interface Questions {
  /** How many questions were refused because nobody could be asked. */
  readonly refused: number;
  /** Why nobody can be asked, and what to do about it; undefined if a person is asked. */
  readonly nobody: string | undefined;
}

/**
 * Asks the person at the terminal the questions of the agent. If nobody can be asked, questions are refused, so that the run
 * does not hang. A question that has been answered already, by the agent's own rules or by another client, is not asked.
 */
export function answerQuestions(handle: Run, io: Io, options: QuestionOptions): Questions {
  const { machineFlag, durable, hasServer = false } = options;
  const unasked = whyNobody(io, machineFlag);
  const nobody = hasServer ? undefined : unasked;
  let refused = 0;
  let turn = Promise.resolve();
  handle.interaction.onPending((interaction) => {
    if (unasked === undefined) {
      turn = turn.then(async () => {
        await durable?.();
        await askPerson(handle, interaction, io);
      });
      return;
    }
    if (nobody === undefined) {
      if (machineFlag === undefined) void tellWaiting(interaction, io, durable);
      return;
    }
    // Wait until the event has been delivered and the agent's driver has had the chance to answer.
    queueMicrotask(() => {
      if (!isPending(handle, interaction)) return;
      refused += 1;
      void handle.interaction.respond(interaction.id, { deny: true, reason: nobody }, "headless");
    });
  });
  return {
    nobody,
    get refused() {
      return refused;
    },
  };
}

/** Nobody is at the terminal, so the output says how to answer. */
async function tellWaiting(
  { id, type, runId }: PendingInteraction,
  io: Io,
  durable?: () => Promise<void>,
): Promise<void> {
  await durable?.();
  const how = type === "approval" ? `spoor approve ${id}\` or \`spoor deny ${id}` : `spoor answer ${runId} "…"`;
  io.stderr.write(`The run waits for an answer: \`${how}\`.\n`);
}

function whyNobody(io: Io, machineFlag: string | undefined): string | undefined {
  const isTerminal = (io.stdin as { isTTY?: boolean }).isTTY === true;
  if (isTerminal && machineFlag === undefined) return undefined;
  const why = machineFlag === undefined ? "standard input is not a terminal" : `${machineFlag} prints for programs`;
  return `Nobody can be asked: ${why}. --approve auto allows actions without asking.`;
}

const isPending = (handle: Run, { id }: PendingInteraction): boolean =>
  handle.interaction.pending.some((pending) => pending.id === id);

async function askPerson(handle: Run, interaction: PendingInteraction, io: Io): Promise<void> {
  const { createInterface } = await import("node:readline/promises");
  // Text before the question is written in the next turn of the event loop.
  await setImmediate();
  await setImmediate();
  surviveClosedTerminal(io.stdin);
  await dropTyped(io.stdin);
  if (!isPending(handle, interaction)) return;
  const terminal = createInterface({ input: io.stdin, output: io.stderr });
  const over = new AbortController();
  if (io.stdin.readableEnded) over.abort();
  let isInterrupted = false;
  // While readline waits for a line it catches Ctrl-C. The run must get it.
  terminal.on("SIGINT", () => {
    isInterrupted = true;
    over.abort();
    process.kill(process.pid, "SIGINT");
  });
  terminal.on("close", () => over.abort());
  void handle.interaction.settled(interaction.id).then(() => over.abort());
  let prompt = questionText(interaction);
  let given: Promise<AnswerOutcome> | undefined;
  while (isPending(handle, interaction) && !over.signal.aborted) {
    const answer = await terminal.question(prompt, { signal: over.signal }).catch(() => undefined);
    if (answer === undefined || !isPending(handle, interaction)) break;
    if (interaction.type === "input") given = handle.interaction.respond(interaction.id, { text: answer });
    else if (isYes.test(answer.trim())) given = handle.approve(interaction.id);
    else if (isNo.test(answer.trim())) given = handle.deny(interaction.id, "The user said no.");
    else prompt = "Please answer y (yes) or n (no): ";
  }
  terminal.close();
  // The input has ended, so the question would never be answered.
  if (!isInterrupted && isPending(handle, interaction))
    given = handle.deny(interaction.id, "The input ended without an answer.");
  const outcome = await given;
  if (outcome && !outcome.won) io.stderr.write(`${terminalSafe(lostText(outcome))}\n`);
}

/** What a person reads whose answer came too late. */
const lostText = ({ decision, by }: AnswerOutcome): string =>
  `Your answer came too late: it was ${decision}${by === undefined ? "" : ` by ${by}`}.`;

/**
 * When the window of a terminal is closed, leaving raw mode fails, and `readline` would let that error end the process. The
 * end of the run must still be recorded, so the error is ignored; the SIGHUP that comes with it ends the run.
 */
function surviveClosedTerminal(stdin: Readable & Partial<Pick<ReadStream, "setRawMode">>): void {
  const { setRawMode } = stdin;
  if (!setRawMode || Object.hasOwn(stdin, "setRawMode")) return;
  stdin.on("error", () => {});
  stdin.setRawMode = function (this: ReadStream, isRaw) {
    try {
      return setRawMode.call(this, isRaw);
    } catch {
      return this;
    }
  };
}

const isYes = /^y(es)?$/i;
/** An empty answer means no, the default that the prompt shows. */
const isNo = /^(no?)?$/i;
