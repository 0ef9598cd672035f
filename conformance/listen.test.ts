import { expect, test } from "vitest";
import { adapters } from "../packages/spoor/src/agents/registry.ts";
import { listening } from "./listen.ts";

test.each(adapters)("$name reads the same when it is listened to", (adapter) => {
  const heard: string[] = [];
  const copy = listening(adapter, (line) => heard.push(line));
  const line = '{"type":"never_seen"}';
  for (const [index, dialect] of adapter.dialects.entries()) {
    const machine = copy.dialects[index]?.createMachine();
    expect(machine?.line(line)).toEqual(dialect.createMachine().line(line));
    expect(machine?.exit(0, null)).toEqual(expect.any(Array));
  }
  expect(heard).toEqual(adapter.dialects.map(() => line));
});
