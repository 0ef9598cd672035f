import { type Chunk, type FilePatch, PatchProblem } from "./file-patch.ts";

/** Reads a patch of the form `*** Begin Patch` … `*** End Patch`. */
export function readBlocks(text: string): FilePatch[] {
  const lines = text.split(/\r?\n/);
  const start = lines.findIndex((line) => line.trimEnd() === "*** Begin Patch");
  const end = lines.findIndex((line, index) => index > start && line.trimEnd() === "*** End Patch");
  if (end === -1) throw new PatchProblem("The patch has no line `*** End Patch`, so it may be cut off.");
  const files: FilePatch[] = [];
  for (const [index, line] of lines.slice(start + 1, end).entries()) {
    const place = `Line ${start + index + 2} of the patch`;
    const header = /^\*\*\* (Add|Update|Delete) File: (.+?)\s*$/.exec(line);
    const file = files.at(-1);
    if (header) files.push({ operation: operations[header[1] ?? ""] ?? "update", path: header[2] ?? "", chunks: [] });
    else if (!file) {
      if (line.trim() !== "")
        throw new PatchProblem(`${place} belongs to no file: it must follow a line \`*** … File:\`.`);
    } else addLine(file, line, place);
  }
  for (const { operation, path, chunks, moveTo } of files) {
    const isEmpty = chunks.every((chunk) => chunk.lines.every(({ sign }) => sign === " "));
    if (operation === "update" && isEmpty && moveTo === undefined)
      throw new PatchProblem(`The patch changes nothing in ${path}.`);
  }
  return files;
}

const operations: Readonly<Record<string, FilePatch["operation"]>> = { Add: "add", Update: "update", Delete: "delete" };

function addLine(file: FilePatch, line: string, place: string): void {
  const { operation, path, chunks } = file;
  const move = /^\*\*\* Move to: (.+?)\s*$/.exec(line);
  if (move && operation === "update" && chunks.length === 0) {
    file.moveTo = move[1] ?? "";
    return;
  }
  if (operation === "delete") {
    if (line.trim() === "") return;
    throw new PatchProblem(`${place}: nothing may follow \`*** Delete File: ${path}\`.`);
  }
  if (operation === "add") {
    if (!line.startsWith("+"))
      throw new PatchProblem(`${place}: every line of the new file ${path} begins with \`+\`.`);
    last(chunks).lines.push({ sign: "+", text: line.slice(1) });
    return;
  }
  if (line.trimEnd() === "*** End of File") {
    const chunk = last(chunks);
    if (chunk.place.by === "text") chunk.place.atEnd = true;
  } else if (line.startsWith("@@")) addAnchor(chunks, line.slice(2).trim());
  else {
    const sign = line === "" ? " " : line.charAt(0);
    if (sign !== " " && sign !== "-" && sign !== "+") {
      throw new PatchProblem(
        `${place} begins with neither a space nor \`-\`, \`+\`, \`@@\` or \`***\`: ${line.slice(0, 80)}`,
      );
    }
    last(chunks).lines.push({ sign, text: line.slice(1) });
  }
}

/** Several anchors in a row narrow down one place, such as a class and its method. */
function addAnchor(chunks: Chunk[], anchor: string): void {
  const before = chunks.at(-1);
  const chunk = before && before.lines.length === 0 ? before : newChunk();
  if (chunk !== before) chunks.push(chunk);
  if (anchor !== "" && chunk.place.by === "text") chunk.place.anchors.push(anchor);
}

function last(chunks: Chunk[]): Chunk {
  const chunk = chunks.at(-1) ?? newChunk();
  if (chunks.length === 0) chunks.push(chunk);
  return chunk;
}

const newChunk = (): Chunk => ({ lines: [], place: { by: "text", anchors: [], atEnd: false } });
