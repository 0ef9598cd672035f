import { changesOf, isBroken } from "./changes.ts";
import type { Cli } from "./cli.ts";
import { digestOf } from "./digest.ts";
import { keep } from "./keep.ts";
import { install, newestVersion, pin, pinnedVersion } from "./newest.ts";
import { isInstalled } from "./place.ts";
import { readResults } from "./results.ts";
import { runAll } from "./run-all.ts";
import { readWires } from "./wire.ts";

/** Runs the agents that have a newer version on npm, and prints the outcome of each. */
export async function tryNewest(clis: readonly Cli[], isPinning: boolean): Promise<boolean> {
  const told: string[] = [];
  let isWell = true;
  for (const cli of clis) {
    const [pinned, newest] = [pinnedVersion(cli), await newestVersion(cli)];
    if (newest === pinned) told.push(`${cli.name} ${pinned} is the newest.`);
    else if (newest === undefined) {
      told.push(`${cli.name} ${pinned}: npm did not report the newest version.`);
      isWell = false;
    } else {
      const { sentence, isFine } = await tryNewer(cli, { pinned, version: newest, isPinning });
      told.push(sentence);
      isWell &&= isFine;
    }
  }
  console.log(`\n${told.join("\n")}`);
  if (isPinning) {
    console.log(
      "\nCommit conformance/package.json, package-lock.json, results.json and wire.gen.json after `npm run generate`.",
    );
  }
  return isWell;
}

interface Trying {
  pinned: string;
  version: string;
  isPinning: boolean;
}

/** Runs a newer version, prints the differences, and pins it if that is requested and no scenario changed. */
async function tryNewer(
  cli: Cli,
  { pinned, version, isPinning }: Trying,
): Promise<{ sentence: string; isFine: boolean }> {
  const title = `${cli.name} ${version} (pinned: ${pinned})`;
  console.log(`\n${title}`);
  const installed = await install(cli, version);
  if (!installed) return { sentence: `${title} cannot be installed; see above.`, isFine: false };
  const { modules, isWhole } = installed;
  const how = isWhole ? "" : " npm cannot install what it depends on, so its package was run alone.";
  if (!(await isInstalled(cli, modules))) {
    return { sentence: `${title} has no program at ${cli.program}: change clis.ts.${how}`, isFine: false };
  }
  const digest = digestOf(cli.name);
  const runs = await runAll(cli, version, modules);
  const [result, wire] = [readResults()[cli.name], readWires()[cli.name]];
  const before = result && wire ? { scenarios: result.scenarios, wire } : undefined;
  const changes = before
    ? changesOf(before, runs)
    : ["There is no result to compare it with. Run the pinned version first."];
  if (result && result.digest !== digest) {
    console.log(
      "The adapter has changed since the pinned version was run, so it may have caused some of these differences.",
    );
  }
  for (const change of changes.length > 0 ? changes : ["Nothing has changed."]) console.log(`- ${change}`);
  const passed = Object.values(runs.scenarios).filter((told) => told === "passed").length;
  const isFine = runs.surprises === 0 && !(before && isBroken(before, runs));
  const isPinned = isPinning && isFine && isWhole;
  if (isPinned) {
    pin(cli, version);
    keep(cli, version, digest, runs);
  }
  const verdict = isFine ? "came through like the pinned version" : "came out otherwise; see above";
  return {
    sentence: `${title}: ${passed} scenarios passed; it ${verdict}.${how}${isPinned ? " It is pinned now." : ""}`,
    isFine,
  };
}
