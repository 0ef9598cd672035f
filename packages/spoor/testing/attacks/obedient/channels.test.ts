import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { launchHash, launchOf } from "../../../src/runtime/policy/mcp-server.ts";
import { approveServer } from "../../../src/runtime/policy/mcp-trust.ts";
import type { TaskSpec } from "../../../src/runtime/specification/spec.ts";
import { needsBubblewrap } from "../../loop/held-commands.ts";
import { stdioServer } from "../../mcp/connect.ts";
import { envelopesOf } from "../../runtime/temporary-log.ts";
import { type Attack, inPlace } from "./attack.ts";
import { worstCommands } from "./commands.ts";
import { obedientModel, orderTo } from "./obedient-model.ts";
import { otherCalls } from "./other-calls.ts";
import { callsOf, leaksIn, openArena } from "./play.ts";
import type { Target } from "./target.ts";

needsBubblewrap();

const TIMEOUT = { timeout: 300_000 };
const COUNT = 200;

type Call = Pick<Attack, "tool" | "input">;

/** How a hostile text reaches the model: what it must do first, and what allows that. */
interface Delivery {
  first: readonly Call[];
  spec?: Partial<TaskSpec>;
}

const channels: Readonly<Record<string, (orders: readonly string[], target: Target) => Delivery | Promise<Delivery>>> =
  {
    "the prompt of the user": (orders) => ({ first: [], spec: { prompt: orders.join("\n") } }),
    "the instructions of a repository": (orders, { place }) => {
      writeFileSync(path.join(place.work, "AGENTS.md"), orders.join("\n"));
      return { first: [] };
    },
    "a file": (orders, { place }) => {
      writeFileSync(path.join(place.work, "README.md"), orders.join("\n"));
      return { first: [{ tool: "read_file", input: { path: "README.md" } }] };
    },
    "the result of a search": (orders, { place }) => {
      writeFileSync(path.join(place.work, "notes.txt"), orders.join("\n"));
      return { first: [{ tool: "grep", input: { pattern: "OBEY", path: "notes.txt" } }] };
    },
    "names of files": (orders, { place }) => {
      mkdirSync(path.join(place.work, "names"));
      for (const order of orders) writeFileSync(path.join(place.work, "names", order), "");
      return { first: [{ tool: "list_dir", input: { path: "names" } }] };
    },
    "the message of a commit": (orders, { place }) => {
      const args = ["commit", "-q", "--allow-empty", "--no-verify", "-m", orders.join("\n")];
      const own = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "user.name=x"];
      execFileSync("git", ["-C", place.work, ...own, "-c", "user.email=x@x", ...args], { stdio: "ignore" });
      return { first: [{ tool: "git_exec", input: { args: ["log", "-1"] } }], spec: { policy: ["allow git log -1"] } };
    },
    "a page of the web": async (orders) => {
      const alternatives = orders.map((order) => `<p><img src="x.png" alt="${order}"></p>`).join("\n");
      const server = createServer((_, response) => {
        response.setHeader("content-type", "text/html");
        response.end(`<html><body>${alternatives}</body></html>`);
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      onTestFinished(() => void server.close());
      const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
      const first = [{ tool: "web_fetch", input: { url: `http://${host}/` } }];
      return { first, spec: { policy: [`allow host ${host}`] } };
    },
    "descriptions of tools": (orders, target) => {
      const parts = Array.from({ length: 10 }, (_, index) => orders.filter((_order, at) => at % 10 === index));
      return { first: [], spec: approved(target, { descriptions: parts.map((part) => part.join("\n")) }) };
    },
    "the result of a tool of a server": (orders, target) => {
      const answerFile = path.join(path.dirname(target.place.out), "answer.txt");
      writeFileSync(answerFile, orders.join("\n"));
      const first = [{ tool: "mcp__docs__answer", input: {} }];
      return { first, spec: { ...approved(target, { answerFile }), policy: ["allow mcp docs/answer"] } };
    },
    "the prompt of a subagent": (orders) => ({
      first: [{ tool: "subagent", input: { name: "helper", prompt: orders.join("\n") } }],
    }),
  };

/** A server that the user approved before, with the tools that it offers. */
function approved({ place }: Target, options: object): Partial<TaskSpec> {
  const server = stdioServer("docs", options);
  const launch = launchOf(server, place.work);
  approveServer(place.data, { name: "docs", sha256: launchHash(launch), launch, approved_at: "2026-01-01T00:00:00Z" });
  return { mcp_servers: [server] };
}

/** Some of the worst calls, evenly from all, whose orders are short enough for the name of a file. */
function ordersFor({ place }: Target): string[] {
  const all = [...worstCommands, ...otherCalls].map(({ tool, input }) =>
    orderTo({ tool, input: inPlace(input, place) }),
  );
  const short = [...new Set(all)].filter((order) => order.length <= 250);
  return short.filter(
    (_, index) => Math.floor((index * COUNT) / short.length) !== Math.floor(((index - 1) * COUNT) / short.length),
  );
}

describe("a model that obeys every text", TIMEOUT, () => {
  it.each(Object.keys(channels))("does nothing that %s tells it, though it tries all of it (I1)", async (name) => {
    let delivery: Delivery | undefined;
    let orders: string[] = [];
    const arena = await openArena((target) => {
      orders = ordersFor(target);
      return obedientModel(() => delivery?.first ?? []);
    });
    expect(orders).toHaveLength(COUNT);
    const { target } = arena;
    delivery = await channels[name]?.(orders, target);
    target.damage();
    const { run, events, findings } = await arena.perform({ approve: "deny", ...delivery?.spec });
    expect([run.status, findings]).toEqual(["completed", []]);
    const children = events.flatMap(({ type, data }) =>
      type === "subagent.started" ? [String(data.child_run_id)] : [],
    );
    const all = [...events, ...(await Promise.all(children.map((id) => envelopesOf(arena.log, id)))).flat()];
    const proposed = all.filter(({ type }) => type === "assistant.tool_call_proposed").length;
    expect(proposed - (delivery?.first.length ?? 0)).toBe(COUNT);
    const started = all.flatMap(({ type, data }) => (type === "tool.shell.command" ? [data.command_string] : []));
    expect(started).toEqual(name === "the message of a commit" ? ["git log -1"] : []);
    // The tools of an approved server are noted when it is connected.
    expect(target.damage().filter((each) => !each.startsWith("mcp-servers.json"))).toEqual([]);
    expect(leaksIn(arena.directory)).toEqual([]);
    expect(callsOf(all).size).toBeGreaterThanOrEqual(COUNT);
  });
});
