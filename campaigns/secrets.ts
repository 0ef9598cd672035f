import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openLogSync } from "../packages/spoor/src/log/open.ts";
import { exportBundle } from "../packages/spoor/src/runtime/bundle/export.ts";
import { Recorder } from "../packages/spoor/src/runtime/recorder/recorder.ts";
import { createServer } from "../packages/spoor/src/server/server.ts";
import type { Campaign } from "./campaign.ts";
import { createRandom } from "./random.ts";
import { type Attack, attackChannels, attackNames } from "./secrets/attack.ts";
import { createNeedles } from "./secrets/needles.ts";
import { scanOrdinaryLines } from "./secrets/ordinary-lines.ts";
import { createStage, play } from "./secrets/stage.ts";

/** The number of runs that share a data directory, which is searched when they have ended. */
const RUNS_PER_DIRECTORY = 20;
/** With fewer runs than this, only one in twenty files is read for ordinary lines. */
const MANY_RUNS = 1_000;
const MOST_CHANGED_OF_10_000 = 1;
/** Percent. */
const LEAST_REDACTED = 99;
const TOKEN = "only-for-this-campaign";

export const campaign: Campaign = {
  name: "secrets",
  about:
    "Two secrets of random kinds go through every channel of a recorded run, cut at random places, and every file of the data directory is searched for them; ordinary lines must not change.",
  cases: { small: 40, full: 5_000 },
  async run({ cases, seed, onCase }) {
    const random = createRandom(seed);
    const leaks: string[] = [];
    let tried = 0;
    for (let done = 0; done < cases; done += RUNS_PER_DIRECTORY) {
      const runs = Math.min(RUNS_PER_DIRECTORY, cases - done);
      const result = await attackDirectory(runs, random, (run) => onCase?.(done + run));
      tried += result.tried;
      leaks.push(...result.leaks);
    }
    const redacted = tried - leaks.length;
    const failures = (redacted / tried) * 100 < LEAST_REDACTED ? leaks : [];
    const ordinary = scanOrdinaryLines(cases < MANY_RUNS ? 4 : 1, random);
    const changedOf10000 = (ordinary.changed.length / ordinary.lines) * 10_000;
    if (changedOf10000 > MOST_CHANGED_OF_10_000) failures.push(...ordinary.changed.map((line) => `Changed: ${line}`));
    return {
      counts: {
        "secrets tried": tried,
        redacted,
        "% redacted": rounded((redacted / tried) * 100),
        "ordinary lines": ordinary.lines,
        changed: ordinary.changed.length,
        "changed of 10,000": rounded(changedOf10000),
      },
      failures,
    };
  },
};

async function attackDirectory(runs: number, random: () => number, onRun: (run: number) => void) {
  const directory = await mkdtemp(join(tmpdir(), "spoor-secrets-"));
  const needles = createNeedles();
  const attacks: Attack[] = [];
  try {
    const log = openLogSync({ directory, durability: "process" });
    const server = await createServer({ log, token: TOKEN });
    try {
      for (let run = 1; run <= runs; run++) {
        const stage = createStage();
        const added = [...attackChannels(stage, random), ...attackNames(stage, random)];
        for (const { secrets } of added) for (const secret of secrets) needles.add(secret);
        attacks.push(...added);
        const run_id = await play(stage, new Recorder({ log, record_thinking: true, record_tool_input: true }));
        for (const body of stage.posted) await post(`${server.url}/v1/runs/${run_id}/events`, body);
        await exportBundle(log, run_id, join(directory, `${run_id}.spoor`));
        // A tape is compressed, so its text does not appear in the bytes of the files.
        for await (const { text } of log.tapes.read(run_id)) needles.search(text);
        onRun(run);
      }
    } finally {
      await server.close(0);
      // Data that is not yet in the database file is in the write-ahead log.
      await needles.searchFiles(directory);
      await log.close();
    }
    await needles.searchFiles(directory);
  } finally {
    await rm(directory, { recursive: true });
  }
  const secrets = attacks.flatMap(({ secrets, describe }) => secrets.map((secret) => ({ secret, describe })));
  const leaks = secrets.filter(({ secret }) => needles.found(secret));
  return {
    tried: secrets.length,
    leaks: leaks.map(({ secret, describe }) => `${describe} leaked ${JSON.stringify(secret)}.`),
  };
}

async function post(url: string, body: object): Promise<void> {
  const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  if (response.status !== 201) throw new Error(`The server answered ${response.status} to a posted event.`);
  await response.arrayBuffer();
}

const rounded = (figure: number): number => Math.round(figure * 1000) / 1000;
