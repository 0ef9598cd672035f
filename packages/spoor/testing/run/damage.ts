/** Damages a recording in one way. The seed decides in which way and where. */
export function damage(lines: readonly string[], seed: number): readonly string[] {
  const pick = createPick(seed);
  const way = ways[pick(ways.length)] as Way;
  return way(lines, pick(lines.length + 1), pick);
}

/** A whole number below the given one. */
type Pick = (below: number) => number;
type Way = (lines: readonly string[], at: number, pick: Pick) => readonly string[];

const change =
  (edit: (line: string, pick: Pick) => string): Way =>
  (lines, at, pick) =>
    lines.map((line, index) => (index === at ? edit(line, pick) : line));

const ways: readonly Way[] = [
  (lines, at) => lines.slice(0, at),
  (lines, at) => lines.slice(at),
  (lines, at) => [...lines.slice(at), ...lines.slice(0, at)],
  (lines, at, pick) => lines.toSpliced(at, 1 + pick(12)),
  // A line that is repeated at once, or some lines that are repeated later.
  (lines, at) => lines.toSpliced(at, 0, lines[at] ?? ""),
  (lines, at, pick) => lines.toSpliced(pick(lines.length + 1), 0, ...lines.slice(at, at + pick(12))),
  (lines, _, pick) => lines.filter(() => pick(3) > 0),
  (lines, at) => lines.toSpliced(at, 0, ...foreignLines),
  change((line) => line.slice(0, 40)),
  change((line) => line.replaceAll(/:"[^"]*"/g, ":null")),
  change((line) => line.replaceAll(/:\{/g, ":[{").replaceAll("}", "}]")),
  change((line) => line.replaceAll(/:\d+/g, ":-1.5")),
  change(otherValues),
  (lines, _, pick) => lines.map((line) => (pick(8) === 0 ? otherValues(line, pick) : line)),
];

const foreignLines = ['{"type":"never_seen","payload":[1,{"a":null}]}', "not json", '"text"', "[]", "null"];

const values = [
  null,
  -1.5,
  0,
  "",
  [],
  {},
  true,
  "__proto__",
  1e308,
  ["x"],
  { a: 1 },
  "2026-01-01T00:00:00Z",
  "é\u2028",
];

/** Removes one value somewhere in the line, or replaces it by another value or by its neighbour. */
function otherValues(line: string, pick: Pick): string {
  const frame = parsed(line);
  if (frame === undefined) return line.slice(0, pick(line.length));
  const place = somewhereIn(frame, pick);
  if (!place) return JSON.stringify(values[pick(values.length)]);
  const { fields, name } = place;
  const names = Object.keys(fields);
  const how = pick(4);
  if (how === 0) delete fields[name];
  else fields[name] = how === 1 ? fields[names[pick(names.length)] as string] : values[pick(values.length)];
  return JSON.stringify(frame);
}

interface Place {
  fields: Record<string, unknown>;
  name: string;
}

function somewhereIn(value: unknown, pick: Pick, depth = pick(8)): Place | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const names = Object.keys(value);
  const name = names[pick(names.length)];
  if (name === undefined) return undefined;
  const fields = value as Record<string, unknown>;
  return (depth > 0 ? somewhereIn(fields[name], pick, depth - 1) : undefined) ?? { fields, name };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** A small deterministic generator of random numbers: xorshift. */
function createPick(seed: number): Pick {
  let state = (seed ^ 0x9e37_79b9) | 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return below === 0 ? 0 : (state >>> 0) % below;
  };
}
