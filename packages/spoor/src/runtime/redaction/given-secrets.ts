import type { Shape } from "./shape.ts";

/** A secret that only the caller knows. */
export type GivenSecret = string | { name: string; value: string };

/** Shorter secrets are ignored, because they would match ordinary words. */
const SHORTEST_SECRET = 6;

/**
 * Returns shapes for secrets that the caller knows: verbatim, and as encoded in URLs, JSON and base64. Longer ones come
 * first.
 */
export function shapesOfSecrets(secrets: readonly GivenSecret[]): Shape[] {
  return secrets
    .map((secret) => (typeof secret === "string" ? { name: "secret", value: secret } : secret))
    .flatMap(({ name, value }) => formsOf(value).map((form) => ({ form, name: plain(name) })))
    .filter(({ form }) => form.length >= SHORTEST_SECRET)
    .sort((a, b) => b.form.length - a.form.length)
    .map(({ form, name }) => ({ name, parts: [{ kind: "text", any: [form] }], inWord: "all" }));
}

function formsOf(value: string): string[] {
  if (value.length < SHORTEST_SECRET) return [];
  const json = inJson(value);
  const forms = [value, json, inJson(json), encodeWhole(value), encodeWhole(value).replaceAll("%20", "+")];
  return [...new Set([...forms, ...base64FormsOf(value)])];
}

const inJson = (value: string): string => JSON.stringify(value).slice(1, -1);

/** `encodeURIComponent` throws for lone surrogates. */
function encodeWhole(value: string): string {
  return encodeURIComponent(value.toWellFormed());
}

/**
 * Base64 of any text that contains the secret. The encoding depends on the number of bytes before it, modulo three. Its
 * first and last characters also depend on the neighbouring bytes, so they are left out.
 */
function base64FormsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  return [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
    const first = before === 0 ? 0 : before + 1;
    const whole = Math.floor(((before + bytes.length) * 8) / 6);
    const form = encoded.slice(first, whole);
    return form.length < 8 ? [] : [form, form.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

/** The replacement must not break JSON or URLs. */
const plain = (name: string): string => name.replaceAll(/[^A-Za-z0-9_.-]/g, "_") || "secret";
