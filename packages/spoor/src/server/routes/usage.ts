import type * as api from "@spoor/protocol/api";
import { readers } from "../http/query-parameters.ts";
import { sendJson } from "../http/respond.ts";
import type { Route, RouteHandler } from "../http/route.ts";
import { findRun } from "./find-run.ts";
import type { RouteContext } from "./route-context.ts";

/** Costs of runs, and their steps. */
export function usageRoutes({ log }: RouteContext): Route[] {
  const steps: RouteHandler = async (call) => {
    const { run_id } = await findRun(log, call);
    const { readSteps } = await import("../../runtime/usage/read-steps.ts");
    const answer: api.StepList = { object: "list", data: await readSteps(log, run_id), has_more: false };
    sendJson(call.response, 200, answer);
  };
  const cost: RouteHandler = async (call) => {
    const run = await findRun(log, call);
    const { readRunCost } = await import("../../runtime/usage/read-run-cost.ts");
    const answer: api.RunCostAnswer = { object: "run_cost", data: await readRunCost(log, run) };
    sendJson(call.response, 200, answer);
  };
  const stepsRoute = {
    method: "GET" as const,
    summary: "List the steps of a run",
    description:
      "Model calls (`turn-1`, …) with their cost, and tool calls by their id, in the order in which they began.",
    answers: { 200: { description: "All steps.", content: { "application/json": "StepList" as const } } },
    handle: steps,
  };
  const costRoute = {
    method: "GET" as const,
    summary: "Get the cost of a run",
    description:
      "By turn and in all, with the cost of its task and of its conversation, and where each figure comes from.",
    answers: { 200: { description: "The costs.", content: { "application/json": "RunCostAnswer" as const } } },
    handle: cost,
  };

  return [
    {
      method: "GET",
      path: "/v1/usage",
      operation: "getUsage",
      summary: "Get the usage of all runs by group",
      description: "Each run counts once. Runs that were made by reading another run's raw lines again do not count.",
      query: "UsageQuery",
      answers: { 200: { description: "The groups.", content: { "application/json": "UsageAnswer" } } },
      async handle({ response, query }) {
        const { readUsage } = await import("../../runtime/usage/read-usage.ts");
        const answer: api.UsageAnswer = await readUsage(log, readers.usage(query));
        sendJson(response, 200, answer);
      },
    },
    { ...stepsRoute, path: "/v1/runs/{run_id}/steps", operation: "listSteps" },
    { ...stepsRoute, path: "/v1/tasks/{task_id}/runs/{run_id}/steps", operation: "listTaskRunSteps" },
    { ...costRoute, path: "/v1/runs/{run_id}/cost", operation: "getRunCost" },
    { ...costRoute, path: "/v1/tasks/{task_id}/runs/{run_id}/cost", operation: "getTaskRunCost" },
  ];
}
