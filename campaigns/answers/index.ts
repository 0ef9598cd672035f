import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { sendCommand } from "../../packages/spoor/src/runtime/commands/send.ts";
import type { Campaign, CampaignOptions, CampaignResult } from "../campaign.ts";
import { judgeRuns } from "../crash/judge.ts";
import { Stage } from "../crash/stage.ts";
import { createRandom } from "../random.ts";
import { parkedRun } from "./parked-run.ts";

const answerer = fileURLToPath(new URL("./answerer.ts", import.meta.url));

export const campaign: Campaign = {
  name: "answers",
  about:
    "Two processes and a server answer the last two approvals of a parked run at the same moment; each approval is decided once, who comes second is told who was first, and no run stays parked.",
  cases: { small: 40, full: 1_000 },
  async run(options) {
    const stage = new Stage();
    try {
      await stage.serve(0);
      return await new Races(stage, options).run();
    } finally {
      await stage.close();
    }
  },
};

interface Answer {
  approval_id: string;
  decision: "approve" | "reject";
  status: number;
  /** Who decided it, as the answer says. */
  by: string | null;
}

type Answerer = (approval_id: string, decision: Answer["decision"]) => Promise<Answer>;

class Races {
  readonly #stage: Stage;
  readonly #options: CampaignOptions;
  readonly #random: () => number;
  readonly #failures: string[] = [];
  readonly #counts = {
    answers: 0,
    "won over HTTP": 0,
    "won in a process": 0,
    "told who was first": 0,
    queued: 0,
    ended: 0,
  };

  constructor(stage: Stage, options: CampaignOptions) {
    this.#stage = stage;
    this.#options = options;
    this.#random = createRandom(options.seed);
  }

  async run(): Promise<CampaignResult> {
    const processes = await Promise.all([this.#startProcess("first"), this.#startProcess("second")]);
    const { log } = this.#stage;
    const place = { directory: this.#stage.data, workspace: this.#stage.workspace };
    for (let race = 0; race < this.#options.cases; race += 1) {
      const { run_id, approvals } = await parkedRun(log, place);
      // Now and then somebody says no: that ends the run, whatever the others say.
      const rejects = this.#random() < 0.2;
      const answerers: Answerer[] = [this.#overHttp, ...processes.map(({ answer }) => answer)];
      const given = approvals.flatMap((approval_id) =>
        this.#some(answerers).map((answer, index) =>
          answer(approval_id, rejects && index === 0 ? "reject" : "approve"),
        ),
      );
      await this.#check(race, run_id, approvals, await Promise.all(given));
      if ((await this.#stage.run(run_id)).status === "queued")
        await sendCommand(log, { run_id, kind: "cancel", by: "race" });
      this.#options.onCase?.(race + 1);
    }
    for (const { end } of processes) await end();
    for (const problem of await judgeRuns(this.#stage)) this.#failures.push(`After all races: ${problem}.`);
    return { counts: { races: this.#options.cases, ...this.#counts }, failures: this.#failures };
  }

  /** One of them, two or all three. */
  #some(answerers: readonly Answerer[]): Answerer[] {
    const kept = Math.floor(this.#random() * answerers.length);
    return answerers.filter((_, index) => index === kept || this.#random() < 0.6);
  }

  async #check(race: number, run_id: string, approvals: readonly string[], answers: readonly Answer[]): Promise<void> {
    const fail = (what: string) => this.#failures.push(`Race ${race} (${run_id}): ${what}.`);
    const { log } = this.#stage;
    const run = await this.#stage.run(run_id);
    const decided = (await this.#stage.events(run_id)).filter(({ type }) => type === "approval.resolved");
    for (const approval_id of approvals) {
      const row = await log.rows.find("approvals", approval_id);
      const of = answers.filter((answer) => answer.approval_id === approval_id);
      const winners = of.filter(({ status }) => status === 200);
      const events = decided.filter(({ data }) => data.approval_id === approval_id);
      if (events.length !== 1) fail(`${approval_id} was decided ${events.length} times`);
      // A no to the other approval cancels this one, and then nobody has won.
      if (winners.length !== (row?.status === "cancelled" ? 0 : 1))
        fail(`${winners.length} answers to ${approval_id} won`);
      const told = of.filter(({ status }) => status === 409);
      if (told.some(({ by }) => by !== row?.by)) fail(`a later answer to ${approval_id} was told the wrong winner`);
      if (of.some(({ status }) => status !== 200 && status !== 409 && status !== 410))
        fail(`an answer got ${of.map(({ status }) => status)}`);
      this.#counts["told who was first"] += told.length;
      this.#counts[row?.by === "http" ? "won over HTTP" : "won in a process"] += winners.length;
    }
    this.#counts.answers += answers.length;
    const isRejected = decided.some(({ data }) => data.decision === "rejected");
    const isQueued = run.status === "queued" && (await log.rows.find("queue", run_id)) !== undefined;
    if (run.parked || (isRejected ? run.status !== "failed" : !isQueued))
      fail(`the run is ${run.status} after the last answer`);
    this.#counts[isRejected ? "ended" : "queued"] += 1;
  }

  readonly #overHttp: Answerer = async (approval_id, decision) => {
    const answered = await this.#stage.post(`/v1/approvals/${approval_id}/resolve`, { decision });
    const { data, error } = (answered?.body ?? {}) as { data?: { by: string }; error?: { conflict?: { by: string } } };
    return { approval_id, decision, status: answered?.status ?? 0, by: data?.by ?? error?.conflict?.by ?? null };
  };

  async #startProcess(name: string): Promise<{ answer: Answerer; end(): Promise<unknown> }> {
    const child = this.#stage.spawn([process.execPath, "--conditions=spoor-source", answerer, this.#stage.data, name]);
    const waiting = new Map<string, (answer: Answer) => void>();
    const ready = Promise.withResolvers<void>();
    if (!child.stdout) throw new Error("The process has no output.");
    createInterface({ input: child.stdout }).on("line", (line) => {
      const answer = JSON.parse(line) as Answer & { ready?: true };
      if (answer.ready) ready.resolve();
      waiting.get(answer.approval_id)?.(answer);
    });
    await ready.promise;
    return {
      answer(approval_id, decision) {
        const { promise, resolve } = Promise.withResolvers<Answer>();
        waiting.set(approval_id, (answer) => resolve({ ...answer, decision }));
        child.stdin?.write(`${JSON.stringify({ approval_id, decision })}\n`);
        return promise;
      },
      end() {
        child.stdin?.end();
        return once(child, "exit");
      },
    };
  }
}
