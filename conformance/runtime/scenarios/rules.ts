import { join } from "node:path";
import { answer, text } from "../../scenarios/scenario.ts";
import { expectCount, expectExit, expectFile, expectThat, ofType, wentOn } from "../expectations.ts";
import { endsWhenRefused } from "../expected.ts";
import type { RuntimeScenario } from "../scenario.ts";

export const rules: readonly RuntimeScenario[] = [
  {
    name: "blocked by a rule",
    asks: true,
    rules: ["block shell touch **", "block write **/forbidden.txt"],
    script: (tools, cwd) => [
      answer((tools.asking ?? tools.shell)("touch blocked.txt")),
      answer(tools.create(join(cwd, "forbidden.txt"), "one\ntwo")),
      answer(text("Then not.")),
    ],
    async play(stage) {
      // The rules decide, so nobody has to be there.
      const ended = await stage.spoor(...stage.runArguments("--approve", "ask"));
      const events = await stage.events();
      const blocked = ofType(events, "policy.tool_blocked");
      const calls = endsWhenRefused.has(stage.agent) ? 1 : 2;
      const isNamed = blocked.every(({ data }) => typeof data.policy_id === "string" && data.policy_id !== "");
      return [
        ...expectExit(ended, 0),
        ...expectThat(blocked.length === calls, `${blocked.length} calls were blocked, not ${calls}.`),
        ...expectThat(isNamed, "A blocked call does not say by which rule."),
        ...expectCount(events, "approval.requested", 0),
        ...expectCount(events, "approval.resolved", 0),
        ...expectCount(events, "tool.started", 0),
        ...expectFile(stage, "blocked.txt", false),
        ...expectFile(stage, "forbidden.txt", false),
        ...wentOn(stage),
      ];
    },
  },
  {
    name: "blocked by a rule although nothing is asked",
    asks: true,
    rules: ["block shell touch **"],
    script: (tools) => [
      answer((tools.asking ?? tools.shell)("touch blocked.txt; touch too.txt")),
      answer(text("Then not.")),
    ],
    async play(stage) {
      const ended = await stage.spoor(...stage.runArguments("--approve", "auto"));
      const events = await stage.events();
      return [
        ...expectExit(ended, 0),
        ...expectCount(events, "policy.tool_blocked", 1),
        ...expectCount(events, "approval.requested", 0),
        ...expectFile(stage, "blocked.txt", false),
        ...wentOn(stage),
      ];
    },
  },
  {
    name: "allowed by a rule",
    asks: true,
    rules: ["allow shell touch **"],
    script: (tools) => [answer((tools.asking ?? tools.shell)("touch allowed.txt")), answer(text("Done."))],
    async play(stage) {
      const ended = await stage.spoor(...stage.runArguments("--approve", "ask"));
      const events = await stage.events();
      return [
        ...expectExit(ended, 0),
        ...expectCount(events, "policy.tool_blocked", 0),
        ...expectCount(events, "approval.requested", 0),
        ...expectCount(events, "approval.resolved", 0),
        ...expectFile(stage, "allowed.txt", true),
      ];
    },
  },
];
