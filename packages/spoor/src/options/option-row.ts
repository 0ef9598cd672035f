import type { Check } from "./checks.ts";

/** Everything Spoor knows about one option of a run: one row of the table in `run-options.ts`. */
export type OptionRow = OptionFacts & ({ flag: Flag } | { noFlag: string });

interface OptionFacts {
  /** What the option does, in sentences. `npm run generate` writes it as JSDoc of the generated interfaces. */
  doc: string;
  check: Check;
  /**
   * Where the option may be set. `shared`: in the call, a profile, a configuration file and the options of a client.
   * `run`: only in the call, because the value belongs to one run.
   */
  scope: "shared" | "run";
  required?: true;
  /**
   * How a value combines with that of a farther layer (call, profile, client, project, user). Absent: it replaces the
   * farther one. `keys` merges two objects by key, `names` merges two lists of objects by their `name`.
   */
  merge?: "keys" | "names";
  /**
   * A project's own configuration file may set the option (or the values for which the function returns true) only if the
   * user trusts the project: the value decides which programs run here, what they receive, or what an agent may do unasked.
   */
  needsTrust?: true | ((value: unknown) => boolean);
  /** The option for which this one is another name. */
  aliasOf?: string;
  /** Synonyms of values: each maps a word that users may give to the value it means. */
  synonyms?: Readonly<Record<string, string>>;
  /** At most one option of a group may be set in one layer, and it replaces every other one of farther layers. */
  group?: string;
  /** Adapters receive the value unchanged in the `LaunchRequest`, under the same name. */
  toAgent?: true;
  /**
   * The abilities a dialect must list in `takes` before a run may use the option, each with the words that complete
   * "codex does not support …". A text alone is the ability of the same name as the option.
   */
  needs?: string | Readonly<Record<string, string>>;
}

/** The flag of `spoor run` that sets an option. */
export type Flag = { [Kind in keyof FlagValues]: FlagOf<Kind> }[keyof FlagValues];

interface FlagOf<Kind extends keyof FlagValues> {
  /** The flag with its placeholder: `--model <name>`. */
  name: string;
  /** Shown by `spoor run --help`. */
  help: string;
  /** How the command line reads the value. */
  reads: Kind;
  /** Converts the parsed flag to the value of the option; absent if no conversion is needed. */
  toOption?(value: FlagValues[Kind]): unknown;
}

/** The type of value that each kind of flag gives. */
export interface FlagValues {
  text: string;
  /** One of the values that the check lists. */
  choice: string;
  /** A flag without a value. */
  switch: true;
  /** A whole number of at least 1. */
  count: number;
  /** Seconds or a time span; gives milliseconds. */
  milliseconds: number;
  /** An amount of money above 0, with or without a dollar sign. */
  dollars: number;
  /** An absolute path; the current directory unless the flag is given. */
  directory: string;
  /** Absolute paths, from a flag that can be repeated. */
  files: readonly string[];
  /** Names of environment variables, from a flag that can be repeated. */
  variables: readonly string[];
  /** A command line, split into words. */
  words: readonly string[];
  /** The path of a JSON file that lists MCP servers; gives the servers. */
  "mcp-file": readonly object[];
}
