import type { ModelFacts } from "../../agents/agent-about.ts";
import type { CatalogModel } from "./catalog.ts";

export interface ModelCheck {
  status: "ok" | "alias" | "deprecated" | "ambiguous" | "unknown";
  /** Whether it names one model we know, or one the agent itself knows by that name. */
  valid: boolean;
  model?: CatalogModel;
  /** At most five, best first. */
  suggestions: string[];
  /** What to tell a person; absent when all is well. */
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
      warning: `"${name}" is offered by several providers: ${suggestions.join(", ")}.`,
    };
  }
  const suggestions = similar(name, [...Object.keys(aliases), ...catalog.map(({ id }) => id)]);
  const hint = suggestions.length > 0 ? ` Did you mean ${suggestions.join(", ")}?` : "";
  return {
    status: "unknown",
    valid: false,
    suggestions,
    warning: `Nothing is known of a model "${name}". The agent may know it.${hint}`,
  };
}

/** A release of a model is its name and a date. */
const isDated = (name: string, id: string): boolean =>
  name.startsWith(`${id}-`) && /^\d{4}-?\d{2}-?\d{2}$/.test(name.slice(id.length + 1));

/** Names that share most pairs of neighbouring letters with this one. */
function similar(name: string, names: readonly string[]): string[] {
  const wanted = pairs(name);
  if (wanted.size === 0) return [];
  return names
    .map((other) => {
      const theirs = pairs(other);
      const shared = [...wanted].filter((pair) => theirs.has(pair)).length;
      return { other, likeness: (2 * shared) / (wanted.size + theirs.size) };
    })
    .filter(({ likeness }) => likeness >= 0.5)
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, 5)
    .map(({ other }) => other);
}

const pairs = (text: string): Set<string> =>
  new Set(
    Array.from({ length: Math.max(0, text.length - 1) }, (_, index) => text.slice(index, index + 2).toLowerCase()),
  );
