// Prints each line of its input, on stderr if it begins with "err ", and prints a line when the input ends.
import { createInterface } from "node:readline";

for await (const line of createInterface({ input: process.stdin })) {
  if (line.startsWith("err ")) console.error(line);
  else console.log(line);
}
console.log("end of input");
