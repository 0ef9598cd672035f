import { adapters } from "../../agents/registry.ts";
import type { SessionMatch } from "../../inventory/sessions/search-session.ts";
import type { SessionSummary } from "../../inventory/sessions/session-summary.ts";
import { createSessions } from "../../inventory/sessions/sessions.ts";
import { snakeCase } from "../../inventory/snake-case.ts";
import type { Io } from "../io.ts";
import { ago } from "../output/format.ts";
import { printJson } from "../output/json.ts";
import { type Style, styleOf } from "../output/style.ts";
import { table } from "../output/table.ts";
import { terminalSafe } from "../output/terminal-safe.ts";

export interface SessionsOptions {
  json?: true;
  search?: string;
  cwd?: string;
  limit: number;
}

export async function listSessions(agent: string | undefined, options: SessionsOptions, io: Io): Promise<void> {
  const { json, search, cwd, limit } = options;
  const sessions = createSessions({ adapters });
  // Ask for one more than the limit, to know whether there are more.
  const filters = { limit: limit + 1, ...(cwd !== undefined && { cwd }) };
  const found: readonly { session: SessionSummary; matches?: SessionMatch["matches"] }[] = await (search === undefined
    ? sessions.list(agent, filters).then((listed) => listed.map((session) => ({ session })))
    : sessions.search(search, { ...filters, ...(agent !== undefined && { agent }) }));
  const shown = found.slice(0, limit);
  if (json) {
    for (const { session, matches } of shown) {
      printJson(io.stdout, snakeCase({ ...session, ...(matches && { matches }) }));
    }
    return;
  }
  if (shown.length === 0) io.stdout.write("No sessions.\n");
  else if (search === undefined)
    io.stdout.write(
      tableOf(
        shown.map(({ session }) => session),
        styleOf(io.stdout),
      ),
    );
  else for (const match of shown) io.stdout.write(sectionOf(match));
  for (const { session } of shown) {
    for (const note of session.notes ?? []) io.stderr.write(`${terminalSafe(`${session.path}: ${note}`)}\n`);
  }
  if (found.length > limit) io.stdout.write(`There are more sessions: --limit ${limit * 2} lists more.\n`);
}

const tableOf = (sessions: readonly SessionSummary[], style: Style): string =>
  table(
    [
      ["SESSION", "WHEN", "MODEL", "WHERE", "ASKED"],
      ...sessions.map(({ id, updatedAt, model = "", cwd = "", title }) => [id, ago(updatedAt), model, cwd, title]),
    ],
    style,
  );

function sectionOf({ session, matches = [] }: { session: SessionSummary; matches?: SessionMatch["matches"] }): string {
  const some = matches.slice(0, SHOWN).map(({ role, excerpt }) => `  ${role}: ${terminalSafe(excerpt)}\n`);
  const rest = matches.length > SHOWN ? [`  and ${matches.length - SHOWN} more\n`] : [];
  return [
    `${terminalSafe(session.id)}  ${ago(session.updatedAt)}  ${terminalSafe(session.title)}\n`,
    ...some,
    ...rest,
  ].join("");
}

const SHOWN = 3;
