/** JSON has no bytes, so producers and servers send those of a row as `{"base64": …}`. */
export function packed<T>(value: T): T {
  return mapped(value, (each) =>
    each instanceof Uint8Array ? { base64: Buffer.from(each).toString("base64") } : each,
  );
}

/** Undoes `packed`. No other value of a row is an object, so nothing else can be meant. */
export function unpacked<T>(value: T): T {
  return mapped(value, (each) => (isPacked(each) ? new Uint8Array(Buffer.from(each.base64, "base64")) : each));
}

export const isPacked = (value: unknown): value is { base64: string } =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as { base64?: unknown }).base64 === "string" &&
  Object.keys(value).length === 1;

function mapped<T>(value: T, change: (value: unknown) => unknown): T {
  const changed = change(value);
  if (changed !== value || typeof value !== "object" || value === null || value instanceof Uint8Array)
    return changed as T;
  if (Array.isArray(value)) return value.map((each) => mapped(each, change)) as T;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, mapped(each, change)])) as T;
}
