import { parentPort, workerData } from "node:worker_threads";
import { openFile } from "./driver.ts";
import { checkpointAndClearMarks } from "./recovery/clear-marks.ts";

/** The thread that checkpoint.ts starts. */
const path = workerData as string;
const database = openFile(path);
const checkpoint = database.prepare("PRAGMA wal_checkpoint(PASSIVE)");

/** Commits may be paused while this many frames of the write-ahead log are moved. */
const FEW_FRAMES = 64;

parentPort?.on("message", (request: "begin" | "finish") => {
  if (request === "finish") {
    checkpointAndClearMarks(database, path);
    parentPort?.postMessage("done");
    return;
  }
  let before = 0;
  // Each round moves what was committed during the round before. The amount shrinks unless the disk cannot keep up.
  for (let round = 0; round < 8; round++) {
    const frames = Number(checkpoint.get()?.log ?? 0);
    if (frames - before < FEW_FRAMES) break;
    before = frames;
  }
  parentPort?.postMessage("nearly");
});
