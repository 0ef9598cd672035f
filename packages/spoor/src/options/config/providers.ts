import type { Problem } from "../../failures/errors.ts";
import { isObject } from "../checks.ts";

/** A server of models that speaks OpenAI's Chat Completions, as the user's configuration describes it. */
export interface ConfiguredProvider {
  baseUrl: string;
  /** The variable that holds the key. Absent if the server needs none. */
  key?: string;
  title?: string;
  /** How many tokens fit into a request to its models. */
  contextTokens?: number;
}

/** The servers by name. No other file can define them, because they read what a run reads. */
export type ConfiguredProviders = Readonly<Record<string, ConfiguredProvider>>;

/** Returns everything that is wrong with `providers` of a configuration. */
export function providerProblems(value: unknown): Problem[] {
  const example = '{"mine": {"baseUrl": "https://models.example.com/v1", "key": "MY_API_KEY"}}';
  if (!isObject(value)) return [{ field: "providers", message: `providers must be an object such as ${example}.` }];
  return Object.entries(value).flatMap(([name, provider]): Problem[] => {
    const field = `providers.${name}`;
    if (!/^[a-z][a-z0-9-]*$/.test(name))
      return [{ field, message: `${field} must have a name of small letters, digits and hyphens.` }];
    if (!isObject(provider)) return [{ field, message: `${field} must be an object, as in ${example}.` }];
    return Object.entries({ baseUrl: undefined, ...provider }).flatMap(([key, given]) => {
      const rule = fields[key];
      if (!rule) return [{ field: `${field}.${key}`, message: `${field}.${key} is not known, as in ${example}.` }];
      return rule.isValid(given)
        ? []
        : [{ field: `${field}.${key}`, message: `${field}.${key} must be ${rule.words}.` }];
    });
  });
}

const isText = (value: unknown): boolean => typeof value === "string" && value.trim() !== "";

const fields: Readonly<Record<string, { words: string; isValid(value: unknown): boolean }>> = {
  baseUrl: {
    words: "an address that begins with http:// or https://",
    isValid: (value) => typeof value === "string" && /^https?:\/\//.test(value) && URL.canParse(value),
  },
  key: {
    // A key itself would be in the file then. It is not repeated here.
    words: "the name of a variable, such as MY_API_KEY, and not the key itself",
    isValid: (value) => typeof value === "string" && /^[A-Z_][A-Z0-9_]*$/.test(value),
  },
  title: { words: "text", isValid: isText },
  contextTokens: {
    words: "a whole number of at least 1",
    isValid: (value) => Number.isSafeInteger(value) && Number(value) > 0,
  },
};
