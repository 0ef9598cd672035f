import { parentPort, workerData } from "node:worker_threads";
import { openFile } from "./driver.ts";

/** See checkpoint.ts. */
const database = openFile(workerData as string);
parentPort?.on("message", () => {
  database.exec("PRAGMA wal_checkpoint(PASSIVE)");
  parentPort?.postMessage("done");
});
