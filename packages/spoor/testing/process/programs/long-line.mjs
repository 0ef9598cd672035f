// Writes one line of the given length in small parts, then a short one.
import { writeSync } from "node:fs";

const part = Buffer.alloc(10_000, "y");
for (let left = Number(process.argv[2]); left > 0; left -= part.length) {
  const wanted = Math.min(left, part.length);
  for (let at = 0; at < wanted; ) at += writeSync(1, part, at, wanted - at);
}
writeSync(1, "\nend\n");
