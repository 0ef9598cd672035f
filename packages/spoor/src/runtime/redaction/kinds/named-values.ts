import { isPlaceholder, isRandom, kindsOfCharacters } from "./proofs.ts";

/**
 * How a name and its value are written: `NAME=value`, `"name": "value"`, `name = "value"`, or `name: value`. The less
 * ambiguous the style, the less the value itself has to look like a secret.
 */
export type Style = "environment" | "json" | "quoted" | "bare";

export type Proof = (value: string, style: Style, next: string) => boolean;

/** An equals sign or colon with blanks and quotes around it, the end of an XML tag, or a comma between two quotes. */
export function isSeparator(text: string): boolean {
  return /^(?:[\\"'`]*[ \t]*(?:=>?|:=?)[ \t]*[\\"'`]*|>|[\\"'`]+,[ \t]*[\\"'`]+)$/.test(text);
}

/** Undefined when the value can only be an expression. */
export function styleOf(separator: string, names: readonly string[]): Style | undefined {
  const isQuoted = /["'`]$/.test(separator);
  const isNameQuoted = /^[\\"'`]/.test(separator);
  const isUpper = names[0] === names[0]?.toUpperCase();
  if (/^=[\\"']*$/.test(separator) && isUpper) return "environment";
  if (separator.includes(",")) return isUpper ? "quoted" : undefined;
  if (isNameQuoted && isQuoted) return "json";
  // An unquoted value after a quoted name is a number or an expression.
  if (isNameQuoted) return undefined;
  return isQuoted ? "quoted" : "bare";
}

export function isPassword(value: string, style: Style, next: string): boolean {
  if (isPlaceholder(value) || /^(?:\/|~\/|\.\.?\/)/.test(value)) return false;
  if (style === "environment") return value.trim().length >= 4;
  if (/\s/.test(value) || isVersion(value)) return false;
  if (style === "json") return value.length >= 5 && !/^[A-Z][a-z]+$/.test(value) && !/[()[\]{}<>]/.test(value);
  if (value.length < 6 || isExpression(value, style, next)) return false;
  if (style === "quoted") return hasLetterAndMore(value) || /^[a-z]{8,}$/.test(value);
  return /\d/.test(value) && hasLetterAndMore(value) && !/^[a-z]+\d$/i.test(value);
}

export function isSecret(value: string, style: Style, next: string): boolean {
  if (style === "environment" || style === "json") return value.length >= 8 && isPassword(value, style, next);
  return isToken(value, style, next);
}

export function isToken(value: string, style: Style, next: string): boolean {
  if (/\s|^\d+$/.test(value) || isPlaceholder(value) || isVersion(value)) return false;
  if (style === "environment") {
    return value.length >= 8 && !/^(?:[~.]|\/[a-z])|[()[\]{}<>]/.test(value) && !"([".includes(next || " ");
  }
  if (style !== "bare" && isLongPassword(value)) return true;
  return !isExpression(value, style, next) && isRandom(value, style === "bare" ? 12 : 8);
}

export function isRandomKey(value: string, style: Style): boolean {
  return style === "environment" && isRandom(value, 16);
}

/** A call, a list, a path, a property or a pattern. */
function isExpression(value: string, style: Style, next: string): boolean {
  if (style === "bare" && "([{.?".includes(next || " ")) return true;
  return /[()[\]{}<>;,]|^(?:~|\.{1,2})?\/[a-z]+(?:\/|$)|^\.|\.[A-Za-z_]\w*$|^\^/.test(value);
}

/** A long random text of all characters, such as the key of Django; it may contain brackets. */
function isLongPassword(value: string): boolean {
  return value.length >= 40 && kindsOfCharacters(value.slice(0, 40)) === 4 && /^[\w!@#$%^&*(=+)-]+$/.test(value);
}

const isVersion = (value: string): boolean => /^[~^v=]?\d+(?:\.[\dx*]+)+/.test(value);

const hasLetterAndMore = (value: string): boolean => /[A-Za-z\u0080-\uffff]/.test(value) && /[^A-Za-z]/.test(value);
