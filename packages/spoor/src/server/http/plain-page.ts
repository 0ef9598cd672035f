import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import { sendBytes } from "./respond.ts";

/** Sends a small page that loads nothing else. `body` is HTML; the title is text. */
export function sendPlainPage(
  response: ServerResponse,
  status: number,
  { title, body }: { title: string; body: string },
): void {
  const html = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title><style>${style}</style>
<h1>${escaped(title)}</h1>
${body}
</html>
`;
  const hash = createHash("sha256").update(style).digest("base64");
  response.setHeader(
    "Content-Security-Policy",
    `default-src 'none'; style-src 'sha256-${hash}'; frame-ancestors 'none'`,
  );
  sendBytes(response, status, "text/html; charset=utf-8", Buffer.from(html));
}

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem;color-scheme:light dark}
pre{padding:.6rem 1rem;border:1px solid;border-radius:.3rem}`;

/** Text as HTML shows it. */
export const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
