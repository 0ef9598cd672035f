import { CHARACTERS, columnsOf, headOf, WORDS } from "./columns.ts";
import { type Style, startsLikeOurs } from "./style.ts";
import { terminalSafe } from "./terminal-safe.ts";
import { LONGEST_LINE, sizeOf, visible } from "./visible.ts";

/** Turns text that arrives in pieces into lines that fit the terminal. Each call returns what can be written now. */
export interface TextFlow {
  push(text: string): string;
  /** Ends the text. Returns the rest of it, without a line break at its end. */
  end(): string;
}

/**
 * Text is wrapped at words on a terminal, so the last word is held back until it is complete. Markdown stays as written, but
 * fenced code is indented by two, and a line that begins like one of ours by one.
 */
export function createTextFlow(style: Style): TextFlow {
  const isWrapped = Number.isFinite(style.columns);
  let held = "";
  /** The fence that is open: its character and its length. */
  let fence: string | undefined;
  /** The columns of the line that is being read, and of the row that is being written. */
  let line = 0;
  let row = 0;
  let isStart = true;
  let spaces = "";
  let indent = "";

  function beginLine(first: string): string {
    isStart = false;
    const [mark] = /^(`{3,}|~{3,})/.exec(first) ?? [];
    const isFence = mark !== undefined && spaces.length <= 3 && (fence === undefined || isClosing(mark, fence));
    indent = fence !== undefined && !isFence ? "  " : "";
    if (isFence) fence = fence === undefined ? mark : undefined;
    const isOurs = spaces === "" && indent === "" && startsLikeOurs(first, style.isAscii);
    return `${indent}${isOurs ? " " : ""}`;
  }

  function word(given: string): string {
    const text = given.trimEnd();
    const after = given.slice(text.length);
    let out = "";
    if (text !== "") {
      if (isStart) {
        out = beginLine(text);
        row = out.length;
      }
      out += placed(spaces, text);
      spaces = "";
    }
    spaces += after;
    return out;
  }

  /** Writes a word after the spaces before it, or at the beginning of the next row. */
  function placed(gap: string, text: string): string {
    if (!isWrapped) return `${terminalSafe(gap)}${terminalSafe(text)}`;
    const [space, shown] = [visible(gap), visible(text)];
    const width = columnsOf(shown);
    const before = line;
    line += columnsOf(space) + width;
    if (before >= LONGEST_LINE) return "";
    const most = style.columns;
    if (row + columnsOf(space) + width <= most && line <= LONGEST_LINE) {
      row += columnsOf(space) + width;
      return `${space}${shown}`;
    }
    let out = "";
    let rest = line > LONGEST_LINE ? headOf(shown, LONGEST_LINE - before) : shown;
    if (row > indent.length) {
      const isShort = width + indent.length <= most;
      if (isShort || row >= most) out = beginRow(rest);
      else {
        out = space.slice(0, Math.max(0, most - row));
        row += out.length;
      }
    }
    while (rest !== "") {
      const head = headOf(rest, most - row) || (row > indent.length + 1 ? "" : (rest.match(CHARACTERS)?.[0] ?? rest));
      out += head;
      row += columnsOf(head);
      rest = rest.slice(head.length);
      if (rest !== "") out += beginRow(rest);
    }
    return out;
  }

  /** Begins another row of the same line. It must not begin like one of our lines, either. */
  function beginRow(text: string): string {
    const start = `${indent}${indent === "" && startsLikeOurs(text, style.isAscii) ? " " : ""}`;
    row = start.length;
    return `\n${start}`;
  }

  function endLine(): string {
    const cut = isWrapped && line > LONGEST_LINE ? sizeOf(line) : "";
    const out = cut !== "" && row + cut.length > style.columns ? `\n${cut}` : cut;
    [line, row, isStart, spaces, indent] = [0, 0, true, "", ""];
    return out;
  }

  /** Writes the words of the held text, but not the last one if it may go on. */
  function words(isWhole: boolean): string {
    const gap = isStart ? CLEAR_START.exec(held)?.[1] : "";
    if (!isWhole && !isWrapped && gap !== undefined) {
      spaces += gap;
      held = held.slice(gap.length);
      const start = isStart ? beginLine(held) : "";
      const end = /[\ud800-\udbff]$/.test(held) ? held.length - 1 : held.length;
      const out = `${start}${terminalSafe(spaces)}${terminalSafe(held.slice(0, end))}`;
      spaces = "";
      held = held.slice(end);
      return out;
    }
    const found = held.match(WORDS) ?? [];
    const last = isWhole ? "" : (found.pop() ?? "");
    held = /^\s*$/.test(last) || last.length < LONGEST_WORD ? last : "";
    return [...found, ...(held === "" && last !== "" ? [last] : [])].map(word).join("");
  }

  return {
    push(text) {
      let out = "";
      const lines = text.split("\n");
      for (const [index, each] of lines.entries()) {
        held += each;
        if (index === lines.length - 1) out += words(false);
        else out += `${words(true)}${endLine()}\n`;
      }
      return out;
    },
    end() {
      const out = `${words(true)}${endLine()}`;
      fence = undefined;
      return out;
    },
  };
}

const isClosing = (mark: string, fence: string): boolean => mark[0] === fence[0] && mark.length >= fence.length;

/** The beginning of a line that can become neither a fence nor one of our marks, whatever follows. */
const CLEAR_START = /^(\s*)[^\s\p{M}`~─╱]/u;

/** A longer word is written before it is complete. */
const LONGEST_WORD = 4_096;
