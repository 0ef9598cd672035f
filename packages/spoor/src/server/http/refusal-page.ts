import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type HttpError, type HttpErrorCode, statusOf } from "./http-error.ts";
import { sendBytes } from "./respond.ts";

/** Whether a browser would show the answer to a person. */
export const wantsPage = (request: IncomingMessage, code: HttpErrorCode): boolean =>
  titles[code] !== undefined &&
  request.method === "GET" &&
  (request.headers.accept ?? "").toLowerCase().includes("text/html");

const titles: Partial<Record<HttpErrorCode, string>> = {
  unauthorized: "Log in to Spoor",
  login_code_used: "This login link no longer works",
};

/** Shows a person in a browser how to log in. The page loads nothing else. */
export function sendRefusalPage(response: ServerResponse, error: HttpError): void {
  const html = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${titles[error.code]}</title><style>${style}</style>
<h1>${titles[error.code]}</h1>
<p>${escaped(error.message)}</p>
<p>To get a new link, run this command on the machine where the server runs and open the link that it prints:</p>
<pre>spoor login</pre>
<p>In a clone of the repository the command is <code>npx spoor login</code>. If the server was started with <code>--data</code> or
<code>SPOOR_HOME</code>, run <code>spoor login</code> with the same. Programs need no link: they send the token, which is in the
data directory, as <code>Authorization: Bearer &lt;token&gt;</code>.</p>
</html>
`;
  for (const [name, value] of Object.entries(error.headers)) response.setHeader(name, value);
  const hash = createHash("sha256").update(style).digest("base64");
  response.setHeader(
    "Content-Security-Policy",
    `default-src 'none'; style-src 'sha256-${hash}'; frame-ancestors 'none'`,
  );
  sendBytes(response, statusOf(error.code), "text/html; charset=utf-8", Buffer.from(html));
}

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem;color-scheme:light dark}
pre{padding:.6rem 1rem;border:1px solid;border-radius:.3rem}`;

const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
