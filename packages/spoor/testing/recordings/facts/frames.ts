/** JSON of unknown shape. Reading a field of a value that is no object returns an empty one. */
export class Value {
  readonly raw: unknown;

  constructor(raw: unknown) {
    this.raw = raw;
  }

  at(...path: (string | number)[]): Value {
    const raw = path.reduce<unknown>(
      (at, key) => (typeof at === "object" && at !== null ? (at as Record<string | number, unknown>)[key] : undefined),
      this.raw,
    );
    return new Value(raw);
  }

  get exists(): boolean {
    return this.raw !== undefined && this.raw !== null;
  }

  get text(): string | undefined {
    return typeof this.raw === "string" ? this.raw : undefined;
  }

  get number(): number | undefined {
    return typeof this.raw === "number" ? this.raw : undefined;
  }

  get list(): Value[] {
    return Array.isArray(this.raw) ? this.raw.map((item) => new Value(item)) : [];
  }

  /** Whether the text is one of these. */
  is(...texts: string[]): boolean {
    return typeof this.raw === "string" && texts.includes(this.raw);
  }
}

export interface RecordedFrame {
  /** `in` is a frame to the agent. */
  dir: "in" | "out";
  frame: Value;
}

/**
 * The frames of a recording, one-sided or two-sided: its lines, or the document or listed items if the whole file is
 * one document. Anything that is no JSON object is left out.
 */
export function framesOf(recording: string): RecordedFrame[] {
  const document = parsed(recording);
  const values = document === undefined ? recording.split("\n").map(parsed) : [document].flat();
  return values.flatMap((raw): RecordedFrame[] => {
    const value = new Value(raw);
    if (typeof value.raw !== "object" || value.raw === null) return [];
    const dir = value.at("dir").text;
    if (dir === undefined) return [{ dir: "out", frame: value }];
    return dir === "in" || dir === "out" ? [{ dir, frame: value.at("msg") }] : [];
  });
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
