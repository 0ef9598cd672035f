import { HttpError } from "../http/http-error.ts";

/** Reads the text fields of a body. Says which ones are missing, unknown or no text. `true`: the field is required. */
export function readFields<const F extends Readonly<Record<string, boolean>>>(
  body: unknown,
  fields: F,
): { [K in keyof F]: F[K] extends true ? string : string | undefined } {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new HttpError("invalid", "The body must be a JSON object.");
  }
  const given = body as Record<string, unknown>;
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(fields, name));
  if (unknown !== undefined) {
    throw new HttpError(
      "invalid",
      `\`${unknown.slice(0, 40)}\` is not a field: use ${Object.keys(fields).join(", ")}.`,
    );
  }
  for (const [name, isRequired] of Object.entries(fields)) {
    const value = given[name];
    if (value === undefined && isRequired) throw new HttpError("invalid", `\`${name}\` is missing.`);
    if (value !== undefined && typeof value !== "string") throw new HttpError("invalid", `\`${name}\` must be a text.`);
  }
  return given as { [K in keyof F]: F[K] extends true ? string : string | undefined };
}
