import { instant } from "@spoor/protocol/write";

/** The parts of a value that keep their names. */
export interface Foreign {
  /** Fields whose values stay unchanged: payloads, inputs and outputs of tools. */
  verbatim?: readonly string[];
  /** Fields whose keys are data, such as names of models. */
  keyed?: readonly string[];
}

/** Converts a value of the library to the form that the command line prints: snake_case keys and RFC 3339 times. */
export function snakeCase(value: unknown, foreign: Foreign = {}): unknown {
  const { verbatim = [], keyed = [] } = foreign;
  const convert = (each: unknown, keepKeys: boolean): unknown => {
    if (Array.isArray(each)) return each.map((item) => convert(item, false));
    if (typeof each !== "object" || each === null) return each;
    return Object.fromEntries(
      Object.entries(each).map(([key, inner]) => {
        const name = keepKeys ? key : snakeName(key);
        if (verbatim.includes(key)) return [name, inner];
        if (typeof inner === "number" && isTime(name)) return [name, instant(inner)];
        return [name, convert(inner, keyed.includes(key))];
      }),
    );
  };
  return convert(value, false);
}

/** `supportsMCP` becomes `supports_mcp`, `checkedAt` becomes `checked_at`, `streamable-http` becomes `streamable_http`. */
const snakeName = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .replaceAll("-", "_")
    .toLowerCase();

const isTime = (name: string): boolean => name === "timestamp" || name === "at" || name.endsWith("_at");
