// Prints the lines of a file, whatever it is asked, and exits with a code: play.mjs <file> <how many bytes of it> <code>.
import { readFileSync } from "node:fs";

const [file, bytes, code] = process.argv.slice(2);
process.stdout.write(readFileSync(file).subarray(0, Number(bytes)), () => {
  process.exitCode = Number(code);
});
