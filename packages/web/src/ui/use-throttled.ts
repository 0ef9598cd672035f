import { useEffect, useRef, useState } from "react";

/** The newest of a value that changes often, renewed at most once in `everyMs`. A value that is complete is shown at once. */
export function useThrottled<Value>(value: Value, everyMs: number, isComplete = false): Value {
  const [shown, show] = useState(value);
  const newest = useRef(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    newest.current = value;
    if (timer.current !== undefined || Object.is(value, shown)) return;
    timer.current = setTimeout(() => {
      timer.current = undefined;
      show(newest.current);
    }, everyMs);
  }, [value, shown, everyMs]);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );
  return isComplete ? value : shown;
}
