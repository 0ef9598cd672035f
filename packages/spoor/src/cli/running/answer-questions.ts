import type { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import type { ReadStream } from "node:tty";
import type { PendingInteraction } from "../../run/interaction-channel.ts";
import type { Run } from "../../run/run.ts";
import type { Io } from "../io.ts";
import { questionText } from "./question-text.ts";

export interface QuestionOptions {
  /** The flag that gives the output to a program: nobody is asked then, whatever standard input is. */
  machineFlag?: string;
  /** Awaited before a question is shown: what a person sees survives. */
  durable?(): Promise<void>;
}

export interface Questions {
  /** How many questions were refused because nobody could be asked. */
  readonly refused: number;
  /** Why nobody can be asked, and what to do about it; undefined where a person is asked. */
  readonly nobody: string | undefined;
}

/**
 * Asks the person at the terminal what the agent asks. Where nobody can be asked, questions are refused, so that nothing
 * hangs. A question that was answered already, by the agent's own rules or by somebody else, is not asked.
 */
export function answerQuestions(handle: Run, io: Io, { machineFlag, durable }: QuestionOptions): Questions {
  const nobody = whyNobody(io, machineFlag);
  let refused = 0;
  let turn = Promise.resolve();
  handle.interaction.onPending((interaction) => {
    if (nobody === undefined) {
      turn = turn.then(async () => {
        await durable?.();
        await askPerson(handle, interaction, io);
      });
      return;
    }
    // Answered once the event itself is out, and what the agent's driver answers at once is answered.
    queueMicrotask(() => {
      if (!isPending(handle, interaction)) return;
      refused += 1;
      handle.interaction.respond(interaction.id, { deny: true, reason: nobody });
    });
  });
  return {
    nobody,
    get refused() {
      return refused;
    },
  };
}

function whyNobody(io: Io, machineFlag: string | undefined): string | undefined {
  const isTerminal = (io.stdin as { isTTY?: boolean }).isTTY === true;
  if (isTerminal && machineFlag === undefined) return undefined;
  const why = machineFlag === undefined ? "standard input is no terminal" : `${machineFlag} is for programs`;
  return `Nobody can be asked: ${why}. --approve auto allows it without asking.`;
}

const isPending = (handle: Run, { id }: PendingInteraction): boolean =>
  handle.interaction.pending.some((pending) => pending.id === id);

async function askPerson(handle: Run, interaction: PendingInteraction, io: Io): Promise<void> {
  const { createInterface } = await import("node:readline/promises");
  // What was said before the question is on its way until the next turn of the event loop.
  await setImmediate();
  await setImmediate();
  if (!isPending(handle, interaction)) return;
  outliveTerminal(io.stdin);
  const terminal = createInterface({ input: io.stdin, output: io.stderr });
  const over = new AbortController();
  let isInterrupted = false;
  // Waiting for a line, the terminal takes Ctrl-C for itself; it is meant for the run.
  terminal.on("SIGINT", () => {
    isInterrupted = true;
    over.abort();
    process.kill(process.pid, "SIGINT");
  });
  terminal.on("close", () => over.abort());
  void handle.interaction.settled(interaction.id).then(() => over.abort());
  let prompt = questionText(interaction);
  while (isPending(handle, interaction) && !over.signal.aborted) {
    const answer = await terminal.question(prompt, { signal: over.signal }).catch(() => undefined);
    if (answer === undefined || !isPending(handle, interaction)) break;
    if (interaction.type === "input") handle.interaction.respond(interaction.id, { text: answer });
    else if (isYes.test(answer.trim())) handle.approve(interaction.id);
    else if (isNo.test(answer.trim())) handle.deny(interaction.id, "The user said no.");
    else prompt = "Please answer y (yes) or n (no): ";
  }
  terminal.close();
  // Nobody types any more: a question without an answer would wait without end.
  if (!isInterrupted && isPending(handle, interaction))
    handle.deny(interaction.id, "The input ended without an answer.");
}

/**
 * A terminal whose window was closed refuses to leave raw mode, and `readline` lets that end the process. The run has an
 * end to record: the signal that comes with the closing ends it.
 */
function outliveTerminal(stdin: Readable & Partial<Pick<ReadStream, "setRawMode">>): void {
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
/** Nothing at all is the answer that the prompt shows as the usual one. */
const isNo = /^(no?)?$/i;
