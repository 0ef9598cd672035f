const simple: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

/** Reads the inside of `$'…'` up to its closing quote. `length` includes the quote. */
export function readAnsiC(text: string): { value: string; length: number } {
  let value = "";
  let at = 0;
  while (at < text.length && text[at] !== "'") {
    if (text[at] !== "\\") {
      value += text[at];
      at += 1;
      continue;
    }
    const rest = text.slice(at + 1);
    const code = /^(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3}))/.exec(rest);
    if (code) {
      const [all, byte, short, long, octal] = code;
      const number =
        octal === undefined ? Number.parseInt(byte ?? short ?? long ?? "0", 16) : Number.parseInt(octal, 8) & 255;
      // bash ends the text at a NUL.
      value += number === 0 || number > 0x10ffff ? "\0" : String.fromCodePoint(number);
      at += 1 + all.length;
    } else if (/^c./.test(rest)) {
      value += String.fromCharCode(rest.charCodeAt(1) & 31 || 0);
      at += 3;
    } else {
      value += simple[rest[0] ?? ""] ?? (/^[\\'"?]/.test(rest) ? rest[0] : `\\${rest[0] ?? ""}`);
      at += 2;
    }
  }
  return { value, length: at + 1 };
}
