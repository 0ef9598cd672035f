// Serves the log of a directory and appends to it on request.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { openLogSync } from "../../../packages/spoor/src/log/open.ts";
import { createServer } from "../../../packages/spoor/src/server/server.ts";
import { deltas, fillRun, stamped } from "../events.ts";
import { answer } from "./answer.ts";
import { paced } from "./paced.ts";

const [directory = "", token = ""] = process.argv.slice(2);
const log = openLogSync({ directory });
const server = await createServer({ log, token });

answer({
  /** Bytes in use after a full garbage collection. */
  async held() {
    setFlagsFromString("--expose-gc");
    const collectGarbage: () => void = runInNewContext("gc");
    collectGarbage();
    // The first collection frees objects whose memory only the second one releases.
    await new Promise((resolve) => setTimeout(resolve, 100));
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  },
  url: () => server.url,
  fill: (events: number, commit?: number) => fillRun(log, events, commit),
  async append(run_id: string, events: number, commit: number, last: string) {
    for (let start = 0; start < events; start += commit)
      await log.append([{ run_id, epoch: 1, drafts: deltas(commit, start) }]);
    await log.append([{ run_id, epoch: 1, drafts: [stamped(last)] }]);
  },
  pace: (run_id: string, seconds: number, perSecond: number, last: string) =>
    paced(seconds, perSecond, last, (note) => log.append([{ run_id, epoch: 1, drafts: [stamped(note)] }])),
});
