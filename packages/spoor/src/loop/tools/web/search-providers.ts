import { ToolProblem } from "../kit/define-tool.ts";

/** A service that searches the web, and how it is asked. */
export interface SearchProvider {
  name: string;
  /** The variable of the environment that configures it. */
  variable: string;
  /** `value` is that of the variable. */
  request(query: string, count: number, value: string): SearchRequest;
  hits(answer: unknown): unknown;
  fields: { title: string; url: string; snippet: string };
}

export interface SearchRequest {
  method: "GET" | "POST";
  url: string;
  headers: Record<string, string>;
  body?: string;
  /** The user gave this address, so it may be private. */
  isOwn?: boolean;
}

export interface Hit {
  title: string;
  url: string;
  snippet?: string;
}

/** The first one that is configured is used. */
export const searchProviders: readonly SearchProvider[] = [
  {
    name: "Brave Search",
    variable: "BRAVE_API_KEY",
    request: (query, count, key) => ({
      method: "GET",
      url: `https://api.search.brave.com/res/v1/web/search?${new URLSearchParams({ q: query, count: String(count) })}`,
      headers: { accept: "application/json", "x-subscription-token": key },
    }),
    hits: (answer) => at(at(answer, "web"), "results"),
    fields: { title: "title", url: "url", snippet: "description" },
  },
  {
    name: "Tavily",
    variable: "TAVILY_API_KEY",
    request: (query, count, key) => ({
      method: "POST",
      url: "https://api.tavily.com/search",
      headers: { accept: "application/json", "content-type": "application/json", authorization: `Bearer ${key}` },
      body: JSON.stringify({ query, max_results: count }),
    }),
    hits: (answer) => at(answer, "results"),
    fields: { title: "title", url: "url", snippet: "content" },
  },
  {
    name: "SearXNG",
    variable: "SEARXNG_URL",
    request: (query, _count, base) => ({
      method: "GET",
      url: `${base.replace(/\/+$/, "")}/search?${new URLSearchParams({ q: query, format: "json" })}`,
      headers: { accept: "application/json" },
      isOwn: true,
    }),
    hits: (answer) => at(answer, "results"),
    fields: { title: "title", url: "url", snippet: "content" },
  },
];

/** The service that the environment configures; undefined if there is none. */
export function configuredProvider(
  environment: NodeJS.ProcessEnv,
  providers: readonly SearchProvider[] = searchProviders,
): { provider: SearchProvider; value: string } | undefined {
  for (const provider of providers) {
    const value = environment[provider.variable]?.trim();
    if (value) return { provider, value };
  }
  return undefined;
}

/** Reads the hits of an answer. Fields that are no text are left out. */
export function hitsOf({ name, hits, fields }: SearchProvider, text: string, count: number): Hit[] {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new ToolProblem(`${name} answered with something that is no JSON.`);
  }
  const found = hits(answer);
  if (!Array.isArray(found)) return [];
  return found.slice(0, count).flatMap((one): Hit[] => {
    const [title, url, snippet] = [fields.title, fields.url, fields.snippet].map((field) => textAt(one, field));
    if (!url || !URL.canParse(url)) return [];
    return [{ title: title || url, url, ...(snippet && { snippet }) }];
  });
}

const at = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;

const textAt = (value: unknown, key: string): string | undefined => {
  const text = at(value, key);
  return typeof text === "string"
    ? text
        .replaceAll(/<[^>]{1,20}>/g, "")
        .replaceAll(/\s+/g, " ")
        .trim()
        .slice(0, 1_000)
        .toWellFormed()
    : undefined;
};
