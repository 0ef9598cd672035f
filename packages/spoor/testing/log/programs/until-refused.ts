// Appends until the disk refuses, and prints what was acknowledged.

import { openLogSync } from "../../../src/log/open.ts";
import { draft } from "../drafts.ts";

const [directory = "", run_id = ""] = process.argv.slice(2);
const acked: string[] = [];
const codes: string[] = [];
try {
  const log = openLogSync({ directory });
  for (let number = 0; codes.length < 2 && number < 5_000; number++) {
    const texts = Array.from({ length: (number % 7) + 1 }, (_, index) => `${number}.${index} ${"x".repeat(200)}`);
    try {
      await log.append([{ run_id, drafts: texts.map((text) => draft(text)) }]);
      acked.push(...texts);
    } catch (error) {
      codes.push((error as { code: string }).code);
    }
  }
} catch (error) {
  codes.push((error as { code: string }).code, (error as { code: string }).code);
}
console.log(JSON.stringify({ acked, code: codes[0], again: codes[1] }));
process.exit();
