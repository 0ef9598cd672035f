/** Parsed settings. The objects have no prototype, so that a key such as `__proto__` in a file stays an ordinary key. */
export type SettingsValues = { [key: string]: unknown };

/** One edit of a settings file. */
export interface Change {
  path: readonly string[];
  /** `undefined` removes the field. */
  value: unknown;
}

/** How one settings format is parsed and edited. */
export interface Format {
  title: string;
  /** The text of a file without settings. */
  empty: string;
  /** Throws an error that names line and column when the text is not valid in this format. */
  parse(text: string): SettingsValues;
  /** Returns the text with one change made. Everything else, including comments, keeps its bytes. */
  edit(text: string, change: Change, changed: SettingsValues): string;
}
