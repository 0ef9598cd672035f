import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Log } from "../../src/log/log.ts";
import { openLogSync } from "../../src/log/open.ts";
import { openRelayedLog, type RelayedLog, type RelayOptions } from "../../src/runtime/relay/relayed-log.ts";
import {
  type ProducerService,
  type ServeProducersOptions,
  serveProducers,
} from "../../src/runtime/relay/serve-producers.ts";

/** Longer than any test, so that a busy machine does not make a server seem gone. */
const NO_TIMEOUTS = { helloMs: 600_000, silenceMs: 600_000 };

export interface ServedLog {
  directory: string;
  log: Log;
  service: ProducerService;
  /** Connects a producer to this directory, or to a proxy's. */
  produce(options?: Partial<RelayOptions>): Promise<RelayedLog>;
  /** How often producers opened the log themselves. */
  opened: number;
  end(): Promise<void>;
}

/** Opens a log in a new directory and serves it to producers. */
export async function serveLog(options: Partial<ServeProducersOptions> = {}): Promise<ServedLog> {
  const directory = mkdtempSync(join(tmpdir(), "spoor-relay-"));
  const log = openLogSync({ directory });
  const service = await serveProducers({ log, directory, onFailure: fail, ...options });
  const producers: RelayedLog[] = [];
  const all: ServedLog = {
    directory,
    log,
    service,
    opened: 0,
    async produce(options) {
      const openLocal = () => {
        all.opened += 1;
        return openLogSync({ directory });
      };
      const producer = await openRelayedLog({ directory, openLocal, ...NO_TIMEOUTS, ...options });
      if (!producer) throw new Error("No server answers.");
      producers.push(producer);
      return producer;
    },
    async end() {
      await Promise.all(producers.map((producer) => producer.close()));
      await service.close();
      await log.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
  return all;
}

/** Like `serveLog`, but cleans up at the end of the test. */
export async function serveLogForTest(options?: Partial<ServeProducersOptions>): Promise<ServedLog> {
  const all = await serveLog(options);
  onTestFinished(() => all.end());
  return all;
}

function fail(error: Error): void {
  throw error;
}
