import { answer, text } from "../../scenarios/scenario.ts";
import {
  expectCount,
  expectExit,
  expectFile,
  expectThat,
  ofType,
  pendingApproval,
  unlessEnded,
  wentOn,
} from "../expectations.ts";
import type { RuntimeScenario } from "../scenario.ts";
import type { Row, Stage } from "../stage.ts";

export const approvals: readonly RuntimeScenario[] = [
  {
    name: "approved from another terminal",
    asks: true,
    script: (tools) => [answer((tools.asking ?? tools.shell)("touch asked.txt")), answer(text("Done."))],
    async play(stage) {
      const run = stage.startOnTerminal(...stage.runArguments("--approve", "ask"));
      const { approval_id } = await pendingApproval(stage, run);
      await unlessEnded(
        run,
        stage.until("the terminal asks", async () => run.printed().includes("what led here")),
      );
      const isEarly = expectFile(stage, "asked.txt", false);
      const given = await stage.spoor("approve", String(approval_id), "-m", "Go on.");
      const late = await stage.spoor("deny", String(approval_id));
      const ended = await run.ended;
      const events = await stage.events();
      return [
        ...isEarly,
        ...expectExit(given, 0),
        ...expectExit(late, 1),
        ...expectThat(late.stderr.includes("cli:"), `The second answer is not told who was first: ${late.stderr}`),
        ...expectExit(ended, 0),
        ...expectThat(
          /approved from another terminal \(cli:/.test(ended.stdout),
          "The terminal does not say who approved.",
        ),
        ...resolvedBy(events, "approved", /^cli:/),
        ...expectCount(events, "run.finished", 1),
        ...expectFile(stage, "asked.txt", true),
      ];
    },
  },
  {
    name: "approved over HTTP",
    asks: true,
    script: (tools) => [answer((tools.asking ?? tools.shell)("touch asked.txt")), answer(text("Done."))],
    async play(stage) {
      await stage.serve();
      const run = stage.start(...stage.runArguments("--approve", "ask"));
      const waiting = stage.until("an approval waits", async () => (await pendingOver(stage))[0]);
      const { approval_id } = await unlessEnded(run, waiting);
      const route = `/v1/approvals/${approval_id}/resolve`;
      const given = await stage.http("POST", route, { decision: "approve" });
      const late = await stage.http("POST", route, { decision: "reject" });
      const ended = await run.ended;
      const events = await stage.events();
      return [
        ...expectThat(given.status === 200, `The answer got ${given.status}: ${JSON.stringify(given.body)}`),
        ...expectThat(late.status === 409, `The second answer got ${late.status}: ${JSON.stringify(late.body)}`),
        ...expectExit(ended, 0),
        ...resolvedBy(events, "approved", /^http/),
        ...expectFile(stage, "asked.txt", true),
      ];
    },
  },
  {
    name: "refused from another terminal",
    asks: true,
    script: (tools) => [answer((tools.asking ?? tools.shell)("touch refused.txt")), answer(text("Then not."))],
    async play(stage) {
      const run = stage.startOnTerminal(...stage.runArguments("--approve", "ask"));
      const { approval_id } = await pendingApproval(stage, run);
      const given = await stage.spoor("deny", String(approval_id), "-m", "Not today.");
      const ended = await run.ended;
      const events = await stage.events();
      const ends = events.filter(({ type }) => type === "tool.failed" || type === "tool.cancelled");
      return [
        ...expectExit(given, 0),
        ...expectExit(ended, 0),
        ...resolvedBy(events, "rejected", /^cli:/),
        ...expectThat(ends.length === 1, `The call ended ${ends.length} times as failed or cancelled.`),
        ...expectCount(events, "policy.tool_blocked", 0),
        ...expectCount(events, "run.finished", 1),
        ...wentOn(stage),
        ...expectFile(stage, "refused.txt", false),
      ];
    },
  },
];

async function pendingOver(stage: Stage): Promise<Row[]> {
  const { body } = await stage.http("GET", "/v1/approvals?status=pending");
  return (body.data ?? []) as Row[];
}

function resolvedBy(events: Awaited<ReturnType<Stage["events"]>>, decision: string, by: RegExp): string[] {
  const resolved = ofType(events, "approval.resolved");
  const [first] = resolved;
  return [
    ...expectCount(events, "approval.requested", 1),
    ...expectCount(events, "approval.resolved", 1),
    ...expectThat(first?.data.decision === decision, `The decision is ${first?.data.decision}, not ${decision}.`),
    ...expectThat(by.test(String(first?.data.by)), `It was decided by ${first?.data.by}.`),
  ];
}
