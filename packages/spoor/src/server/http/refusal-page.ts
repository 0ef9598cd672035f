import type { IncomingMessage, ServerResponse } from "node:http";
import { type HttpError, type HttpErrorCode, statusOf } from "./http-error.ts";
import { escaped, sendPlainPage } from "./plain-page.ts";

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
  for (const [name, value] of Object.entries(error.headers)) response.setHeader(name, value);
  sendPlainPage(response, statusOf(error.code), {
    title: titles[error.code] ?? "",
    body: `<p>${escaped(error.message)}</p>
<p>To get a new link, run this command on the machine where the server runs and open the link that it prints:</p>
<pre>spoor login</pre>
<p>In a clone of the repository the command is <code>npx spoor login</code>. If the server was started with <code>--data</code> or
<code>SPOOR_HOME</code>, run <code>spoor login</code> with the same. Programs need no link: they send the token, which is in the
data directory, as <code>Authorization: Bearer &lt;token&gt;</code>.</p>`,
  });
}
