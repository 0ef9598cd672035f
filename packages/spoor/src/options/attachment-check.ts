import { type Check, objectOf, text, typed } from "./checks.ts";

const fields = objectOf({ filePath: text, url: text, base64: text, mimeType: text, name: text });

/** Checks that an attachment has exactly one source, and that base64 bytes come with a MIME type. */
export const attachment: Check = typed("AttachmentOption", (value, field) => {
  const problems = fields(value, field);
  if (problems.length > 0) return problems;
  const sourceFields = value as Record<string, unknown>;
  const sources = ["filePath", "url", "base64"].filter((source) => sourceFields[source] !== undefined);
  if (sources.length !== 1) return [{ field, message: `${field} must have one of filePath, url and base64.` }];
  if (sourceFields.base64 === undefined || sourceFields.mimeType !== undefined) return [];
  const missing = `${field}.mimeType`;
  return [{ field: missing, message: `${missing} is missing: it cannot be detected from base64 alone.` }];
});
