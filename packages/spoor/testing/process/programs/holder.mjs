// Stays behind when the one that started it exits: holder.mjs <temper> [file]. Tells when it is there, and writes a line.
import { writeFileSync, writeSync } from "node:fs";

const [temper, file] = process.argv.slice(2);
const tempers = {
  mild: () => process.on("SIGTERM", () => process.exit(0)),
  stubborn: () => process.on("SIGTERM", () => {}),
  /** Takes its time to clean up, and is cut short by a second request. */
  cleaning: () => process.once("SIGTERM", () => setTimeout(() => process.exit(writeFileSync(file, "clean")), 50)),
  /** Has something to say once it is alone, and then goes. */
  late() {
    process.once("disconnect", () => setTimeout(() => process.exit(writeSync(1, "late words\n") && 0), 50));
  },
  flooding() {
    tempers.stubborn();
    process.once("disconnect", () => {
      for (;;) writeSync(1, `${"z".repeat(999)}\n`);
    });
  },
};
tempers[temper]();
setTimeout(() => {}, 60_000);
writeSync(1, "from the one behind\n");
process.send("here");
