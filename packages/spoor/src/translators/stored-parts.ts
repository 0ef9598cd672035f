import type { FileView, ImageView, RunView } from "@spoor/protocol";
import { findArtifact, readBlob, runDiff } from "../runtime/artifacts/index.ts";
import type { FileSource } from "./file-source.ts";

/** How many bytes of stored diffs and pictures come into a file, and of one of them. */
const MOST_BYTES = 12_000_000;
const MOST_OF_ONE = 1_500_000;

export interface WithStoredParts {
  readonly view: RunView;
  /** Everything that the run changed, where several changes of one file are summed up. */
  readonly diff?: string;
  readonly omissions: readonly string[];
}

/** Adds diffs and pictures that events only name, because they are stored beside the log. */
export async function withStoredParts(view: RunView, source: FileSource): Promise<WithStoredParts> {
  let left = MOST_BYTES;
  let missing = 0;
  const read = async (id: string): Promise<Buffer | undefined> => {
    try {
      const { sha256 } = await findArtifact(source.log, id);
      const bytes = sha256 === null ? undefined : await readBlob(source.log, source.directory, sha256);
      if (bytes && bytes.length <= Math.min(left, MOST_OF_ONE)) {
        left -= bytes.length;
        return bytes;
      }
    } catch {
      // It was pruned, or the file beside the log is damaged. The file says that it is missing.
    }
    missing += 1;
    return undefined;
  };
  const files: FileView[] = [];
  for (const file of view.files) {
    const diff = file.diff === undefined && file.artifactId ? await read(file.artifactId) : undefined;
    files.push(diff ? { ...file, diff: diff.toString("utf8") } : file);
  }
  const images: ImageView[] = [];
  for (const image of view.images) {
    const bytes = image.base64 === undefined && image.artifactId ? await read(image.artifactId) : undefined;
    images.push(bytes ? { ...image, base64: bytes.toString("base64") } : image);
  }
  const diff = await sumOf(view, source, left);
  return {
    view: { ...view, files, images },
    ...(diff !== undefined && { diff }),
    omissions:
      missing === 0
        ? []
        : [
            `${missing === 1 ? "One stored diff or picture is" : `${missing} stored diffs or pictures are`} missing or too large.`,
          ],
  };
}

/** Needed only where a file was changed more than once. */
async function sumOf({ files }: RunView, { log, directory, run_id }: FileSource, most: number) {
  const paths = files.map(({ path }) => path);
  if (new Set(paths).size === paths.length) return undefined;
  const { diff } = await runDiff(log, directory, { run_id }).catch(() => ({ diff: undefined }));
  return diff && diff.length > 0 && diff.length <= most ? diff.toString("utf8") : undefined;
}
