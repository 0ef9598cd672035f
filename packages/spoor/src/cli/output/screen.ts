import { columnsOf, wrap } from "./columns.ts";
import type { Display } from "./display.ts";
import { layout, type Part } from "./line.ts";
import { type Role, type Style, startsLikeOurs } from "./style.ts";
import { createTextFlow } from "./text-flow.ts";
import { cutLong, visible } from "./visible.ts";

/** Shows a run to a person: whole lines, and text that arrives in pieces. Control characters are escaped. */
export interface Screen {
  readonly style: Style;
  /** Shows one line, cut to the width of the terminal. */
  line(parts: readonly (Part | string)[]): void;
  /** Shows text of one or more lines, wrapped at words. All its lines begin with `indent`. A very long line is cut. */
  paragraph(text: string, indent?: string, role?: Role): void;
  /** The same, but nothing is cut, however long it is: a person must see all of it. */
  whole(text: string, indent?: string, role?: Role): void;
  /** Leaves a line free, unless the line before is free. */
  blank(): void;
  /** Shows text after a label; its further lines are below its first. */
  labelled(label: string, text: string): void;
  /** Shows the next piece of text. */
  say(text: string, role?: Role): void;
  /** Ends the current line, if one has begun. */
  endLine(): void;
}

/** Shows every piece of text at once. */
export function createScreen(display: Display, stream: "stdout" | "stderr" = "stdout"): Screen {
  const style = stream === "stdout" ? display.out : display.err;
  const flow = createTextFlow(style);
  let isMidLine = false;
  let current: Role | undefined;
  const show = (text: string) => {
    if (text === "") return;
    isMidLine = !text.endsWith("\n");
    display.write(stream, current === undefined ? text : text.replace(/[^\n]+/g, (line) => style.paint(current, line)));
  };
  const endLine = () => {
    show(flow.end());
    if (isMidLine) display.write(stream, "\n");
    isMidLine = false;
    current = undefined;
  };
  return {
    style,
    line(parts) {
      endLine();
      display.write(stream, `${layout(parts, style)}\n`);
    },
    paragraph(text, indent = "", role) {
      endLine();
      display.write(stream, paragraphOf(text, indent, style, role));
    },
    whole(text, indent = "", role) {
      endLine();
      display.write(stream, paragraphOf(text, indent, style, role, true));
    },
    blank() {
      endLine();
      display.blank(stream);
    },
    labelled(label, text) {
      endLine();
      display.write(stream, labelledOf(label, text, style));
    },
    say(text, role) {
      if (role !== current) endLine();
      current = role;
      show(flow.push(text));
    },
    endLine,
  };
}

export interface Prefix {
  text: string;
  /** What stands for it where there is little room. */
  short?: string;
  role?: Role;
}

/** Shows whole lines only, each with a prefix, so that several runs can share the output without mixing their lines. */
export function createPrefixedScreen(display: Display, { text, short = text, role: colour }: Prefix): Screen {
  const outer = display.out;
  const prefix = () => (outer.columns < NARROW ? short : text);
  const room = () => outer.columns - columnsOf(prefix());
  const style: Style = Object.create(outer, { columns: { get: room } });
  const flow = createTextFlow(style);
  let begun = "";
  let current: Role | undefined;
  const write = (line: string) => display.write("stdout", `${outer.paint(colour, prefix())}${line}\n`);
  const writeAll = (text: string) => {
    for (const line of text.replace(/\n$/, "").split("\n")) write(line);
  };
  const endLine = () => {
    begun += flow.end();
    if (begun !== "") for (const line of begun.replace(/\n$/, "").split("\n")) write(style.paint(current, line));
    begun = "";
    current = undefined;
  };
  return {
    style,
    line(parts) {
      endLine();
      write(layout(parts, style));
    },
    paragraph(text, indent = "", role) {
      endLine();
      writeAll(paragraphOf(text, indent, style, role));
    },
    whole(text, indent = "", role) {
      endLine();
      writeAll(paragraphOf(text, indent, style, role, true));
    },
    blank() {},
    labelled(label, text) {
      endLine();
      writeAll(labelledOf(label, text, style));
    },
    say(text, role) {
      if (role !== current) endLine();
      current = role;
      const lines = `${begun}${flow.push(text)}`.split("\n");
      begun = lines.pop() ?? "";
      for (const line of lines) write(style.paint(role, line));
    },
    endLine,
  };
}

function labelledOf(label: string, text: string, style: Style): string {
  const indent = " ".repeat(columnsOf(label));
  const all = paragraphOf(text, indent, style, undefined);
  return `${label}${all.startsWith(indent) ? all.slice(indent.length) : all}`;
}

function paragraphOf(text: string, indent: string, style: Style, role: Role | undefined, isWhole = false): string {
  const most = style.columns - columnsOf(indent);
  const shown = (line: string) => style.plain(isWhole ? visible(line) : cutLong(visible(line)));
  const lines = text.split("\n").flatMap((line) => wrap(shown(line), most));
  // The first row is ours. The others may come from an agent, and must not look like one of our lines.
  const start = (line: string, index: number) =>
    indent === "" && index > 0 && startsLikeOurs(line, style.isAscii) ? " " : style.plain(indent);
  return lines
    .map((line, index) => (line === "" ? "\n" : `${start(line, index)}${style.paint(role, line)}\n`))
    .join("");
}

/** Below this many columns, the prefixes of lines are short. */
const NARROW = 60;
