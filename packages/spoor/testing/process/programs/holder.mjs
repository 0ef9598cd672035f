// Outlives the program that started it: holder.mjs <behaviour> [file]. Writes a line and sends a message when it has started.
import { writeFileSync, writeSync } from "node:fs";

const [behaviour, file] = process.argv.slice(2);
const behaviours = {
  mild: () => process.on("SIGTERM", () => process.exit(0)),
  stubborn: () => process.on("SIGTERM", () => {}),
  /** Needs some time to clean up; a second SIGTERM kills it before. */
  cleaning: () => process.once("SIGTERM", () => setTimeout(() => process.exit(writeFileSync(file, "clean")), 50)),
  /** Writes a line after its parent has exited, then exits. */
  late() {
    process.once("disconnect", () => setTimeout(() => process.exit(writeSync(1, "late words\n") && 0), 50));
  },
  flooding() {
    behaviours.stubborn();
    process.once("disconnect", () => {
      for (;;) writeSync(1, `${"z".repeat(999)}\n`);
    });
  },
};
behaviours[behaviour]();
setTimeout(() => {}, 60_000);
writeSync(1, "from the one behind\n");
process.send("here");
