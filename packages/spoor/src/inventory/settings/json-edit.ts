import { findNodeAtLocation, type Node, parseTree } from "jsonc-parser";
import type { Change } from "./settings-format.ts";

/**
 * Applies one change to JSON text. Every byte outside the change stays the same; the editing functions of `jsonc-parser`
 * would reformat neighbouring lines.
 */
export function editJson(text: string, { path, value }: Change): string {
  const root = parseTree(text);
  if (!root) return text;
  if (value === undefined) return remove(text, findNodeAtLocation(root, [...path])?.parent);
  const { node, rest } = deepest(root, path);
  const style = styleOf(text);
  if (rest.length === 0)
    return splice(text, node.offset, node.length, print(value, indentAt(text, node.offset), style));
  const [key = "", ...inner] = rest;
  return insert(
    text,
    node,
    key,
    inner.reduceRight<unknown>((wrapped, name) => ({ [name]: wrapped }), value),
    style,
  );
}

interface Style {
  eol: string;
  unit: string;
}

const styleOf = (text: string): Style => ({
  eol: text.includes("\r\n") ? "\r\n" : "\n",
  unit: /^([ \t]+)\S/m.exec(text)?.[1] ?? "  ",
});

/** Returns the innermost existing value along the path, and the rest of the path. */
function deepest(root: Node, path: readonly string[]): { node: Node; rest: readonly string[] } {
  for (let length = path.length; length > 0; length--) {
    const node = findNodeAtLocation(root, path.slice(0, length));
    if (node) return { node, rest: path.slice(length) };
  }
  return { node: root, rest: path };
}

function insert(text: string, object: Node, key: string, value: unknown, style: Style): string {
  const outer = indentAt(text, object.offset);
  const [first, last] = [object.children?.[0], object.children?.at(-1)];
  if (!first || !last) {
    const added = `${style.eol}${outer}${style.unit}${pair(key, value, outer + style.unit, style)}`;
    const rest = text.slice(object.offset + 1, object.offset + object.length - 1);
    // The empty object may contain a comment.
    const end = rest.trim() === "" ? `${style.eol}${outer}` : rest;
    return splice(text, object.offset + 1, rest.length, added + end);
  }
  const end = last.offset + last.length;
  if (!text.slice(object.offset, first.offset).includes("\n")) {
    return splice(text, end, 0, `, ${pair(key, value, outer, style)}`);
  }
  const indent = indentAt(text, first.offset);
  // A comment at the end of the last property's line stays on that line.
  const comment = commentAt(text, end);
  return splice(text, end, comment.length, `,${comment}${style.eol}${indent}${pair(key, value, indent, style)}`);
}

/** Removes a property with its comma and the comment at the end of its line. */
function remove(text: string, property: Node | undefined): string {
  const siblings = property?.parent?.children;
  if (!property || !siblings) return text;
  const index = siblings.indexOf(property);
  const previous = siblings[index - 1];
  const isLast = index === siblings.length - 1;
  const end = isLast ? property.offset + property.length : commaAfter(text, property) + 1;
  const without = cut(text, property.offset, end + commentAt(text, end).length);
  return isLast && previous ? splice(without, commaAfter(without, previous), 1, "") : without;
}

/** Removes a range, and the whole line if nothing else is on it. */
function cut(text: string, start: number, end: number): string {
  const before = /(?:\r?\n|^)[ \t]*$/.exec(text.slice(0, start));
  const isAlone = before !== null && /^[ \t]*(?:\r?\n|$)/.test(text.slice(end));
  return text.slice(0, isAlone ? before.index : start) + text.slice(end);
}

const commaAfter = (text: string, { offset, length }: Node): number =>
  offset + length + (/^(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/.exec(text.slice(offset + length))?.[0].length ?? 0);

/** The comment between `offset` and the end of the line. */
const commentAt = (text: string, offset: number): string =>
  /^[ \t]*(?:\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/(?=[ \t]*\r?\n))/.exec(text.slice(offset))?.[0] ?? "";

const pair = (key: string, value: unknown, indent: string, style: Style): string =>
  `${JSON.stringify(key)}: ${print(value, indent, style)}`;

const print = (value: unknown, indent: string, { eol, unit }: Style): string =>
  JSON.stringify(value, undefined, unit).replaceAll("\n", `${eol}${indent}`);

/** The indentation of the line that contains `offset`. */
const indentAt = (text: string, offset: number): string =>
  /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset))?.[0] ?? "";

const splice = (text: string, offset: number, length: number, added: string): string =>
  text.slice(0, offset) + added + text.slice(offset + length);
