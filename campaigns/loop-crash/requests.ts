import { Conversation } from "../../packages/spoor/src/loop/conversation.ts";
import { readState } from "../../packages/spoor/src/loop/provider-state.ts";
import { findModel } from "../../packages/spoor/src/loop/providers/index.ts";
import { callOptionsOf, type ModelRequest } from "../../packages/spoor/src/loop/providers/request.ts";
import { allRuns } from "../crash/judge.ts";
import type { LoopStage } from "./stage.ts";
import type { Asked } from "./wire.ts";

/** Holds every request to the model against what the stored events say at that moment. Returns what is wrong so far. */
export function watchRequests(stage: LoopStage): string[] {
  const broken: string[] = [];
  const last = new Map<string, Asked>();
  stage.model.check = async (asked, raw) => {
    const run_id = await runOf(stage, asked);
    if (run_id === undefined) {
      broken.push(`nobody knows for which run the model was asked: ${raw.slice(0, 200)}`);
      return;
    }
    const expected = await rebuiltBody(stage, run_id, asked);
    if (expected !== raw) broken.push(`a request is not what its events give: ${difference(expected ?? "", raw)}`);
    stage.rebuilt += 1;
    const before = last.get(run_id);
    if (before && !asked.isSummary && !before.isSummary) broken.push(...changes(before, asked));
    last.set(run_id, asked);
  };
  return broken;
}

/** The body of the request that a process would send that knows nothing but the events and the contents that they name. */
async function rebuiltBody(stage: LoopStage, run_id: string, asked: Asked): Promise<string | undefined> {
  const { log, data, model, modelName, rebuilding } = stage;
  const conversation = new Conversation();
  for (const envelope of await stage.events(run_id)) conversation.add(envelope);
  const messages = await conversation.messages((sha256) => readState(log, data, sha256));
  const wanted = asked.isSummary ? [{ role: "user", content: [{ type: "text", text: asked.said.at(-1) }] }] : [];
  const prompt = [{ role: "system", content: asked.system }, ...messages, ...wanted] as ModelRequest["prompt"];
  const found = await findModel(modelName, rebuilding);
  return model.bodyOf(async () => found.model.doStream(callOptionsOf(found, { prompt, tools: asked.tools })));
}

/** What was said once is never said differently: each request begins with all messages of the one before. */
function changes(before: Asked, asked: Asked): string[] {
  const isShortened = asked.said[0] !== before.said[0];
  const changed = isShortened ? -1 : before.messages.findIndex((message, index) => message !== asked.messages[index]);
  return [
    ...(before.rest === asked.rest ? [] : [`instructions or tools changed: ${difference(before.rest, asked.rest)}`]),
    ...(changed === -1
      ? []
      : [`a message changed: ${difference(before.messages[changed] ?? "", asked.messages[changed] ?? "")}`]),
  ];
}

/** The run whose first prompt the request holds. */
async function runOf(stage: LoopStage, { said }: Asked): Promise<string | undefined> {
  for (const { run_id } of await allRuns(stage)) {
    const asked = (await stage.events(run_id)).find(({ type }) => type === "user.message")?.data.text;
    if (typeof asked === "string" && said[0]?.includes(asked)) return run_id;
  }
  return undefined;
}

function difference(expected: string, found: string): string {
  const at = [...expected].findIndex((letter, index) => letter !== found[index]);
  const from = Math.max(0, (at === -1 ? expected.length : at) - 60);
  return `"${expected.slice(from, from + 160)}" became "${found.slice(from, from + 160)}"`;
}
