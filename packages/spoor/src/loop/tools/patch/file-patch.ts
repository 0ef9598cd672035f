import { ToolProblem } from "../kit/define-tool.ts";

/** What a patch does to one file. Names are as the patch writes them, without `a/` and `b/`. */
export interface FilePatch {
  operation: "add" | "update" | "delete";
  path: string;
  moveTo?: string;
  /** File type and permissions, where the patch sets them. */
  mode?: number;
  chunks: Chunk[];
}

/** One place of a file that changes. */
export interface Chunk {
  lines: ChunkLine[];
  /**
   * `line`: the hunk says at which line it begins, counted from 0. `text`: it is found by its own lines, after lines that it
   * names (`anchors`), and at the end of the file if `atEnd` is set.
   */
  place: { by: "line"; line: number } | { by: "text"; anchors: string[]; atEnd: boolean };
}

export interface ChunkLine {
  sign: " " | "-" | "+";
  /** Without its line break. */
  text: string;
  /** The file ends after this line without a line break. Only unified diffs say so. */
  isUnended?: boolean;
}

/** A patch that cannot be understood. */
export class PatchProblem extends ToolProblem {}
