import { createUlidSource } from "@spoor/protocol";
import { Script } from "../../../protocol/testing/script.ts";
import { recordEvents } from "./recorded.ts";

const newId = createUlidSource();

/** Records a run that changes many files one after the other without a word. Returns its id. */
export function manyFilesRun(data: string, files: number): Promise<string> {
  const script = new Script({ runId: newId(), startAt: Date.now() - 600_000 });
  script.begin();
  script.turn();
  for (let index = 0; index < files; index += 1) {
    const path = `src/part-${index % 50}/file-${index}.ts`;
    const id = `edit-${index}`;
    script.tool({ id, name: "Edit", kind: "edit", input: { file_path: path } });
    script.emit("file_patch", { path, diff: `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-a\n+b\n`, toolCallId: id });
    script.result(id, "Edit", "done");
  }
  script.endTurn();
  return recordEvents(data, script.end().events);
}

/** Records a run that says one word of so many characters. Returns its id. */
export function longWordRun(data: string, characters: number): Promise<string> {
  const script = new Script({ runId: newId(), startAt: Date.now() - 60_000 });
  script.begin();
  script.turn();
  script.message("A".repeat(characters));
  script.endTurn();
  return recordEvents(data, script.end().events);
}
