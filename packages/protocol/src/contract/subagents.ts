import type { AgentEventOf } from "../agent-events/catalog.ts";
import type { Report } from "./finding.ts";
import { quote } from "./tool-calls.ts";

/** Subagents: spawned once, ended once, possibly turns later. */
export class Subagents {
  readonly #open = new Map<string, string>();
  readonly #ended = new Set<string>();
  readonly #report: Report;

  constructor(report: Report) {
    this.#report = report;
  }

  spawn({ subagentId, agentName }: AgentEventOf<"subagent_spawn">): void {
    if (this.#open.has(subagentId) || this.#ended.has(subagentId)) {
      this.#report.violation("subagent.id", `A second subagent has the id ${quote(subagentId)}.`);
    }
    this.#open.set(subagentId, agentName);
  }

  end({ type, subagentId, agentName }: AgentEventOf<"subagent_result" | "subagent_error">): void {
    const name = this.#open.get(subagentId);
    if (this.#ended.has(subagentId) && name === undefined) {
      this.#report.violation("subagent.end", `${type} names the subagent ${quote(subagentId)}, which has ended.`);
    } else if (name === undefined && !this.#report.joined) {
      this.#report.violation(
        "subagent.start",
        `${type} names the subagent ${quote(subagentId)}, which was not spawned.`,
      );
    } else if (name !== undefined && name !== agentName) {
      this.#report.violation(
        "subagent.name",
        `${type} of ${quote(subagentId)} names ${quote(agentName)}, not ${quote(name)}.`,
      );
    }
    this.#open.delete(subagentId);
    this.#ended.add(subagentId);
  }

  close(moment: string): void {
    for (const id of this.#open.keys()) {
      this.#report.violation("subagent.open", `The subagent ${quote(id)} is still open at ${moment}.`);
    }
    this.#open.clear();
  }
}
