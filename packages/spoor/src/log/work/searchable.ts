/** What a search finds in the events of a run, in small letters, one item per line. */
export interface RunTexts {
  prompts: string;
  paths: string;
}

export const NO_TEXTS: Readonly<RunTexts> = { prompts: "", paths: "" };

/** A search finds this many characters of a run's prompts, and as many of its paths. */
const MOST_CHARACTERS = 100_000;

/** Whether events of this type hold a text that a search finds. */
export const isSearchable = (type: string): boolean => Object.hasOwn(texts, type);

/** Adds the texts of further events. */
export function addTexts(before: Readonly<RunTexts>, events: Iterable<SearchableEvent>): RunTexts {
  const lines = { prompts: [] as string[], paths: new Set<string>() };
  for (const { type, data } of events) {
    const found = texts[type]?.(data);
    if (typeof found?.prompt === "string") lines.prompts.push(lower(found.prompt));
    if (typeof found?.path === "string") lines.paths.add(lower(found.path));
  }
  const known = new Set(before.paths.split("\n"));
  return {
    prompts: joined(before.prompts, lines.prompts),
    paths: joined(
      before.paths,
      [...lines.paths].filter((path) => !known.has(path)),
    ),
  };
}

/** Small letters, in one form of those characters that have several. */
export const lower = (text: string): string => text.normalize("NFC").toLowerCase();

type Data = Readonly<Record<string, unknown>>;

export interface SearchableEvent {
  type: string;
  data: Data;
}

const texts: Readonly<Record<string, (data: Data) => { prompt?: unknown; path?: unknown } | undefined>> = {
  "user.message": ({ text }) => ({ prompt: text }),
  "tool.file.patch": ({ path, operation, artifact_status }) =>
    operation === "propose" || artifact_status === "proposed" ? undefined : { path },
  "tool.file.deleted": ({ path }) => ({ path }),
  "artifact.created": ({ kind, path, attribution, inverse_of, status }) =>
    kind === "patch" && attribution !== "outside" && inverse_of === undefined && status !== "proposed"
      ? { path }
      : undefined,
};

const joined = (before: string, more: readonly string[]): string =>
  [before, ...more]
    .filter((text) => text !== "")
    .join("\n")
    .slice(0, MOST_CHARACTERS);
