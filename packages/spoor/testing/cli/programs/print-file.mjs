// Prints the beginning of a file, whatever the prompt is, and exits: print-file.mjs <file> <number of bytes> <exit code>.
import { readFileSync } from "node:fs";

const [file, bytes, code] = process.argv.slice(2);
process.stdout.write(readFileSync(file).subarray(0, Number(bytes)), () => {
  process.exitCode = Number(code);
});
