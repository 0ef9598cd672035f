/** Gets what foreign code threw; `culprit` is the function or object that it belongs to. */
export type OnThrow = (error: unknown, culprit: object) => void;

/** Calls foreign code. What it throws, and the rejection of a promise it returns, goes to `onThrow`. */
export function callSafely(onThrow: OnThrow, culprit: object, call: () => unknown): void {
  try {
    const result = call();
    if (isThenable(result)) result.then(undefined, (error: unknown) => onThrow(error, culprit));
  } catch (error) {
    onThrow(error, culprit);
  }
}

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
