/** Told about a failure of somebody else's code; `culprit` is the function or object that failed. */
export type OnThrow = (error: unknown, culprit: object) => void;

/** Calls somebody else's code. What it throws, at once or by a promise that rejects, goes to `onThrow`. */
export function guarded(onThrow: OnThrow, culprit: object, call: () => unknown): void {
  try {
    const result = call();
    if (isThenable(result)) result.then(undefined, (error: unknown) => onThrow(error, culprit));
  } catch (error) {
    onThrow(error, culprit);
  }
}

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
