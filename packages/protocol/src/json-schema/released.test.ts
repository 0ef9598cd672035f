import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { compare } from "./compare-schemas.ts";
import { currentDefinitions, surfaceOf } from "./schema-surface.ts";

const read = (name: string) => JSON.parse(readFileSync(new URL(`../../schemas/${name}`, import.meta.url), "utf8"));

describe("the definitions", () => {
  it("are compatible with the released ones and use no name of tombstones.json", () => {
    const found = compare(read("released.json"), surfaceOf(currentDefinitions), read("tombstones.json"));
    expect(found.map(({ message }) => message)).toEqual([]);
  });
});
