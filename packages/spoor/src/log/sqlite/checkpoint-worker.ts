import { parentPort, workerData } from "node:worker_threads";
import { openFile } from "./driver.ts";
import { settleMarks } from "./recovery/clear-marks.ts";

/** See checkpoint.ts. */
const path = workerData as string;
const database = openFile(path);
const checkpoint = database.prepare("PRAGMA wal_checkpoint(PASSIVE)");

/** Frames that are few enough for commits to wait for. */
const FEW = 64;

parentPort?.on("message", (wish: "begin" | "finish") => {
  if (wish === "finish") {
    settleMarks(database, path);
    parentPort?.postMessage("done");
    return;
  }
  let before = 0;
  // Each round moves what came in during the one before, which is less each time unless the disk cannot keep up.
  for (let round = 0; round < 8; round++) {
    const frames = Number(checkpoint.get()?.log ?? 0);
    if (frames - before < FEW) break;
    before = frames;
  }
  parentPort?.postMessage("nearly");
});
