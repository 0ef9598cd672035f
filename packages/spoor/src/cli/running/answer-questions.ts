import { setImmediate } from "node:timers/promises";
import type { AnswerOutcome, PendingInteraction } from "../../run/interaction-channel.ts";
import type { Run } from "../../run/run.ts";
import type { Io } from "../io.ts";
import { askDecision, askText, type Desk, ENDED } from "./ask.ts";
import { dropTyped } from "./drop-typed.ts";
import { nobodyThere } from "./nobody-there.ts";
import type { QuestionFacts } from "./question-facts.ts";
import { showEvidence, showQuestion } from "./question-text.ts";

export interface QuestionOptions {
  /** Where a person is asked. */
  desk: Desk;
  /** The flag that makes the output machine-readable, if it is set. Then nobody is asked, even at a terminal. */
  machineFlag?: string;
  /** Awaited before a question is shown, so that everything on the screen is in the log. */
  durable?(): Promise<void>;
  /** Whether somebody can answer through a server. Then questions wait although nobody is at the terminal. */
  hasServer?: boolean;
  /** What the log knows of a question. */
  factsOf?(id: string): Promise<QuestionFacts | undefined>;
}

export interface Questions {
  /** How many questions were refused because nobody could be asked. */
  readonly refused: number;
  /** Why nobody can be asked, and what to do about it; undefined if a person is asked. */
  readonly nobody: string | undefined;
  /** Whether the person at this terminal answered a question. */
  isAnswered(id: string): boolean;
}

/**
 * Asks the person at the terminal the questions of the agent. If nobody can be asked, questions are refused, so that the run
 * does not hang. A question that has been answered already, by the agent's own rules or by another client, is not asked.
 */
export function answerQuestions(handle: Run, io: Io, options: QuestionOptions): Questions {
  const { machineFlag, durable, hasServer = false } = options;
  const unasked = whyNobody(io, machineFlag);
  const nobody = hasServer ? undefined : unasked;
  const answered = new Set<string>();
  let refused = 0;
  let turn = Promise.resolve();
  handle.interaction.onPending((interaction) => {
    if (unasked === undefined) {
      turn = turn.then(async () => {
        await durable?.();
        if (await askPerson(handle, interaction, options, io)) answered.add(interaction.id);
      });
      return;
    }
    if (nobody === undefined) {
      if (machineFlag === undefined) void tellWaiting(interaction, options);
      return;
    }
    // Wait until the event has been delivered and the agent's driver has had the chance to answer.
    queueMicrotask(() => {
      if (!isPending(handle, interaction)) return;
      refused += 1;
      const what = `${interaction.description} ${interaction.detail}`.split("\n", 1)[0] ?? "";
      if (machineFlag === undefined) {
        options.desk.screen.paragraph(`▲ refused, because nobody can be asked: ${what}`);
        // So the refusal itself is not shown a second time.
        answered.add(interaction.id);
      }
      void handle.interaction.respond(interaction.id, { deny: true, reason: nobody }, "headless");
    });
  });
  return {
    nobody,
    get refused() {
      return refused;
    },
    isAnswered: (id) => answered.has(id),
  };
}

/** Nobody is at the terminal, so the output says how to answer. */
async function tellWaiting({ id, type, runId }: PendingInteraction, { durable, desk }: QuestionOptions): Promise<void> {
  await durable?.();
  const how = type === "approval" ? `spoor approve ${id}\` or \`spoor deny ${id}` : `spoor answer ${runId} "…"`;
  desk.display.write("stderr", `The run waits for an answer: \`${how}\`.\n`);
}

function whyNobody(io: Io, machineFlag: string | undefined): string | undefined {
  const why = machineFlag === undefined ? nobodyThere(io) : `${machineFlag} prints for programs`;
  if (why === undefined) return undefined;
  return `Nobody can be asked: ${why}. --approve auto allows actions without asking.`;
}

const isPending = (handle: Run, { id }: PendingInteraction): boolean =>
  handle.interaction.pending.some((pending) => pending.id === id);

/** Asks a person. Returns whether the person answered. */
async function askPerson(
  handle: Run,
  interaction: PendingInteraction,
  { desk, factsOf }: QuestionOptions,
  io: Io,
): Promise<boolean> {
  // Text before the question is written in the next turn of the event loop.
  await setImmediate();
  await setImmediate();
  const facts = await factsOf?.(interaction.id).catch(() => undefined);
  if (!desk.keyboard.isRaw) await dropTyped(io.stdin);
  if (!isPending(handle, interaction)) return false;
  const over = new AbortController();
  void handle.interaction.settled(interaction.id).then(() => over.abort());
  const onInterrupt = () => over.abort("interrupted");
  process.on("SIGINT", onInterrupt);
  try {
    showQuestion(desk.screen, interaction, facts);
    const outcome = await ask(handle, interaction, desk, over.signal);
    if (outcome && !outcome.won) desk.screen.line([lostText(outcome)]);
    return outcome !== undefined;
  } finally {
    process.off("SIGINT", onInterrupt);
  }
}

/** Resolves to undefined if somebody else answered. */
async function ask(
  handle: Run,
  interaction: PendingInteraction,
  desk: Desk,
  signal: AbortSignal,
): Promise<AnswerOutcome | undefined> {
  const { id } = interaction;
  const showTrail = () => {
    desk.showTrail?.();
    showEvidence(desk.screen, interaction, Number.POSITIVE_INFINITY);
  };
  const given =
    interaction.type === "input" ? await askText(desk, signal) : await askDecision({ ...desk, showTrail }, signal);
  if (given === undefined || !isPending(handle, interaction)) return undefined;
  // The input has ended, so the question would never be answered.
  if (given === ENDED) return handle.deny(id, "The input ended without an answer.");
  if (typeof given === "string") return handle.interaction.respond(id, { text: given });
  return "approve" in given ? handle.approve(id) : handle.deny(id, given.reason ?? "The user said no.");
}

/** What a person reads whose answer came too late. */
const lostText = ({ decision, by }: AnswerOutcome): string =>
  `Your answer came too late: it was ${decision}${by === undefined ? "" : ` by ${by}`}.`;
