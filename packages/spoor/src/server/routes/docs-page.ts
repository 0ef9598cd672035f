import { createHash } from "node:crypto";
import { hintOf, httpErrorCodes, statusOf } from "../http/http-error.ts";
import { escaped } from "../http/plain-page.ts";
import type { Route } from "../http/route.ts";
import { type Parameter, parametersOf } from "./openapi.ts";

/** Describes the routes as a page that loads nothing else, with the content security policy that enforces this. */
export function docsPage(routes: readonly Route[]): { html: string; policy: string } {
  const html = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Spoor: HTTP interface</title><style>${style}</style>
<h1>HTTP interface</h1>
<p>Every request except health checks and login links needs <code>Authorization: Bearer &lt;token&gt;</code>. Every path under
/v1 also works under /hecate/v1. The WebSockets are at ${sockets(routes)}. The same description for programs is at
<a href="/openapi.json">/openapi.json</a>.</p>
${routes.map(section).join("\n")}
<h2>Errors</h2><p>An answer with a status of 400 or above is an error with one of these codes. The text says what to do.</p>
${listOf(httpErrorCodes.map((code) => [`${code} (${statusOf(code)})`, hintOf(code)]))}
</html>
`;
  const hash = createHash("sha256").update(style).digest("base64");
  return { html, policy: `default-src 'none'; style-src 'sha256-${hash}'; frame-ancestors 'none'; base-uri 'none'` };
}

const sockets = (routes: readonly Route[]): string =>
  routes.flatMap(({ path, upgrade }) => (upgrade ? [`<code>${escaped(path)}</code>`] : [])).join(" and ");

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
h2{font-size:1rem;font-family:ui-monospace,monospace;margin:2rem 0 0}dt{font-family:ui-monospace,monospace}p,dl{margin:.3rem 0}`;

function section({ method, path, summary, description = "", query, headers = {} }: Route): string {
  const parameters = parametersOf(query).map(([name, schema]): [string, string] => [name, describe(schema)]);
  const about = `<p>${escaped(`${summary}. ${description}`.trim())}</p>`;
  return `<h2>${method} ${escaped(path)}</h2>${about}${listOf([...parameters, ...Object.entries(headers)])}`;
}

function describe({ description = "", anyOf, minimum, maximum, default: fallback }: Parameter): string {
  const choice = anyOf && ` One of ${anyOf.map((one) => one.const).join(", ")}.`;
  const range = maximum !== undefined && ` From ${minimum} to ${maximum}; ${fallback} by default.`;
  return `${description}${choice || range || ""}`;
}

function listOf(terms: readonly (readonly [name: string, text: string])[]): string {
  const items = terms.map(([name, text]) => `<dt>${escaped(name)}</dt><dd>${escaped(text)}</dd>`).join("");
  return items && `<dl>${items}</dl>`;
}
