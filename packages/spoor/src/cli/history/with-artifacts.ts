import { dataDirectory } from "../../log/open.ts";
import { ArtifactError, artifactHints } from "../../runtime/artifacts/errors.ts";
import type { ChangeContext } from "../../runtime/artifacts/index.ts";
import { ExitError } from "../exit-error.ts";
import type { Io } from "../io.ts";
import { printJson } from "../output/json.ts";
import { type DataOption, withLog } from "./with-log.ts";

export interface ArtifactOptions extends DataOption {
  json?: true;
}

/** Opens the log and its artifacts. A refused request ends the command; `--json` prints the refusal as well. */
export function withArtifacts<T>(
  { data, json }: ArtifactOptions,
  io: Io,
  work: (context: ChangeContext) => Promise<T>,
): Promise<T> {
  const directory = data ?? dataDirectory();
  return withLog({ data: directory }, async (log) => {
    try {
      return await work({ log, directory });
    } catch (error) {
      if (!(error instanceof ArtifactError)) throw error;
      const { code, message, conflicts } = error;
      const hint = artifactHints[code];
      if (json)
        printJson(io.stdout, {
          error: { code, message, hint, ...(conflicts.length > 0 && { conflict: { files: conflicts } }) },
        });
      const files = conflicts.map(({ path, expected, actual, hunk }) => {
        const where = hunk === undefined ? "" : `hunk ${hunk} does not fit; `;
        return `\n  ${JSON.stringify(path)}: ${where}expected ${shortened(expected)}, found ${shortened(actual)}`;
      });
      throw new ExitError(1, `${message}${files.join("")}\n${hint}`);
    }
  });
}

/** A hash for a person; `--json` prints it whole. */
const shortened = (revision: string | undefined): string =>
  revision === undefined ? "no file" : revision.replace(/^(sha256:\w{12})\w+$/, "$1…");

/** Who changes files from the command line, for the record. */
export const OPERATOR = "operator";
