import bash from "highlight.js/lib/languages/bash";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import json from "highlight.js/lib/languages/json";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { createLowlight } from "lowlight";

/** This file is a chunk of its own. It is loaded when the first code is in view. */

/** A piece of code and the class of its colour. */
export interface ColouredPiece {
  readonly text: string;
  readonly className: string | undefined;
}

/** The coloured pieces of a code, or nothing if the language is not known. */
export function highlight(text: string, language: string): ColouredPiece[] | undefined {
  const name = language.toLowerCase().split(/[\s{,]/, 1)[0] ?? "";
  const known = aliases[name] ?? name;
  if (!lowlight.registered(known)) return undefined;
  const pieces: ColouredPiece[] = [];
  collect(lowlight.highlight(known, text), undefined, pieces);
  return pieces;
}

/** The language of a file, by the end of its name. */
export const languageOf = (path: string): string => path.slice(path.lastIndexOf(".") + 1);

const lowlight = createLowlight({ bash, css, diff, go, json, markdown, python, rust, sql, typescript, xml, yaml });

const aliases: Readonly<Record<string, string>> = {
  ...{ js: "typescript", jsx: "typescript", mjs: "typescript", cjs: "typescript", javascript: "typescript" },
  ...{ ts: "typescript", tsx: "typescript", mts: "typescript", cts: "typescript" },
  ...{ sh: "bash", shell: "bash", zsh: "bash", console: "bash", py: "python", rs: "rust", yml: "yaml" },
  ...{ html: "xml", svg: "xml", vue: "xml", md: "markdown", jsonc: "json", jsonl: "json", scss: "css", patch: "diff" },
};

/** The names of highlight.js that have a colour here. */
const colours: Readonly<Record<string, string>> = {
  ...{ keyword: "k", built_in: "k", literal: "k", type: "k", "selector-tag": "k", tag: "k", meta: "co" },
  ...{ string: "st", regexp: "st", addition: "st", symbol: "st", number: "nu", variable: "nu", attribute: "nu" },
  ...{ title: "fn", function: "fn", attr: "fn", name: "fn", section: "fn", comment: "co", quote: "co", deletion: "co" },
};

type Node = ReturnType<typeof lowlight.highlight>["children"][number];

function collect(parent: { children: Node[] }, className: string | undefined, pieces: ColouredPiece[]): void {
  for (const node of parent.children) {
    if (node.type === "text") pieces.push({ text: node.value, className });
    if (node.type === "element") collect(node, colourOf(node.properties.className) ?? className, pieces);
  }
}

const colourOf = (names: unknown): string | undefined =>
  Array.isArray(names) ? colours[String(names[0]).replace(/^hljs-/, "")] : undefined;
