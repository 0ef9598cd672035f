/** An event of a run, as far as its order is concerned. */
export interface Placed {
  readonly type: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/**
 * Compares the events of a run with an expected order and returns what is wrong, or undefined. The order is a text of types
 * with spaces between them:
 *
 * - `run.queued`: exactly this event comes next
 * - `run.queued{resume}`, `approval.resolved{rejected,operator}`: its data has these values, or a field of this name is true
 * - `turn.started(2)`: its `turn_index` is 2
 * - `run.failed|run.cancelled`: one of them
 * - `user.message?`: it may be missing
 * - `approval.resolved*`: any number of them, also none
 * - `…`: any number of any events
 *
 * @example
 * orderProblem(envelopes, "run.created run.queued … run.finished task.updated");
 */
export function orderProblem(events: readonly Placed[], expected: string): string | undefined {
  const steps = expected.trim().split(/\s+/).map(stepOf);
  /** The events and steps that cannot be matched from there on. */
  const failed = new Set<string>();
  let furthest = { at: -1, step: 0 };

  function matches(at: number, step: number): boolean {
    if (step === steps.length) return at === events.length || fail(at, step);
    const key = `${at} ${step}`;
    if (failed.has(key)) return false;
    const { admits, min, max } = steps[step] as Step;
    const event = events[at];
    const isHere = event !== undefined && admits(event);
    const found = (min === 0 && matches(at, step + 1)) || (isHere && matches(at + 1, max > 1 ? step : step + 1));
    if (!found) failed.add(key);
    return found || fail(at, step);
  }

  function fail(at: number, step: number): false {
    if (step > furthest.step || (step === furthest.step && at > furthest.at)) furthest = { at, step };
    return false;
  }

  if (matches(0, 0)) return undefined;
  const { at, step } = furthest;
  const found = events[at] ? `${events[at].type} ${JSON.stringify(events[at].data ?? {})}` : "the end of the run";
  const before = events.slice(Math.max(0, at - 5), at).map(({ type }) => type);
  return `Event ${at} is ${found}, but ${steps[step]?.text ?? "the end of the run"} is expected. Before it: ${before.join(" ")}.`;
}

interface Step {
  readonly text: string;
  readonly min: 0 | 1;
  readonly max: number;
  admits(event: Placed): boolean;
}

function stepOf(text: string): Step {
  if (text === "…") return { text, min: 0, max: Number.POSITIVE_INFINITY, admits: () => true };
  const mark = text.at(-1);
  const isOptional = mark === "?" || mark === "*";
  const choices = (isOptional ? text.slice(0, -1) : text).split("|").map(choiceOf);
  return {
    text,
    min: isOptional ? 0 : 1,
    max: mark === "*" ? Number.POSITIVE_INFINITY : 1,
    admits: (event) => choices.some((admits) => admits(event)),
  };
}

function choiceOf(text: string): (event: Placed) => boolean {
  const [, type, values, turn] = /^([\w.]+)(?:\{([^}]*)\})?(?:\((\d+)\))?$/.exec(text) ?? [];
  if (type === undefined) throw new Error(`${JSON.stringify(text)} is not a step of an order.`);
  const wanted = values?.split(",") ?? [];
  return ({ type: found, data = {} }) =>
    found === type &&
    wanted.every((value) => data[value] === true || Object.values(data).some((held) => String(held) === value)) &&
    (turn === undefined || data.turn_index === Number(turn));
}
