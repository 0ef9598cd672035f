// Changes files as a call of our loop does, or settles such a change, and kills itself before the given step.

import { readBeneath } from "../../../src/runtime/artifacts/beneath.ts";
import { changeCallFiles, settleCallChanges } from "../../../src/runtime/artifacts/file-changes.ts";

const [action = "", directory = "", root = "", wanted = "", texts = "{}", run_id = "run_1", call_id = "call/1"] =
  process.argv.slice(2);
let step = 0;
let renames = 0;
const onStep = (name: string) => {
  step += 1;
  if (step === Number(wanted)) process.kill(process.pid, "SIGKILL");
  // The third file cannot be replaced.
  if (action === "fail" && (name === "rename" || name === "unlink") && ++renames === 3) throw new Error("It is full.");
};
if (action === "settle") await settleCallChanges(directory, run_id, onStep);
else {
  const wantedTexts = Object.entries(JSON.parse(texts) as Record<string, { text: string; mode: number } | null>);
  const edits = await Promise.all(
    wantedTexts.map(async ([path, to]) => ({
      ...{ path, before: await readBeneath(root, path) },
      after: to ? { bytes: Buffer.from(to.text), mode: to.mode } : undefined,
    })),
  );
  const change = { directory, run_id, call_id, root, check: async () => {}, onStep };
  await changeCallFiles(change, edits).catch((error: Error) => console.log(error.message));
}
console.log(`done after ${step} steps`);
