import type { ModelFacts } from "../../agents/agent-about.ts";
import type { CatalogModel } from "./model-catalog.ts";

/** Whether a model name is known, and which names are like it. */
export interface ModelCheck {
  status: "ok" | "alias" | "deprecated" | "ambiguous" | "unknown";
  /** Whether the name means exactly one known model, or is an alias of the agent. */
  valid: boolean;
  model?: CatalogModel;
  /** At most five, best first. */
  suggestions: string[];
  /** A sentence for the user; absent when the name is fine. */
  warning?: string;
}

export function validateModel(
  name: string,
  { aliases = {} }: ModelFacts,
  catalog: readonly CatalogModel[],
): ModelCheck {
  const found = (status: "ok" | "alias", model?: CatalogModel): ModelCheck =>
    model?.isDeprecated
      ? { status: "deprecated", valid: true, model, suggestions: [], warning: `${model.id} is deprecated.` }
      : { status, valid: true, ...(model && { model }), suggestions: [] };

  if (Object.hasOwn(aliases, name))
    return found(
      "alias",
      catalog.find(({ id }) => id === aliases[name]),
    );
  const exact = catalog.find(({ id }) => id === name) ?? catalog.find(({ id }) => isDated(name, id));
  if (exact) return found("ok", exact);

  const ofProviders = catalog.filter(({ id }) => id.slice(id.indexOf("/") + 1) === name);
  if (ofProviders.length === 1) return found("ok", ofProviders[0]);
  if (ofProviders.length > 1) {
    const suggestions = ofProviders.slice(0, 5).map(({ id }) => id);
    return {
      status: "ambiguous",
      valid: false,
      suggestions,
      warning: `Several providers offer "${name}". Choose one of: ${suggestions.join(", ")}.`,
    };
  }
  const suggestions = similar(name, [...Object.keys(aliases), ...catalog.map(({ id }) => id)]);
  const hint = suggestions.length > 0 ? ` Did you mean ${suggestions.join(", ")}?` : "";
  return {
    status: "unknown",
    valid: false,
    suggestions,
    warning: `"${name}" is not in the list of known models, but the agent may know it.${hint}`,
  };
}

/** Whether `name` is `id` with a release date appended. */
const isDated = (name: string, id: string): boolean =>
  name.startsWith(`${id}-`) && /^\d{4}-?\d{2}-?\d{2}$/.test(name.slice(id.length + 1));

/** Finds similar names by the share of letter pairs they have in common (Dice coefficient). */
function similar(name: string, names: readonly string[]): string[] {
  const wanted = pairs(name);
  if (wanted.size === 0) return [];
  return names
    .map((other) => {
      const otherPairs = pairs(other);
      const shared = [...wanted].filter((pair) => otherPairs.has(pair)).length;
      return { other, similarity: (2 * shared) / (wanted.size + otherPairs.size) };
    })
    .filter(({ similarity }) => similarity >= 0.5)
    .sort((a, b) => b.similarity - a.similarity)
    .slice(0, 5)
    .map(({ other }) => other);
}

const pairs = (text: string): Set<string> =>
  new Set(
    Array.from({ length: Math.max(0, text.length - 1) }, (_, index) => text.slice(index, index + 2).toLowerCase()),
  );
