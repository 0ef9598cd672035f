import { expect, it } from "vitest";
import { lastPieces, terminalLines } from "./terminal-lines.ts";

const out = (text: string) => [{ stream: "stdout", text } as const];
const texts = (text: string) => terminalLines(out(text)).map(({ runs }) => runs.map((run) => run.text).join(""));

it("splits the output at line breaks", () => {
  expect(texts("a\nb\r\n\nc")).toEqual(["a", "b", "", "c"]);
});

it("writes over a line after a carriage return", () => {
  expect(texts("10 %\r20 %\r100 %\n")).toEqual(["100 %"]);
  expect(texts("longer\rab")).toEqual(["abnger"]);
});

it("erases a line", () => {
  expect(texts("longer\r\u001b[Kab")).toEqual(["ab"]);
  expect(texts("longer\u001b[2K\rab")).toEqual(["ab    "]);
});

it("keeps the colour from one line to the next", () => {
  expect(terminalLines(out("\u001b[1;31mred\nstill\u001b[0m not"))).toEqual([
    { stream: "stdout", runs: [{ text: "red", style: "r bold" }] },
    {
      stream: "stdout",
      runs: [
        { text: "still", style: "r bold" },
        { text: " not", style: "" },
      ],
    },
  ]);
});

it.each([
  ["38;5;196", "r"],
  ["38;5;16", "d"],
  ["38;2;0;0;0", "d"],
  ["38;2;80;200;120", "g"],
  ["38;2;255;255;255", ""],
  ["30", "d"],
  ["92", "g"],
  ["48;2;1;2;3;33", "y"],
])("shows the colour %s as %j, never as the colour of the ground", (code, style) => {
  expect(terminalLines(out(`\u001b[${code}mx`))[0]?.runs).toEqual([{ text: "x", style }]);
});

it("leaves other escape sequences in the text, to be shown as codes", () => {
  expect(texts("\u001b[2Jgone\u001b]8;;http://x\u0007link")).toEqual(["\u001b[2Jgone\u001b]8;;http://x\u0007link"]);
});

it("knows from which stream a line comes", () => {
  const lines = terminalLines([
    { stream: "stdout", text: "a\n" },
    { stream: "stderr", text: "b\n" },
  ]);
  expect(lines.map(({ stream }) => stream)).toEqual(["stdout", "stderr"]);
});

it("takes only the last lines of a long output", () => {
  const pieces = Array.from({ length: 1_000 }, (_, n) => ({ stream: "stdout" as const, text: `line ${n}\nmore` }));
  expect(terminalLines(lastPieces(pieces, 3, 10_000)).length).toBe(3);
  expect(lastPieces(out("a\nb\nc\n"), 2, 100)).toEqual(out("b\nc\n"));
  expect(lastPieces(out("x".repeat(100)), 2, 10)).toEqual(out("x".repeat(10)));
});
