import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { RunSpans, RunView } from "@spoor/protocol";
import type { RunRecord } from "@spoor/protocol/client";

/** What the file is written from. The page's package defines the same (`document/run-document.ts`). */
export interface RunDocument {
  readonly record?: RunRecord | undefined;
  readonly view: RunView;
  readonly spans: RunSpans;
  readonly diff?: string | undefined;
  readonly omissions: readonly string[];
  readonly events: number;
  readonly style: string;
  readonly hashOf: (text: string) => string;
}

/** The built renderer and its style sheet. */
export interface Renderer {
  readonly render: (document: RunDocument) => Iterable<string>;
  readonly style: string;
}

/** Where it is, seen from this file: in the bundled command, and in the repository. */
const places = ["../page/document", "../../../../web/dist/document"];

/** Loads the components of the page, which were built with it. */
export async function loadRenderer(): Promise<Renderer> {
  const folder = places
    .map((place) => path.resolve(import.meta.dirname, place))
    .find((found) => existsSync(path.join(found, "render.js")));
  if (folder === undefined) {
    throw new Error(
      "the parts of the web page that draw a run are not built. In a clone of the repository, run `npm run build` first.",
    );
  }
  const { renderDocument } = await import(pathToFileURL(path.join(folder, "render.js")).href);
  return { render: renderDocument, style: await readFile(path.join(folder, "style.css"), "utf8") };
}
