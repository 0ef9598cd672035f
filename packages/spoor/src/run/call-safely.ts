/** Receives an error that foreign code threw; `culprit` is the function or object that threw it. */
export type OnThrow = (error: unknown, culprit: object) => void;

/** Calls foreign code. Errors that it throws, and rejections of a promise it returns, go to `onThrow`. */
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
