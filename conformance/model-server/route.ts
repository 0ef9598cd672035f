import { type Asked, read } from "./request.ts";
import type { DialectName } from "./script.ts";

/** The purpose of a request: a model call in a dialect, or one of the small requests that clients also send. */
export type Route = ModelRoute | PlainRoute;

export interface ModelRoute {
  dialect: DialectName;
  model: string;
  streams: boolean;
  isSide: boolean;
  /** The JSON Schema that the answer must match. */
  schema: unknown;
}

interface PlainRoute {
  dialect?: undefined;
  isSide: true;
  status: number;
  body: unknown;
}

/** Only the end of the path counts, so a base URL may have any prefix. */
export function routeOf({ method, path, body }: Asked): Route {
  // Clients that use this server as a proxy send whole URLs.
  const { hostname, pathname } = new URL(path, "http://127.0.0.1");
  if (hostname !== "127.0.0.1") return plainError(403, `Requests must not leave this machine: ${hostname} is refused.`);

  const row = method === "POST" ? ROUTES.find(({ ends }) => ends.test(pathname)) : undefined;
  if (row !== undefined) {
    return {
      dialect: row.dialect,
      model: String(modelIn(pathname) ?? read(body, "model") ?? "model"),
      streams: row.streams ?? read(body, "stream") === true,
      isSide: !offersTools(body) || read(body, "max_tokens") === 1,
      schema: SCHEMAS.map((place) => read(body, ...place)).find((schema) => schema !== undefined),
    };
  }
  const plain = PLAIN.find((candidate) => candidate.method === method && candidate.ends.test(pathname));
  if (plain !== undefined) return { isSide: true, status: 200, body: plain.body };
  return plainError(404, `Nothing is served at ${method} ${pathname}.`);
}

const plainError = (status: number, message: string): PlainRoute => ({
  isSide: true,
  status,
  body: { error: { message } },
});

/** The model, if the path names it. */
const modelIn = (pathname: string) => /\/models\/([^/]+):\w+$/.exec(pathname)?.[1];

function offersTools(body: unknown): boolean {
  const tools = read(body, "tools");
  if (Array.isArray(tools) && tools.length > 0) return true;
  // Codex sends some models their tools as an item of the conversation.
  const input = read(body, "input");
  return Array.isArray(input) && input.some((item) => read(item, "type") === "additional_tools");
}

interface ModelRow {
  ends: RegExp;
  dialect: DialectName;
  /** Some dialects say it in the path, the others in the body. */
  streams?: boolean;
}

const ROUTES: readonly ModelRow[] = [
  { ends: /\/messages$/, dialect: "anthropic" },
  { ends: /\/responses$/, dialect: "responses" },
  { ends: /\/chat\/completions$/, dialect: "chat" },
  { ends: /\/models\/[^/]+:generateContent$/, dialect: "gemini", streams: false },
  { ends: /\/models\/[^/]+:streamGenerateContent$/, dialect: "gemini", streams: true },
];

/** Where the dialects put the schema of an answer. */
const SCHEMAS = [
  ["output_config", "format", "schema"],
  ["text", "format", "schema"],
  ["response_format", "json_schema", "schema"],
  ["generationConfig", "responseJsonSchema"],
  ["generationConfig", "responseSchema"],
];

const PLAIN = [
  { method: "HEAD", ends: /^/, body: undefined },
  { method: "GET", ends: /\/$/, body: {} },
  // Empty lists under the names that OpenAI and Anthropic (`data`) and Gemini (`models`) use.
  { method: "GET", ends: /\/models$/, body: { object: "list", data: [], has_more: false, models: [] } },
  { method: "POST", ends: /\/messages\/count_tokens$/, body: { input_tokens: 1 } },
  { method: "POST", ends: /:countTokens$/, body: { totalTokens: 1 } },
];
