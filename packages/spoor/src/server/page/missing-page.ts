import type { ServerResponse } from "node:http";
import { sendPlainPage } from "../http/plain-page.ts";

/** Says what to do if the page was not built. */
export function sendMissingPage(response: ServerResponse): void {
  sendPlainPage(response, 503, {
    title: "The page is not built",
    body: `<p>The server runs, and everything under <code>/v1</code> works. Only its web page is missing.</p>
<p>In a clone of the repository, <code>npm start</code> builds the page and starts the server. To build it for a server that runs
already, run this command in the clone and load this page again:</p>
<pre>npm run build</pre>
<p>The published package contains the page. If it is missing there, install the package again.</p>
<p><a href="/docs">The description of the HTTP interface</a></p>`,
  });
}
