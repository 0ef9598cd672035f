import { describe, expect, test } from "vitest";
import { inOrder, limitsOf } from "./agents.ts";
import { emptyDraft, LOOP, problemsOf, taskOf } from "./draft.ts";

const form = { ...emptyDraft, agent: "claude", prompt: "Fix it" };

describe("the form of a new run", () => {
  test("asks for no more than what was filled in", () => {
    expect(taskOf(form)).toEqual({ task: { kind: "agent", agent: "claude", prompt: "Fix it", start: true } });
  });

  test("turns dollars, minutes and lines into what the server takes", () => {
    const filled = {
      budget: "$1,50",
      minutes: "2.5",
      turns: "3",
      rules: "ask shell rm *\n\n",
      approve: "ask",
    } as const;
    expect(taskOf({ ...form, ...filled, folder: " /w ", place: "worktree", model: "m" })).toEqual({
      task: {
        kind: "agent",
        agent: "claude",
        prompt: "Fix it",
        start: true,
        model: "m",
        workspace: { mode: "worktree", path: "/w" },
        budget_micros_usd: 1_500_000,
        approve: "ask",
        policy: ["ask shell rm *"],
        max_turns: 3,
        timeout_ms: 150_000,
      },
    });
  });

  test("runs our own loop as a task of its kind", () => {
    expect(taskOf({ ...form, agent: LOOP, model: "demo/tour" })).toMatchObject({ task: { kind: "agent_loop" } });
    expect(taskOf({ ...form, agent: LOOP })).not.toHaveProperty("task.agent");
  });

  test("says at each field what is wrong with it", () => {
    expect(taskOf({ ...emptyDraft, budget: "much", turns: "-1" })).toEqual({
      problems: {
        agent: "Choose an agent.",
        prompt: "Say what the agent shall do.",
        budget: "The budget must be a number greater than 0, not “much”.",
        turns: "The limit of turns must be a number greater than 0, not “-1”.",
      },
    });
  });

  test("shows what the server says at the field that it is about", () => {
    expect(
      problemsOf(
        "workspace.path must be a folder that exists, not /nope.\nmodel is missing: name it.\nSomething else.",
      ),
    ).toEqual({
      folder: "This must be a folder that exists, not /nope.",
      model: "model is missing: name it.",
      form: "Something else.",
    });
    expect(problemsOf("The workspace mode worktree needs a git repository, and /usr is in none.")).toHaveProperty(
      "place",
    );
  });

  test("lists installed agents first, and says what an agent cannot be held to", () => {
    const record = (agent: string, installed: boolean) => ({
      agent,
      title: agent,
      installed,
      capabilities: {},
      dialects: [],
    });
    expect(inOrder([record("a", false), record("b", true)]).map(({ agent }) => agent)).toEqual(["b", "a"]);
    const controls = { asks_permission: false, reports_usage: true } as never;
    expect(limitsOf({ ...record("amp", true), controls })).toEqual({
      approve: "amp does not ask before it acts, so you cannot be asked.",
    });
  });
});
