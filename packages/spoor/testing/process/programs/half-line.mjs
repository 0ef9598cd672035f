// Dies in the middle of a line.
import { writeSync } from "node:fs";

writeSync(1, 'whole\n{"half":');
process.exit(3);
