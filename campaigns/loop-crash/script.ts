import type { Block } from "../../conformance/model-server/script.ts";
import { type Hold, type LoopCell, plans, rowOf, type StepName } from "./matrix.ts";
import type { Asked, AskedCall } from "./wire.ts";

/** What the model reads about a call that a process began and did not end. */
export const INTERRUPTED = "Interrupted; it may or may not have happened.";
/** What it reads about a call that nobody began. */
export const NOT_BEGUN = "Interrupted before it began.";

export const PROMPT = "Do all steps.";

/** The calls of steps. A call leaves its line, then waits at its gate, which is usually open. */
const calls: Readonly<Record<StepName, (asked: Asked) => { name: string; input: Record<string, unknown> }>> = {
  first: () => command("first"),
  second: () => command("second"),
  last: () => command("last"),
  inner: () => command("inner"),
  // So much that the conversation does not fit any more.
  long: () => command("long", "; seq 1 9000"),
  // Every subagent gets a prompt of its own.
  child: ({ calls: before }) => ({
    name: "subagent",
    input: { name: "helper", prompt: `The child of ${before.length} calls does its step.` },
  }),
  noted: () => ({ name: "mcp__notes__note", input: { line: "noted" } }),
};

const command = (step: StepName, more = "") => ({
  name: "shell_exec",
  input: {
    command: `echo ${step} >> effects; touch gates/at-${step}; until [ -e gates/go-${step} ]; do sleep 0.02; done${more}`,
  },
});

/** The step that a call is for. */
export function stepOf({ input }: Pick<AskedCall, "input">): StepName | undefined {
  if (input.includes("The child of")) return "child";
  return /echo (\w+) >>|"line":"(\w+)"/.exec(input)?.slice(1).find(Boolean) as StepName | undefined;
}

/** Whether this is a request for a subagent. */
const isInner = ({ said }: Asked): boolean => said[0]?.startsWith("The child of") === true;

/** Steps that are done, or that may have been done. A step that nobody began is still to be done. */
function doneIn({ calls: before, said }: Asked): Set<string> {
  const summed = said.flatMap((text) => /Done: ([\w ]*)\./.exec(text)?.[1]?.split(" ") ?? []);
  const told = before.filter(({ result }) => result !== undefined && !result.startsWith(NOT_BEGUN));
  return new Set([...summed, ...told.map((call) => stepOf(call) ?? "")]);
}

/** What the model would propose now: the steps of one turn that are not done. */
function openSteps(asked: Asked, { phase }: LoopCell): readonly StepName[] {
  const done = doneIn(asked);
  const turns: readonly (readonly StepName[])[] = isInner(asked)
    ? [["inner"]]
    : plans[rowOf(phase).steps ?? "commands"];
  return turns.map((turn) => turn.filter((step) => !done.has(step))).find((turn) => turn.length > 0) ?? [];
}

/** Where the run stands with this request. */
export function pointOf(asked: Asked, cell: LoopCell): Hold["point"] | undefined {
  if (asked.isSummary) return "summary";
  const [step = "end"] = openSteps(asked, cell);
  return step === "first" || step === "second" || step === "end" || step === "inner" ? step : undefined;
}

/** What the model says and calls. It keeps no state, so it does not matter which process asks it. */
export function answerTo(asked: Asked, cell: LoopCell): Block[] {
  if (asked.isSummary) return [{ type: "text", text: `Done: ${[...doneIn(asked)].join(" ")}.` }];
  const steps = openSteps(asked, cell);
  if (steps.length === 0) return [{ type: "text", text: "Everything is done.", deltas: 3 }];
  return [
    { type: "thinking", text: `Now ${steps.join(" and ")}.`, deltas: 2 },
    { type: "text", text: `I do ${steps.join(" and ")}.`, deltas: 4 },
    ...steps.map((step) => ({ type: "tool" as const, deltas: 3, ...calls[step](asked) })),
  ];
}
