/** A moment of a run: `2:56`, `1:02:56`, and as fine as `step` milliseconds: `0:00.150`. */
export function momentLabel(time: number, step: number = SECOND): string {
  const ms = Math.max(0, Math.floor(time));
  const two = (value: number) => String(value).padStart(2, "0");
  const [hours, minutes] = [Math.floor(ms / HOUR), Math.floor((ms % HOUR) / MINUTE)];
  const digits = step >= SECOND ? 0 : step >= 100 ? 1 : step >= 10 ? 2 : 3;
  const fine =
    digits === 0
      ? ""
      : `.${String(ms % SECOND)
          .padStart(3, "0")
          .slice(0, digits)}`;
  const clock = `${two(Math.floor((ms % MINUTE) / SECOND))}${fine}`;
  return hours > 0 ? `${hours}:${two(minutes)}:${clock}` : `${minutes}:${clock}`;
}

/** Where the head of a replay is. In a short run its tenths matter. */
export const headLabel = (head: number, whole: number): string => momentLabel(head, whole < 10 * SECOND ? 100 : SECOND);

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
