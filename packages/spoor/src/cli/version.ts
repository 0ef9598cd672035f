import { readFileSync } from "node:fs";

/** The version of this package, which is two folders up both from src/cli and from dist/bundle. */
export const version = (): string =>
  JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).version;
