// Writes lines to a file descriptor: flood.mjs <fd> <number of lines, or "endless"> <bytes per line> [exit code]
import { writeSync } from "node:fs";

const [fd, count, size, code = "0"] = process.argv.slice(2);
const line = `${"x".repeat(Number(size) - 1)}\n`;
const batch = Math.max(1, Math.floor(64_000 / line.length));
for (let left = count === "endless" ? Number.POSITIVE_INFINITY : Number(count); left > 0; left -= batch) {
  write(Buffer.from(line.repeat(Math.min(batch, left))));
}
process.exit(Number(code));

function write(bytes) {
  for (let at = 0; at < bytes.length; ) at += writeSync(Number(fd), bytes, at);
}
