// Applies or reverts the patches of a run, or settles changes that were cut off, and kills itself before the given step.
import { openLog } from "../../../src/log/open.ts";
import { applyRun, recoverPending, revertRun } from "../../../src/runtime/artifacts/index.ts";

const [action = "", directory = "", run_id = "", wanted = ""] = process.argv.slice(2);
const log = await openLog({ directory });
let step = 0;
const onStep = () => {
  step += 1;
  if (step === Number(wanted)) process.kill(process.pid, "SIGKILL");
};
const run = await log.run(run_id);
if (!run) throw new Error("There is no such run.");
if (action === "recover") await recoverPending(log, directory, { onStep });
else await (action === "apply" ? applyRun : revertRun)({ log, directory, onStep }, { run, by: "ann" });
await log.close();
console.log(`done after ${step} steps`);
