import type * as api from "@spoor/protocol/api";
import { sendJson } from "../http/respond.ts";
import type { Route } from "../http/route.ts";
import type { RouteContext } from "./route-context.ts";

/** Looking for programs starts each of them, so the answer is kept for a while. */
const KEPT_MS = 30_000;

/** The agents on the server's machine. */
export function agentRoutes({ kinds }: Pick<RouteContext, "kinds">): Route[] {
  let found: { at: number; list: Promise<api.AgentList["data"]> } | undefined;
  const agents = (): Promise<api.AgentList["data"]> => {
    if (!found || Date.now() - found.at > KEPT_MS) found = { at: Date.now(), list: readAgents(kinds) };
    return found.list;
  };
  return [
    {
      method: "GET",
      path: "/v1/agents",
      operation: "listAgents",
      summary: "List agents",
      description:
        "Every agent that Spoor knows, as `spoor agents --json` prints it, and what it can be held to while it runs.",
      answers: {
        200: {
          description: "All agents, in the order of their names, and our own loop.",
          content: { "application/json": "AgentList" },
        },
      },
      async handle({ response }) {
        const answer: api.AgentList = { object: "list", data: await agents() };
        sendJson(response, 200, answer);
      },
    },
  ];
}

/** Loaded when it is asked for, because it needs all adapters. */
async function readAgents(kinds: RouteContext["kinds"]): Promise<api.AgentList["data"]> {
  const [{ adapters }, { agentJson, describeAgents }] = await Promise.all([
    import("../../agents/registry.ts"),
    import("../../inventory/agent-json.ts"),
  ]);
  const own = kinds.flatMap(({ describe }) => (describe ? [describe()] : []));
  const found = await Promise.all([describeAgents(adapters), ...own]);
  return found.flat().map(agentJson) as api.AgentList["data"];
}
