export interface ToolFact {
  id: string;
  name?: string;
  input?: unknown;
  /** The result or the error, as text. */
  result?: string;
  failed?: boolean;
  exitCode?: number;
}

export const NO_ID = "no id ";

/** Tool calls in the order in which they first appeared. */
export class ToolList {
  readonly #calls = new Map<string, ToolFact>();

  tell({ id, ...facts }: ToolFact): void {
    this.#calls.set(id, { ...(this.#calls.get(id) ?? { id }), ...facts });
  }

  /** A call without an id: the next one of its name among those without an id. */
  tellNameless(name: string): void {
    this.#calls.set(`${NO_ID}${this.#calls.size}`, { id: `${NO_ID}${this.#calls.size}`, name });
  }

  get(id: string): ToolFact | undefined {
    return this.#calls.get(id);
  }

  get all(): ToolFact[] {
    return [...this.#calls.values()];
  }
}

/** The text of a result in any wrapping: a string, content blocks or JSON. */
export function wordsOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value.trim();
  if (Array.isArray(value)) {
    const words = value.map(wordsOf).filter((word) => word !== undefined && word !== "");
    return words.join("\n");
  }
  if (typeof value !== "object") return String(value);
  const { text, content, type } = value as Record<string, unknown>;
  if (typeof text === "string") return text.trim();
  if (content !== undefined) return wordsOf(content);
  return type === "image" ? "" : JSON.stringify(value);
}
