// Prints the lines of a JSON file, given as `{"lines":[{"from","text"}…],"code"}`, and exits with the code.
import { readFileSync, writeSync } from "node:fs";

const { lines, code } = JSON.parse(readFileSync(process.argv[2], "utf8"));
for (const { from, text } of lines) writeSync(from === "stdout" ? 1 : 2, `${text}\n`);
process.exitCode = code;
