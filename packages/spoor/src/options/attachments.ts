import { isUtf8 } from "node:buffer";
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import type { Attachment } from "../agents/machine.ts";
import type { Problem } from "../failures/errors.ts";
import type { AttachmentOption } from "./option-values.ts";

/** Models accept a few megabytes; a larger file is most likely a mistake. */
export const MAX_ATTACHMENT_BYTES = 10 * 1024 * 1024;

/** Reads the files to attach. Reports every attachment that cannot be read, not only the first. */
export function readAttachments(
  options: readonly AttachmentOption[],
  cwd: string,
): { attachments: Attachment[]; problems: Problem[] } {
  const attachments: Attachment[] = [];
  const problems: Problem[] = [];
  options.forEach((option, index) => {
    const read = readOne(option, cwd);
    if (typeof read === "string") problems.push({ field: `attachments[${index}]`, message: read });
    else attachments.push(read);
  });
  return { attachments, problems };
}

function readOne(option: AttachmentOption, cwd: string): Attachment | string {
  if ("url" in option) {
    const name = option.name ?? path.posix.basename(option.url.split(/[?#]/, 1)[0] ?? "");
    return { name, mimeType: option.mimeType ?? mimeOfName(name) ?? "image/png", url: option.url };
  }
  if ("base64" in option) {
    const bytes = Buffer.from(option.base64, "base64");
    if (bytes.length === 0) return "The attachment is empty or is not base64.";
    const { name = "attachment", mimeType } = option;
    return bytes.length > MAX_ATTACHMENT_BYTES
      ? tooLarge(name, bytes.length)
      : { name, mimeType, base64: option.base64 };
  }
  return readFile(option, path.resolve(cwd, option.filePath));
}

function readFile({ mimeType, name }: AttachmentOption, file: string): Attachment | string {
  try {
    const { size } = statSync(file);
    if (size > MAX_ATTACHMENT_BYTES) return tooLarge(file, size);
    const bytes = readFileSync(file);
    return {
      name: name ?? path.basename(file),
      mimeType: mimeType ?? mimeOfBytes(bytes) ?? mimeOfName(file) ?? mimeOfUnknown(bytes),
      base64: bytes.toString("base64"),
      path: file,
    };
  } catch (error) {
    return `Cannot attach ${file}: ${(error as Error).message}`;
  }
}

const tooLarge = (name: string, bytes: number): string =>
  `${name} is too large to attach: it has ${bytes} bytes, and at most ${MAX_ATTACHMENT_BYTES} are allowed.`;

/** The first bytes of common file types, as Latin-1 text. */
const signatures: readonly (readonly [RegExp, string])[] = [
  [/^\x89PNG\r\n/, "image/png"],
  [/^\xff\xd8\xff/, "image/jpeg"],
  [/^GIF8/, "image/gif"],
  [/^RIFF.{4}WEBP/s, "image/webp"],
  [/^%PDF-/, "application/pdf"],
];

const mimeOfBytes = (bytes: Buffer): string | undefined => {
  const start = bytes.toString("latin1", 0, 16);
  return signatures.find(([pattern]) => pattern.test(start))?.[1];
};

/** Text files have too many extensions to list, so valid UTF-8 without NUL counts as text. */
const mimeOfUnknown = (bytes: Buffer): string =>
  isUtf8(bytes) && !bytes.includes(0) ? "text/plain" : "application/octet-stream";

const extensions: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
  ".svg": "image/svg+xml",
  ".pdf": "application/pdf",
  ".txt": "text/plain",
  ".md": "text/markdown",
  ".json": "application/json",
};

const mimeOfName = (name: string): string | undefined => extensions[path.extname(name).toLowerCase()];
