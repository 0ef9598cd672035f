/** The choices that the context of a question lists, and what else it says. */
export interface Choices {
  readonly choices: readonly string[];
  readonly rest: string;
}

/** Lines with a bullet or a number are choices, so are the strings of a JSON list, and lines that all explain a name. */
export function choicesOf(context: string | undefined): Choices {
  if (!context) return { choices: [], rest: "" };
  const listed = fromJson(context);
  if (listed) return { choices: listed.slice(0, MOST), rest: "" };
  const lines = context.split("\n");
  if (lines.length > 1 && lines.length <= MOST && lines.every(isExplained)) return { choices: lines, rest: "" };
  const choices = lines.flatMap((line) => /^\s*(?:[-*•]|\d{1,2}[.)])\s+(.+?)\s*$/.exec(line)?.[1] ?? []);
  // One bullet alone is no choice, and long lines are explanations.
  if (choices.length < 2 || choices.length > MOST || choices.some((choice) => choice.length > LONGEST))
    return { choices: [], rest: context.trim() };
  const rest = lines.filter((line) => !/^\s*(?:[-*•]|\d{1,2}[.)])\s+/.test(line)).join("\n");
  return { choices: [...new Set(choices)], rest: rest.trim() };
}

/** A name and what it means: "Green: as the rest". */
const isExplained = (line: string): boolean => line.length <= LONGEST && /^[^:]{1,40}: \S/.test(line);

const MOST = 12;
const LONGEST = 160;

function fromJson(context: string): string[] | undefined {
  if (!/^\s*[[{]/.test(context)) return undefined;
  try {
    const given: unknown = JSON.parse(context);
    // A list of one question has the choices inside.
    const value = Array.isArray(given) && given.length === 1 && typeof given[0] === "object" ? given[0] : given;
    const list = Array.isArray(value)
      ? value
      : ((value as { choices?: unknown; options?: unknown }).choices ?? (value as { options?: unknown }).options);
    if (!Array.isArray(list) || list.length === 0) return undefined;
    const words = list.map((item) => (typeof item === "string" ? item : (item as { label?: unknown } | null)?.label));
    return words.every((word) => typeof word === "string") ? words : undefined;
  } catch {
    return undefined;
  }
}
