import type { ArtifactRow } from "../../runtime/artifacts/record.ts";
import { HttpError } from "../http/http-error.ts";
import type { RouteCall } from "../http/route.ts";

/** Sends the bytes of an artifact, or a range of them. A browser never runs them, whatever they are. */
export async function sendContent(
  { request, response }: RouteCall,
  row: ArtifactRow,
  read: () => Promise<Buffer>,
): Promise<void> {
  const etag = `"${row.sha256}"`;
  const { type, disposition } = safeTypeOf(row.mime ?? "");
  response.setHeader("ETag", etag);
  response.setHeader("Accept-Ranges", "bytes");
  if (matches(request.headers["if-none-match"], etag)) {
    response.writeHead(304);
    response.end();
    return;
  }
  const bytes = await read();
  const isCurrent = request.headers["if-range"] === undefined || request.headers["if-range"] === etag;
  const range = isCurrent ? rangeOf(request.headers.range, bytes.length) : undefined;
  response.setHeader("Content-Type", type);
  response.setHeader("Content-Disposition", `${disposition}; filename="${fileName(row)}"`);
  const part = range ? bytes.subarray(range.start, range.end) : bytes;
  if (range) response.setHeader("Content-Range", `bytes ${range.start}-${range.end - 1}/${bytes.length}`);
  response.writeHead(range ? 206 : 200, { "Content-Length": part.length });
  response.end(part);
}

/** Types that a browser only shows. Everything else is a download of bytes, above all HTML, SVG and scripts. */
function safeTypeOf(mime: string): { type: string; disposition: "inline" | "attachment" } {
  const plain = mime.split(";", 1).join("").trim().toLowerCase();
  if (/^image\/(png|jpeg|gif|webp|avif|bmp)$/.test(plain)) return { type: plain, disposition: "inline" };
  if (/^(text\/(plain|x-diff|markdown|csv)|application\/json)$/.test(plain))
    return { type: "text/plain; charset=utf-8", disposition: "inline" };
  return { type: "application/octet-stream", disposition: "attachment" };
}

function fileName({ name, path, artifact_id, kind }: ArtifactRow): string {
  const base = (name ?? path ?? artifact_id).split(/[/\\]/).at(-1) ?? artifact_id;
  const safe =
    base
      .replaceAll(/[^\w.-]/g, "_")
      .replace(/^\.+/, "")
      .slice(0, 100) || artifact_id;
  return kind === "patch" ? `${safe}.diff` : safe;
}

const matches = (header: string | undefined, etag: string): boolean =>
  header?.split(",").some((one) => [etag, `W/${etag}`, "*"].includes(one.trim())) === true;

/** The one range that was asked for. Several ranges, or another unit, get the whole. */
function rangeOf(header: string | undefined, size: number): { start: number; end: number } | undefined {
  const [, from = "", to = ""] = /^bytes=(\d*)-(\d*)$/.exec(header ?? "") ?? [];
  if (from === "" && to === "") return undefined;
  const start = from === "" ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === "" || to === "" ? size : Math.min(size, Number(to) + 1);
  if (start < end) return { start, end };
  throw new HttpError("range_not_satisfiable", `The content has ${size} bytes.`, {
    "Content-Range": `bytes */${size}`,
  });
}
