import type { Adapter } from "../../agents/machine.ts";
import { CapabilityError } from "../../failures/errors.ts";
import { findAgent } from "../find-agent.ts";
import type { Surroundings } from "../locate.ts";
import { checkFilters, isInTime, isWanted, type SessionFilters } from "./filters.ts";
import { ahead } from "./map-concurrent.ts";
import { readHead } from "./read.ts";
import { createRowFinder } from "./rows.ts";
import { type SessionSummary, summaryOf } from "./session.ts";
import { findFiles, type SessionFile } from "./session-files.ts";

export interface Known {
  file: SessionFile;
  summary: SessionSummary;
  /** Nothing was said in it, or only by another session's helper. */
  isHidden: boolean;
}

/** The agents' session files. Looks at them anew each time, and reads a head again only when the file has changed. */
export class SessionStore {
  readonly #adapters: Iterable<Adapter>;
  readonly #around: Surroundings;
  readonly #heads = new Map<string, Known>();
  readonly #findRows = createRowFinder();

  constructor(adapters: Iterable<Adapter>, around: Surroundings) {
    this.#adapters = adapters;
    this.#around = around;
  }

  /** Of one agent or of all, the newest first. */
  async files(agent?: string): Promise<SessionFile[]> {
    const asked = agent === undefined ? [...this.#adapters] : [this.#keeper(agent)];
    const found = await Promise.all(asked.map((adapter) => findFiles(adapter, this.#around, this.#findRows)));
    const [first, ...others] = found.flat();
    // Where there are others, it is a note among them.
    if (agent !== undefined && first?.problem !== undefined && others.length === 0) {
      throw new CapabilityError(agent, "sessions", `${first.path} could not be read: ${first.problem}.`);
    }
    return found.flat().sort((one, other) => other.updatedAt - one.updatedAt);
  }

  /** The sessions that are wanted. No more of them are read than the limit asks for. */
  async list(agent: string | undefined, filters: SessionFilters): Promise<Known[]> {
    checkFilters(filters);
    const files = (await this.files(agent)).filter((file) => isInTime(file, filters));
    const listed = new Map<string, Known>();
    for await (const known of ahead(files, (file) => this.head(file))) {
      // Two files of one session: the newer one goes on with the other.
      if (known.isHidden || listed.has(known.summary.id) || !isWanted(known.summary, filters)) continue;
      listed.set(known.summary.id, known);
      if (listed.size === filters.limit) break;
    }
    return [...listed.values()];
  }

  async head(file: SessionFile): Promise<Known> {
    const before = this.#heads.get(file.key);
    if (before?.file.version === file.version) return before;
    const { log, notes, isWhole } = await readHead(file);
    const isSilent = isWhole && log.messages.every(({ role }) => role === "system") && notes.length === 0;
    const known = { file, summary: summaryOf(file, log, notes), isHidden: log.isSubagent === true || isSilent };
    this.#heads.set(file.key, known);
    return known;
  }

  /** Agents whose sessions can be read. */
  get keepers(): string[] {
    return [...this.#adapters].flatMap(({ name, about, sessions }) => (about?.sessions && sessions ? [name] : []));
  }

  #keeper(agent: string): Adapter {
    const adapter = findAgent(this.#adapters, agent);
    if (this.keepers.includes(agent)) return adapter;
    const message = `${agent} keeps no sessions that we can read. These do: ${this.keepers.join(", ")}.`;
    throw new CapabilityError(agent, "sessions", message);
  }
}
