import { findNodeAtLocation, type Node, parseTree } from "jsonc-parser";
import type { Change } from "./formats.ts";

/**
 * JSON text with one change made. Every byte that is not part of it stays: a formatter would lay out the neighbours
 * anew.
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

/** The innermost value there is on the way, and what is left to go. */
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
    // A comment may stand in it.
    const end = rest.trim() === "" ? `${style.eol}${outer}` : rest;
    return splice(text, object.offset + 1, rest.length, added + end);
  }
  const end = last.offset + last.length;
  if (!text.slice(object.offset, first.offset).includes("\n")) {
    return splice(text, end, 0, `, ${pair(key, value, outer, style)}`);
  }
  const indent = indentAt(text, first.offset);
  // What is said of the last one on its line stays with it.
  const remark = remarkAt(text, end);
  return splice(text, end, remark.length, `,${remark}${style.eol}${indent}${pair(key, value, indent, style)}`);
}

/** Takes out a property with its comma and what is said of it on its line. */
function remove(text: string, property: Node | undefined): string {
  const siblings = property?.parent?.children;
  if (!property || !siblings) return text;
  const index = siblings.indexOf(property);
  const previous = siblings[index - 1];
  const isLast = index === siblings.length - 1;
  const end = isLast ? property.offset + property.length : commaAfter(text, property) + 1;
  const without = cut(text, property.offset, end + remarkAt(text, end).length);
  return isLast && previous ? splice(without, commaAfter(without, previous), 1, "") : without;
}

/** Without this stretch, nor the line if nothing else is on it. */
function cut(text: string, start: number, end: number): string {
  const before = /(?:\r?\n|^)[ \t]*$/.exec(text.slice(0, start));
  const isAlone = before !== null && /^[ \t]*(?:\r?\n|$)/.test(text.slice(end));
  return text.slice(0, isAlone ? before.index : start) + text.slice(end);
}

const commaAfter = (text: string, { offset, length }: Node): number =>
  offset + length + (/^(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/.exec(text.slice(offset + length))?.[0].length ?? 0);

/** A comment that ends the line from here. */
const remarkAt = (text: string, offset: number): string =>
  /^[ \t]*(?:\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/(?=[ \t]*\r?\n))/.exec(text.slice(offset))?.[0] ?? "";

const pair = (key: string, value: unknown, indent: string, style: Style): string =>
  `${JSON.stringify(key)}: ${print(value, indent, style)}`;

const print = (value: unknown, indent: string, { eol, unit }: Style): string =>
  JSON.stringify(value, undefined, unit).replaceAll("\n", `${eol}${indent}`);

/** What the line begins with that this is on. */
const indentAt = (text: string, offset: number): string =>
  /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset))?.[0] ?? "";

const splice = (text: string, offset: number, length: number, added: string): string =>
  text.slice(0, offset) + added + text.slice(offset + length);
