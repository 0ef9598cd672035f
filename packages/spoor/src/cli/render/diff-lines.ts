import { diffLinesOf } from "@spoor/protocol/write";
import { diffRoles } from "../output/diff-roles.ts";
import type { Line } from "../output/line.ts";

/** The changed lines of a diff, at most twelve. */
export function diffLines(diff: string, run: string | undefined): Line[] {
  const lines = [...diffLinesOf(diff)].flatMap(({ sign, text }) => {
    const role = diffRoles[sign];
    return role === undefined || sign === "#" ? [] : [{ text, role }];
  });
  const shown = lines.slice(0, MOST_LINES);
  const left = lines.length - shown.length;
  const more = `… ${left.toLocaleString("en")} more${run === undefined ? "" : `, spoor diff …${run}`}`;
  return [
    ...shown.map((part): Line => ["  ", { ...part, join: "", shrinks: "end" }]),
    ...(left > 0 ? [["  ", { text: more, role: "dim" as const, join: "" }]] : []),
  ];
}

const MOST_LINES = 12;
