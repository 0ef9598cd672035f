import { Writable } from "node:stream";
import { encode } from "uqr";
import { expect, test } from "vitest";
import { qrCode } from "./qr-code.ts";

const LINK = "http://192.168.1.20:7777/login/gCWg4jh5WZ-luWLd3tFQevB6fNVExbOB3XFDrVoyNbk";

const terminal = (columns: number) => Object.assign(new Writable(), { isTTY: true, columns });

/** Whether the upper and the lower half of a character have the colour of the letters. */
const halves: Readonly<Record<string, readonly [boolean, boolean]>> = {
  "█": [true, true],
  "▀": [true, false],
  "▄": [false, true],
  " ": [false, false],
};

/** The squares that a terminal draws, true where they are dark: white letters on black, or black ones on white. */
function darkSquares(drawn: string): boolean[][] {
  return drawn
    .trimEnd()
    .split("\n")
    .flatMap((line) => {
      const [, colours = "", text = ""] = /^ {2}\[([\d;]+)m(.*)\[0m$/.exec(line.replaceAll("\u001b", "")) ?? [];
      const lettersAreDark = { "97;40": false, "30;107": true }[colours];
      expect(lettersAreDark, colours).toBeDefined();
      return [0, 1].map((half) => [...text].map((character) => halves[character]?.[half] === lettersAreDark));
    });
}

test("a link is drawn dark on light, as every phone reads it", async () => {
  const { data } = encode(LINK, { border: 2 });
  expect(darkSquares(await qrCode(LINK, terminal(100))).slice(0, data.length)).toEqual(data);
});

test("nothing is drawn where it does not fit, or where nobody looks", async () => {
  expect(await qrCode(LINK, terminal(30))).toBe("");
  expect(await qrCode(LINK, new Writable())).toBe("");
});
