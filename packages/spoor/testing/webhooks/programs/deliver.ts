import { openLog } from "../../../src/log/open.ts";
import { startWebhooks } from "../../../src/translators/webhooks/webhooks.ts";
import { quickPace, TEST_SECRET } from "../quick-pace.ts";

// Delivers `run.*` of a log until it is killed: <data directory> <url>. Prints a line when it has begun.
const [directory = "", url = ""] = process.argv.slice(2);
const log = await openLog({ directory });
await startWebhooks({
  log,
  directory,
  urls: [url],
  types: ["run.*"],
  secrets: { place: "a test", read: async () => [TEST_SECRET] },
  onNotice: () => {},
  pace: { ...quickPace, timeout: 200 },
});
console.log("begun");
setInterval(() => {}, 60_000);
