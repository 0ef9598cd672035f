import { existsSync } from "node:fs";
import path from "node:path";

/** Where the built page is, seen from this file: in the bundled command, in the published modules, and in the repository. */
const places = ["../page", "../../page", "../../../../web/dist"];

/** The folder of the built page, or undefined if it was not built. */
export function pageFolder(): string | undefined {
  return places
    .map((place) => path.resolve(import.meta.dirname, place))
    .find((folder) => existsSync(path.join(folder, "index.html")));
}
