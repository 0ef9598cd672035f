import type { Adapter } from "../../agents/machine.ts";
import { CapabilityError } from "../../failures/errors.ts";
import { findAgent } from "../find-agent.ts";
import type { LookupContext } from "../locate.ts";
import { createDatabaseSessionFinder } from "./database-sessions.ts";
import { mapConcurrent } from "./map-concurrent.ts";
import { readHead } from "./read-session.ts";
import { findSessionFiles, type SessionFile } from "./session-files.ts";
import { checkFilters, isInTime, matchesFilters, type SessionFilters } from "./session-filters.ts";
import { type SessionSummary, summaryOf } from "./session-summary.ts";

/** A session and its summary. */
export interface KnownSession {
  file: SessionFile;
  summary: SessionSummary;
  /** The session has no messages, or it belongs to a subagent: lists leave it out. */
  isHidden: boolean;
}

/** The agents' session files. Every call lists them anew; the beginning of a file is read again only after it has changed. */
export class SessionStore {
  readonly #adapters: Iterable<Adapter>;
  readonly #context: LookupContext;
  readonly #heads = new Map<string, KnownSession>();
  readonly #findInDatabase = createDatabaseSessionFinder();

  constructor(adapters: Iterable<Adapter>, context: LookupContext) {
    this.#adapters = adapters;
    this.#context = context;
  }

  /** The session files of one agent or of all agents, the newest first. */
  async files(agent?: string): Promise<SessionFile[]> {
    const asked = agent === undefined ? [...this.#adapters] : [this.#adapterOf(agent)];
    const found = await Promise.all(
      asked.map((adapter) => findSessionFiles(adapter, this.#context, this.#findInDatabase)),
    );
    const [first, ...others] = found.flat();
    // If there are other sessions, the problem becomes a note of this one instead.
    if (agent !== undefined && first?.problem !== undefined && others.length === 0) {
      throw new CapabilityError(agent, "sessions", `${first.path} could not be read: ${first.problem}.`);
    }
    return found.flat().sort((one, other) => other.updatedAt - one.updatedAt);
  }

  /** The sessions that match the filters. Reads no more of them than the limit asks for. */
  async list(agent: string | undefined, filters: SessionFilters): Promise<KnownSession[]> {
    checkFilters(filters);
    const files = (await this.files(agent)).filter((file) => isInTime(file, filters));
    const listed = new Map<string, KnownSession>();
    for await (const known of mapConcurrent(files, (file) => this.head(file))) {
      // If two files hold the same session, the newer one, which comes first, continues the older one.
      if (known.isHidden || listed.has(known.summary.id) || !matchesFilters(known.summary, filters)) continue;
      listed.set(known.summary.id, known);
      if (listed.size === filters.limit) break;
    }
    return [...listed.values()];
  }

  async head(file: SessionFile): Promise<KnownSession> {
    const before = this.#heads.get(file.key);
    if (before?.file.version === file.version) return before;
    const { log, notes, isWhole } = await readHead(file);
    const isSilent = isWhole && log.messages.every(({ role }) => role === "system") && notes.length === 0;
    const known = { file, summary: summaryOf(file, log, notes), isHidden: log.isSubagent === true || isSilent };
    this.#heads.set(file.key, known);
    return known;
  }

  /** The agents whose sessions can be read. */
  get readableAgents(): string[] {
    return [...this.#adapters].flatMap(({ name, about, sessions }) => (about?.sessions && sessions ? [name] : []));
  }

  #adapterOf(agent: string): Adapter {
    const adapter = findAgent(this.#adapters, agent);
    if (this.readableAgents.includes(agent)) return adapter;
    const message = `Spoor cannot read sessions of ${agent}. It can read those of: ${this.readableAgents.join(", ")}.`;
    throw new CapabilityError(agent, "sessions", message);
  }
}
