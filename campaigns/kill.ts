import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Log } from "../packages/spoor/src/log/log.ts";
import { openLogSync } from "../packages/spoor/src/log/open.ts";
import { builtIn } from "../packages/spoor/src/log/sqlite/migrate.ts";
import { eventsOf, linesOf, readWhole } from "../packages/spoor/testing/log/drafts.ts";
import type { Campaign, CampaignOptions, CampaignResult } from "./campaign.ts";
import { createRandom } from "./random.ts";

const writer = fileURLToPath(new URL("../packages/spoor/testing/log/programs/writer.ts", import.meta.url));
const AT_ONCE = 2;

export const campaign: Campaign = {
  name: "kill",
  about:
    "Processes that append, merge, prune and migrate are killed at random moments; every event that was acknowledged or seen must be present, in order and with the same bytes, and rows must be as far as events.",
  cases: { small: 24, full: 1_000 },
  async run(options) {
    const directory = await mkdtemp(join(tmpdir(), "spoor-kill-"));
    try {
      return await new KillCampaign(directory, options).run();
    } finally {
      await rm(directory, { recursive: true });
    }
  },
};

class KillCampaign {
  readonly #directory: string;
  readonly #options: CampaignOptions;
  readonly #random: () => number;
  /** The number of migrations beyond today's schema; writers add newer ones now and then. */
  #steps = 0;
  /** The notes of each run by sequence, added once the append was acknowledged. */
  readonly #acknowledged = new Map<string, Map<number, string>>();
  /** The lines that a reader saw while the writers worked, by run and sequence. */
  readonly #seen = new Map<string, string>();
  readonly #failures: string[] = [];

  constructor(directory: string, options: CampaignOptions) {
    this.#directory = directory;
    this.#options = options;
    this.#random = createRandom(options.seed);
  }

  async run(): Promise<CampaignResult> {
    let log = this.#open();
    let stop = this.#follow(log);
    for (let kill = 0; kill < this.#options.cases; kill += AT_ONCE) {
      // No other process may have the log open while writers migrate its schema.
      const migrates = kill % 20 === 10;
      if (migrates) {
        stop();
        await log.close();
        this.#steps += 1;
      }
      await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => this.#writeAndDie(kill + index)));
      if (migrates) {
        log = this.#open();
        stop = this.#follow(log);
      }
      await this.#check(log, kill);
      this.#options.onCase?.(kill + AT_ONCE);
    }
    stop();
    await log.close();
    log = this.#open();
    await this.#check(log, this.#options.cases, true);
    await log.close();
    const acknowledged = [...this.#acknowledged.values()].reduce((sum, run) => sum + run.size, 0);
    if (acknowledged < this.#options.cases)
      this.#failures.push(`Only ${acknowledged} events were written, too few to test anything.`);
    const counts = { killed: this.#options.cases, "events acknowledged": acknowledged, "events seen": this.#seen.size };
    return { counts, failures: this.#failures };
  }

  /** Starts a writer and kills it after a short random time: some die at once, some after hundreds of commits. */
  async #writeAndDie(number: number): Promise<void> {
    const args = ["--conditions=spoor-source", "--disable-warning=ExperimentalWarning", writer, this.#directory];
    const seed = this.#options.seed * 1_000_003 + number + 1;
    const child = spawn(process.execPath, [...args, `w${number}`, String(seed), String(this.#steps)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const lifetime = this.#random() ** 2 * 100;
    const ready = Promise.withResolvers<void>();
    const lines = createInterface({ input: child.stdout });
    const closed = once(lines, "close");
    lines.on("line", (line) => this.#note(line, ready.resolve));
    await Promise.race([ready.promise, died(child)]);
    await sleep(lifetime);
    child.kill("SIGKILL");
    await Promise.all([died(child), closed]);
    if (child.signalCode !== "SIGKILL")
      this.#failures.push(`Writer ${number} ended before it was killed, with exit code ${child.exitCode}.`);
  }

  #note(line: string, ready: () => void): void {
    let message: { acked?: { run_id: string; texts: string[]; first_sequence: number }[] };
    try {
      message = JSON.parse(line);
    } catch {
      // The kill cut the writer's output in the middle of a line.
      return;
    }
    ready();
    for (const { run_id, texts, first_sequence } of message.acked ?? []) {
      const run = this.#acknowledged.get(run_id) ?? new Map<number, string>();
      this.#acknowledged.set(run_id, run);
      for (const [index, text] of texts.entries()) run.set(first_sequence + index, text);
    }
  }

  #open(): Log {
    const further = Array.from({ length: this.#steps }, (_, step) => ({
      version: builtIn().length + step + 1,
      sql: "SELECT 1",
    }));
    return openLogSync({ directory: this.#directory, migrations: [...builtIn(), ...further], pollMs: 1 });
  }

  #follow(log: Log): () => void {
    return log.watch((piece) => {
      for (const line of linesOf([piece])) this.#seen.set(`${piece.run_id} ${JSON.parse(line).sequence}`, line);
    });
  }

  /** Checks the newest runs after every kill, and all runs now and then. */
  async #check(log: Log, kill: number, everything = false): Promise<void> {
    const runs = [...this.#acknowledged.keys()];
    for (const [index, run_id] of runs.entries()) {
      if (everything || kill % 40 === 0 || index >= runs.length - 10) await this.#checkRun(log, run_id, kill);
    }
    for (const place of everything ? this.#seen.keys() : []) {
      const [run_id = "", sequence = ""] = place.split(" ");
      const last = (await log.run(run_id))?.last_sequence ?? -1;
      if (last < Number(sequence)) this.#fail(kill, `event ${sequence} of ${run_id} was seen but is missing`);
    }
  }

  /** The row of a run names the last note that its own writer appended, since both are written in one transaction. */
  async #checkRow(log: Log, run_id: string, events: ReturnType<typeof eventsOf>, kill: number): Promise<void> {
    const row = await log.rows.find("workspaces", run_id);
    const last = events.findLast(({ data }) => String(data.note).startsWith(`${row?.mode}.`));
    // All notes of the writer may have been pruned.
    if (row && !last && events[0]?.type === "gap.events_pruned") return;
    if (!row || last?.data.note !== `${row.mode}.${row.generation}`)
      this.#fail(kill, `the row of ${run_id} names note ${row?.generation}, but its last note is ${last?.data.note}`);
  }

  async #checkRun(log: Log, run_id: string, kill: number): Promise<void> {
    const pieces = await readWhole((after) => log.read(run_id, { after }));
    const events = eventsOf(pieces);
    const lines = linesOf(pieces);
    await this.#checkRow(log, run_id, events, kill);
    const pruned = events[0]?.type === "gap.events_pruned" ? (events[0].sequence as number) : -1;
    const first = Math.max(pruned, 0);
    if (events.some(({ sequence }, index) => sequence !== first + index))
      this.#fail(kill, `the sequences of ${run_id} have a gap`);
    for (const [sequence, text] of this.#acknowledged.get(run_id) ?? []) {
      if (sequence <= pruned) continue;
      const index = sequence - first;
      const seen = this.#seen.get(`${run_id} ${sequence}`);
      if (events[index]?.data.note !== text) this.#fail(kill, `event ${sequence} of ${run_id} is not "${text}"`);
      else if (seen !== undefined && lines[index] !== seen)
        this.#fail(kill, `event ${sequence} of ${run_id} has other bytes than were seen`);
    }
    for await (const { damage } of log.upkeep.verify(run_id)) {
      if (damage.length > 0) this.#fail(kill, `verify finds ${JSON.stringify(damage)} in ${run_id}`);
    }
  }

  #fail(kill: number, what: string): void {
    this.#failures.push(`After kill ${kill}: ${what}.`);
  }
}

const died = (child: ChildProcess) => (child.exitCode ?? child.signalCode) === null && once(child, "close");
