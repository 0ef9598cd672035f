/** An image inside the result of a tool. */
export interface FoundImage {
  mime: string;
  bytes: Buffer;
}

/** Finds images in what a tool returned: blocks with a media type and base64, as MCP and model interfaces write them. */
export function imagesIn(output: unknown, depth = 0): FoundImage[] {
  if (typeof output !== "object" || output === null || depth > MAX_DEPTH) return [];
  if (Array.isArray(output)) return output.slice(0, MAX_ITEMS).flatMap((item) => imagesIn(item, depth + 1));
  const { type, data, mimeType, media_type } = output as Record<string, unknown>;
  const mime = mimeType ?? media_type;
  const isImage = typeof mime === "string" && mime.startsWith("image/");
  if (isImage && typeof data === "string" && (type === "image" || type === "base64" || type === undefined)) {
    const bytes = Buffer.from(data, "base64");
    return bytes.length > 0 ? [{ mime, bytes }] : [];
  }
  return Object.values(output).flatMap((value) => imagesIn(value, depth + 1));
}

const MAX_DEPTH = 6;
const MAX_ITEMS = 200;
