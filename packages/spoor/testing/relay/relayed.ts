import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Log } from "../../src/log/log.ts";
import { openLogSync } from "../../src/log/open.ts";
import {
  type ProducerService,
  type ServeProducersOptions,
  serveProducers,
} from "../../src/runtime/relay/serve-producers.ts";
import { type ServedLog, type ThroughServerOptions, throughServer } from "../../src/runtime/relay/through-server.ts";

/** Longer than any test: nothing is to be taken for gone because the machine is busy. */
const PATIENT = { helloMs: 600_000, silenceMs: 600_000 };

export interface Relayed {
  directory: string;
  log: Log;
  service: ProducerService;
  /** A producer on this directory, or on another that leads here. */
  produce(options?: Partial<ThroughServerOptions>): Promise<ServedLog>;
  /** How often a producer has opened the log itself. */
  opened: number;
  end(): Promise<void>;
}

/** A log that is served to producers. */
export async function relayed(options: Partial<ServeProducersOptions> = {}): Promise<Relayed> {
  const directory = mkdtempSync(join(tmpdir(), "spoor-relay-"));
  const log = openLogSync({ directory });
  const service = await serveProducers({ log, directory, onFailure: fail, ...options });
  const producers: ServedLog[] = [];
  const all: Relayed = {
    directory,
    log,
    service,
    opened: 0,
    async produce(options) {
      const openLocal = () => {
        all.opened += 1;
        return openLogSync({ directory });
      };
      const producer = await throughServer({ directory, openLocal, ...PATIENT, ...options });
      if (!producer) throw new Error("Nobody answers.");
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

/** The same, gone with the test. */
export async function relayedForTest(options?: Partial<ServeProducersOptions>): Promise<Relayed> {
  const all = await relayed(options);
  onTestFinished(() => all.end());
  return all;
}

function fail(error: Error): void {
  throw error;
}
