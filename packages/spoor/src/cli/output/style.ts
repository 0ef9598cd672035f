import type { Writable } from "node:stream";

/** What a colour or weight stands for. Only the 16 colours are used, so that the reader's theme decides. */
export const roles = {
  strong: 1,
  dim: 2,
  red: 31,
  green: 32,
  yellow: 33,
  blue: 34,
  magenta: 35,
  cyan: 36,
} as const;
export type Role = keyof typeof roles;

export type Terminal = Writable & { isTTY?: boolean; columns?: number; rows?: number };

/** How text is written to one stream: with or without codes, in UTF-8 or ASCII, and how wide. */
export interface Style {
  /** Whether escape sequences may be written: for colours, and to write a line again. */
  readonly codes: boolean;
  readonly isAscii: boolean;
  /** How many columns a line may have. It changes with the window; without a terminal there is no limit. */
  readonly columns: number;
  readonly rows: number;
  paint(role: Role | undefined, text: string): string;
  /** Replaces our own marks where the terminal cannot show them. */
  plain(text: string): string;
}

/** The style of a stream. The environment says what the reader wants and can see. */
export function styleOf(output: Terminal, env: NodeJS.ProcessEnv = process.env): Style {
  const isTerminal = output.isTTY === true;
  const codes = isTerminal && !env.NO_COLOR && env.TERM !== "dumb" && !isCi(env);
  const isAscii = isTerminal && !isUtf8(env);
  return {
    codes,
    isAscii,
    get columns() {
      // The last column stays free: a terminal moves to the next line at different times when it is used.
      return isTerminal ? Math.max(10, (output.columns || 80) - 1) : Number.POSITIVE_INFINITY;
    },
    get rows() {
      return isTerminal ? output.rows || 24 : 0;
    },
    paint: (role, text) =>
      codes && role !== undefined && text !== "" ? `\u001b[${roles[role]}m${text}\u001b[0m` : text,
    plain: (text) => (isAscii ? text.replaceAll(MARKS, (mark) => ascii[mark] ?? mark) : text),
  };
}

/** Whether a program runs in continuous integration, where nobody looks at it. */
export const isCi = ({ CI = "" }: NodeJS.ProcessEnv): boolean => CI !== "" && CI !== "false" && CI !== "0";

/** A terminal without any locale is taken for one of UTF-8, as nearly all are. */
function isUtf8({ LC_ALL, LC_CTYPE, LANG }: NodeJS.ProcessEnv): boolean {
  const locale = LC_ALL || LC_CTYPE || LANG || "UTF-8";
  return /utf-?8/i.test(locale);
}

/** Our marks, and what stands for them where only ASCII can be shown. */
const ascii: Readonly<Record<string, string>> = {
  ...{ "●": "*", "▲": "!", "✗": "x", "✓": "+", "☐": "-", "◐": "*", "◓": "*", "◑": "*", "◒": "*", "◌": "-" },
  ...{ "◆": "*", "■": "-", "❯": ">", "│": "|", "└": "-", "─": "-", "╱": "/", "↻": "~", "…": "...", "·": "-" },
  ...{ "“": '"', "”": '"', "›": ">", "–": "-", "█": "#", "▒": "=", "░": "." },
};
const MARKS = new RegExp(`[${Object.keys(ascii).join("")}]`, "gu");

/**
 * The marks that begin our lines. A line of an agent that begins with one of them is indented by one space. Characters without
 * a width before the mark do not hide it.
 */
export function startsLikeOurs(line: string, isAscii: boolean): boolean {
  const shown = line.replace(/^[\p{M}\u1160-\u11ff]+/u, "");
  return /^([●▲✗✓☐◐◓◑◒◌◆■❯↻]|──|╱╱)/u.test(shown) || (isAscii && /^(([-*!+~>x]|\/\/)( |$)|--)/.test(shown));
}
