import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { batchCommandLine, quoteForBatch } from "./batch-command-line.ts";

describe("an argument for a batch file", () => {
  it.for([
    ["plain", '"plain"'],
    ["", '""'],
    ["a b", '"a b"'],
    ["a & calc.exe", '"a & calc.exe"'],
    ["^caret^", '"^caret^"'],
    ["a|b>c<d", '"a|b>c<d"'],
    ["!PATH!", '"!PATH!"'],
    ['say "hi"', '"say ""hi"""'],
    ['" & calc.exe & "', '""" & calc.exe & """'],
    ["%PATH%", '"%%cd:~,%PATH%%cd:~,%"'],
    ["100%", '"100%%cd:~,%"'],
    ["C:\\dir\\", '"C:\\dir\\\\"'],
    ['back\\"slash', '"back\\\\""slash"'],
    ["a\\b", '"a\\b"'],
  ] as const)("%s becomes %s", ([argument, quoted]) => {
    expect(quoteForBatch(argument)).toBe(quoted);
  });

  it.for(["two\nlines", "carriage\rreturn", "nul\0"])(
    "%j is rejected, and the error says what to do instead",
    (argument) => {
      expect(() => quoteForBatch(argument)).toThrow(/standard input/);
    },
  );

  it("stays one argument for cmd.exe and arrives unchanged, whatever it contains", () => {
    const letters = fc.constantFrom(...'ab \t"%^&|<>!()\\;,=*?~:cd'.split(""));
    fc.assert(
      fc.property(fc.array(fc.array(letters, { maxLength: 12 }).map((parts) => parts.join(""))), (args) => {
        const line = batchCommandLine("C:\\x.cmd", args).at(-1) ?? "";
        const expanded = expandAsCmd(line.slice(1, -1));
        expect(metaOutsideQuotes(expanded)).toEqual([]);
        expect(parseAsRuntime(expanded)).toEqual(["C:\\x.cmd", ...args]);
      }),
      { numRuns: 2000 },
    );
  });
});

/** Percent expansion as on a command line: a name between two percent signs is a variable, and only `cd` has a value here. */
function expandAsCmd(line: string): string {
  return line.replace(/%([^%]+)%/g, (_all, name: string) => {
    if (name === "cd:~,") return "";
    throw new Error(`cmd.exe would expand %${name}%`);
  });
}

/** The characters that cmd.exe interprets: those outside quotes, which it toggles at every quote. */
function metaOutsideQuotes(line: string): string[] {
  let quoted = false;
  return [...line].filter((letter) => {
    if (letter === '"') quoted = !quoted;
    return !quoted && "&|<>^()%!".includes(letter);
  });
}

/** Splits a command line as the C runtime does since 2008. */
function parseAsRuntime(line: string): string[] {
  const args: string[] = [];
  let current: string | undefined;
  let quoted = false;
  for (let at = 0; at < line.length; at += 1) {
    const slashes = /^\\*/.exec(line.slice(at))?.[0].length ?? 0;
    if (slashes > 0) {
      const beforeQuote = line[at + slashes] === '"';
      current = (current ?? "") + "\\".repeat(beforeQuote ? Math.floor(slashes / 2) : slashes);
      at += slashes;
      if (beforeQuote && slashes % 2 === 1) {
        current += '"';
        continue;
      }
      if (at >= line.length) break;
    }
    const letter = line[at] ?? "";
    if (letter === '"' && quoted && line[at + 1] === '"') {
      current = `${current ?? ""}"`;
      at += 1;
    } else if (letter === '"') {
      quoted = !quoted;
      current ??= "";
    } else if ((letter === " " || letter === "\t") && !quoted) {
      if (current !== undefined) args.push(current);
      current = undefined;
    } else current = (current ?? "") + letter;
  }
  return current === undefined ? args : [...args, current];
}
