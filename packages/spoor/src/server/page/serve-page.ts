import type { IncomingMessage, ServerResponse } from "node:http";
import { HttpError } from "../http/http-error.ts";
import { sendMissingPage } from "./missing-page.ts";
import { createPageFiles, type Encoding, type PageFile } from "./page-files.ts";
import { pageFolder } from "./page-folder.ts";
import type { PagePath } from "./page-path.ts";

/** Answers a request for a screen or a file of the page. */
export type ServePage = (request: IncomingMessage, response: ServerResponse, wanted: PagePath) => Promise<void>;

/**
 * The page may load and call this server and nothing else, and it cannot turn a text into markup or a program: nothing that
 * an agent writes can take it over.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' blob:",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/** Serves the page from a folder. Without one, each screen says how to build the page. */
export function createPage(chosen?: string): ServePage {
  let find: ReturnType<typeof createPageFiles> | undefined;
  return async (request, response, wanted) => {
    const name = wanted.kind === "screen" ? "index.html" : wanted.name;
    // The page may be built while the server runs.
    const folder = find ? undefined : (chosen ?? pageFolder());
    if (folder !== undefined) find = createPageFiles(folder);
    const file = await find?.(name);
    if (file) {
      response.setHeader("Content-Security-Policy", policy);
      response.setHeader("Referrer-Policy", "no-referrer");
      await send(request, response, file, { name, status: wanted.kind === "screen" && !wanted.known ? 404 : 200 });
    } else if (wanted.kind === "screen") sendMissingPage(response);
    else throw new HttpError("not_found", `The page has no file ${name}. It may be of an older version of the page.`);
  };
}

async function send(
  request: IncomingMessage,
  response: ServerResponse,
  file: PageFile,
  { name, status }: { name: string; status: number },
): Promise<void> {
  const encoding = encodingFor(request.headers["accept-encoding"] ?? "", file);
  const etag = `"${file.etag}${encoding === "identity" ? "" : `-${encoding}`}"`;
  // The names of assets hold a digest of their content.
  const isForever = name.startsWith("assets/");
  response.setHeader("Cache-Control", isForever ? "public, max-age=31536000, immutable" : "no-cache");
  response.setHeader("Vary", "Accept-Encoding");
  response.setHeader("ETag", etag);
  if (status === 200 && isKnown(request.headers["if-none-match"], etag)) {
    response.writeHead(304).end();
    return;
  }
  const bytes = await file.bytes(encoding);
  response.setHeader("Content-Type", file.type);
  if (encoding !== "identity") response.setHeader("Content-Encoding", encoding);
  response.writeHead(status, { "Content-Length": bytes.length }).end(bytes);
}

/** The best encoding that the browser takes. One with a quality of 0 is refused. */
function encodingFor(header: string, { encodings }: PageFile): Encoding {
  const taken = header.split(",").flatMap((one) => {
    const [name = "", quality = ""] = one.toLowerCase().split(";");
    return /^\s*q=0(?:\.0*)?\s*$/.test(quality) ? [] : name.trim();
  });
  return encodings.find((encoding) => taken.includes(encoding)) ?? "identity";
}

const isKnown = (header: string | undefined, etag: string): boolean =>
  header?.split(",").some((one) => one.trim().replace(/^W\//, "") === etag) === true;
