import { Type } from "@sinclair/typebox";
import { artifactKinds, artifactStatuses } from "@spoor/protocol/api/values";
import { type ArtifactRow, artifactJson, findArtifact, readBlob } from "../../../runtime/artifacts/index.ts";
import { STATE_KIND } from "../../../runtime/projections/artifacts.ts";
import { cursorOf, placeOf } from "../answers/cursor.ts";
import { DATA_BYTES, ITEM_BYTES } from "../answers/limits.ts";
import { fillPage, textPart } from "../answers/page.ts";
import { McpRefusal } from "../answers/refusal.ts";
import { shorten } from "../answers/shorten.ts";
import { findRun } from "./find.ts";
import {
  answerOf,
  argumentsOf,
  cursorArgument,
  limitArgument,
  nextCursor,
  oneOf,
  readingTool,
  recordOf,
  runArgument,
} from "./tool.ts";

const Artifact = recordOf(
  { id: Type.String(), kind: Type.String(), size_bytes: Type.Integer() },
  "An artifact. A patch names its file.",
);

/** Lists what a run has stored. */
export const listArtifacts = readingTool({
  name: "list_artifacts",
  title: "List patches and other artifacts of a run",
  description:
    "List what a run stored, newest first: patches (one per changed file and call, with status, lines and the call that made it), long outputs of commands, images and other contents. read_artifact reads one.",
  input: argumentsOf({
    run: runArgument,
    kind: Type.Optional(oneOf(artifactKinds, "Only this kind.")),
    status: Type.Optional(oneOf(artifactStatuses, "Only patches with this status.")),
    cursor: cursorArgument,
    limit: limitArgument(50),
  }),
  output: answerOf({ run_id: Type.String(), artifacts: Type.Array(Artifact), next_cursor: nextCursor }),
  async call(context, input) {
    const place = placeOf("list_artifacts", input);
    const log = await context.log();
    const { run_id } = await findRun(log, String(place?.run_id ?? input.run));
    const { kind, status, limit = 50 } = input;
    const { rows, more } = await log.rows.list("artifacts", {
      where: { run_id, ...(kind && { kind }), ...(status && { status }) },
      descending: true,
      limit,
      ...(typeof place?.after === "string" && { after: place.after }),
    });
    const shown = rows.filter((row) => row.kind !== STATE_KIND);
    const { items: artifacts, count } = fillPage(shown.map(artifactJson));
    // Rows that are not shown are passed over only if all the others fit.
    const last = count < shown.length ? shown[count - 1] : rows.at(-1);
    const isMore = last !== undefined && (more || count < shown.length);
    const next_cursor = isMore ? cursorOf("list_artifacts", input, { run_id, after: last.artifact_id }) : null;
    const words = `${count} ${count === 1 ? "artifact" : "artifacts"} of ${run_id}, newest first${isMore ? "; more with cursor" : ""}.`;
    return { words, data: { run_id, artifacts, next_cursor } };
  },
});

/** Reads one artifact. */
export const readArtifact = readingTool({
  name: "read_artifact",
  title: "Read a patch or another artifact",
  description:
    "Read one artifact of a run: the diff of a patch, the whole output of a command, or another text. A long one comes in parts: pass next_cursor as cursor until it is null. Images and other binary contents are described but not shown.",
  input: argumentsOf({
    artifact_id: Type.String({
      minLength: 1,
      maxLength: 100,
      description: "`art_…`, as list_artifacts and events name it.",
    }),
    cursor: cursorArgument,
  }),
  output: answerOf({
    artifact: Artifact,
    text: Type.Optional(Type.String({ description: "This part of the content. Absent if it is binary or not kept." })),
    offset: Type.Integer({ description: "Where this part begins, in bytes." }),
    total_bytes: Type.Integer(),
    next_cursor: nextCursor,
  }),
  async call(context, input) {
    const { artifact_id } = input;
    const place = placeOf("read_artifact", input);
    const log = await context.log();
    const row = await findArtifact(log, artifact_id);
    const artifact = shorten(artifactJson(row), ITEM_BYTES).value;
    const bytes = row.sha256 === null ? undefined : await readBlob(log, context.directory, row.sha256);
    if (bytes === undefined || isBinary(row, bytes)) {
      const words = `${artifact_id} ${bytes ? "is binary, so it is not shown" : "has no content of its own"}. \`spoor serve\` gives its bytes over HTTP.`;
      return { words, data: { artifact, offset: 0, total_bytes: bytes?.length ?? 0, next_cursor: null } };
    }
    const offset = Number(place?.offset ?? 0);
    if (offset > bytes.length)
      throw new McpRefusal("invalid_cursor", "The cursor points behind the end of the content.");
    const { text, next } = textPart(bytes, offset, DATA_BYTES - ITEM_BYTES);
    const next_cursor = next === undefined ? null : cursorOf("read_artifact", input, { offset: next });
    return {
      words: `Bytes ${offset} to ${next ?? bytes.length} of ${bytes.length} of ${artifact_id}${next === undefined ? "" : "; more with cursor"}.`,
      data: { artifact, text, offset, total_bytes: bytes.length, next_cursor },
    };
  },
});

const isBinary = ({ mime }: ArtifactRow, bytes: Buffer): boolean =>
  /^(image|audio|video)\//.test(mime ?? "") || bytes.subarray(0, 8_000).includes(0);
