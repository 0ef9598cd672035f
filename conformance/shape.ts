/** The kind of a frame, from the fields that dialects use to distinguish kinds, and the fields that it has. */
export interface Shape {
  kind: string;
  fields: string[];
}

export function shapeOf(frame: unknown): Shape | undefined {
  if (!isObject(frame)) return undefined;
  const words = KINDS.map((path) => at(frame, path)).filter((word) => typeof word === "string");
  // A response to our request has no name of its own.
  const kind = words.length > 0 ? words.join(" ") : "result" in frame ? "answer" : "error" in frame ? "error" : "other";
  return { kind, fields: [...new Set(fieldsOf(frame, "", 0))].sort() };
}

/** Where dialects name the kind of a frame, the outermost first. */
const KINDS = [
  ["type"],
  ["subtype"],
  ["method"],
  ["command"],
  ["event", "type"],
  ["event", "delta", "type"],
  ["event", "content_block", "type"],
  ["item", "type"],
  ["params", "item", "type"],
  ["params", "event", "type"],
  ["params", "update", "sessionUpdate"],
  ["assistantMessageEvent", "type"],
  ["message", "role"],
  ["message", "content", "0", "type"],
  ["request", "subtype"],
];

const DEEPEST = 4;

/** Fields whose own fields are data: inputs of tools, results, tables by name. */
const DATA =
  /^(input|arguments|args|parameters|rawInput|rawOutput|modelUsage|models|toolCall|tool_use_result|details)$/;

function fieldsOf(value: unknown, path: string, depth: number): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => fieldsOf(item, `${path}[]`, depth));
  if (!isObject(value) || depth === DEEPEST) return [];
  return Object.entries(value).flatMap(([name, field]) => {
    const here = path === "" ? name : `${path}.${name}`;
    if (!/^[A-Za-z_][\w-]{0,40}$/.test(name)) return [`${path}.*`];
    return DATA.test(name) ? [here] : [here, ...fieldsOf(field, here, depth + 1)];
  });
}

const at = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((found, name) => (typeof found === "object" ? (found as never)?.[name] : undefined), value);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
