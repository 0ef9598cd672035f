import { getNodeValue, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { editJson } from "./json-edit.ts";
import type { Format } from "./settings-format.ts";

const format = (comments: boolean): Format => ({
  title: "JSON",
  empty: "{}\n",
  parse(text) {
    const errors: ParseError[] = [];
    const tree = parseTree(text, errors, { disallowComments: !comments, allowTrailingComma: false });
    const [first] = errors;
    if (first) throw new Error(`${printParseErrorCode(first.error)} at ${position(text, first.offset)}`);
    if (tree?.type !== "object") throw new Error("the top level is not an object");
    return getNodeValue(tree);
  },
  edit: editJson,
});

export const json = format(false);
export const jsonc = format(true);

function position(text: string, offset: number): string {
  const before = text.slice(0, offset).split("\n");
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}
