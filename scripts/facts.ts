// Writes <name>.facts.json next to each recording: the facts that a simple, independent reader finds in it:
//
//   facts.ts             updates the files
//   facts.ts --check     changes nothing; exits with 1 and names stale files
//   facts.ts --compare FOLDER   prints where our events differ from recordings in another folder, FOLDER/<agent>/…/*.jsonl
//                               or the folder of one agent; fails if it finds no recording

import { basename, dirname, join, resolve } from "node:path";
import { adapters } from "../packages/spoor/src/agents/registry.ts";
import { disagreements } from "../packages/spoor/testing/recordings/facts/compare.ts";
import { factsOfAdapter, factsOfWire } from "../packages/spoor/testing/recordings/facts/recordings.ts";
import { fixtures, isUpToDate, recordingsIn, store } from "../packages/spoor/testing/recordings/facts/stored.ts";

const [flag, folder] = process.argv.slice(2);
process.exitCode = flag === "--compare" && folder ? await compare(folder) : update(flag === "--check");

function update(isCheck: boolean): number {
  const stale = recordingsIn(fixtures).filter((name) => !isUpToDate(name));
  for (const name of stale) {
    if (!isCheck) store(name);
    console.log(`${isCheck ? "stale" : "wrote"}: the facts of ${name}`);
  }
  return isCheck && stale.length > 0 ? 1 : 0;
}

async function compare(folder: string): Promise<number> {
  const agent = adapters.find(({ name }) => name === basename(resolve(folder)))?.name;
  const root = agent ? dirname(resolve(folder)) : folder;
  const names = recordingsIn(folder).map((name) => (agent ? `${agent}/${name}` : name));
  const known = names.filter((name) => adapters.some((adapter) => name.startsWith(`${adapter.name}/`)));
  let wrong = 0;
  for (const name of known) {
    const path = join(root, name);
    const found = disagreements(factsOfWire(name, path), await factsOfAdapter(name, path));
    if (found.length > 0) wrong += 1;
    for (const sentence of found) console.log(`${name}: ${sentence}`);
  }
  console.log(`${known.length} recordings compared, ${wrong} disagree.`);
  return known.length > 0 && wrong === 0 ? 0 : 1;
}
