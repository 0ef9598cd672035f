import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { dotted } from "../../packages/protocol/src/envelope/define.ts";
import {
  currentDefinitions,
  type Definitions,
  type Field,
  surfaceOf,
} from "../../packages/protocol/src/json-schema/schema-surface.ts";
import { Text } from "../../packages/protocol/src/schema.ts";
import { release, surfaceText } from "./release.ts";

let root: string;
let folder: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "spoor-release-"));
  folder = path.join(root, "packages/protocol/schemas");
  mkdirSync(folder, { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true }));

const recorded = () => readFileSync(path.join(folder, "released.json"), "utf8");
const renamed = dotted("run.renamed", "additive", "The run has another name.", { name: Text("Its name.") });
const withRenamed: Definitions = { ...currentDefinitions, payloads: [...currentDefinitions.payloads, renamed] };

describe("release", () => {
  it("accepts the first definitions unchanged", () => {
    expect(release(root)).toEqual([]);
    expect(JSON.parse(recorded())).toEqual(surfaceOf(currentDefinitions));
  });

  it("adds new definitions, which are binding from then on", () => {
    release(root);
    expect(release(root, withRenamed)).toEqual([]);
    expect(JSON.parse(recorded()).payloads["run.renamed"].name).toEqual({ type: "string", required: true });
    expect(release(root).map(({ code, at }) => `${code} ${at}`)).toEqual(["type_removed run.renamed"]);
  });

  it("refuses a name that has a tombstone", () => {
    release(root);
    writeFileSync(path.join(folder, "tombstones.json"), '{"types":["run.renamed"],"fields":[],"values":[]}');
    const before = recorded();
    expect(release(root, withRenamed).map(({ code }) => code)).toEqual(["tombstone_reused"]);
    expect(recorded()).toBe(before);
  });
});

describe("the record", () => {
  it("has a line for each field", () => {
    const sequence: Field = { type: "integer", required: true, limits: { minimum: 0 } };
    const surface = {
      version: "1",
      envelope: { sequence },
      payloads: { "run.paused": { reason: { type: "string" }, sequence } },
      agentEvents: { paused: { reason: { type: "string" } } },
    };
    expect(surfaceText(surface)).toBe(`{
  "version": "1",
  "envelope": {
    "sequence": {"type":"integer","required":true,"limits":{"minimum":0}}
  },
  "payloads": {
    "run.paused": {
      "reason": {"type":"string"},
      "sequence": {"type":"integer","required":true,"limits":{"minimum":0}}
    }
  },
  "agentEvents": {
    "paused": {
      "reason": {"type":"string"}
    }
  }
}
`);
  });
});
