import { expect, test } from "vitest";
import { addressOf } from "./addresses.ts";

const anthropic = { variables: ["A"], standard: "https://api.example.com/v1", version: "/v1" };
const chat = { ...anthropic, isPathKept: true };
const local = { ...chat, standard: "http://127.0.0.1:11434/v1", port: "11434" };

test.each([
  [anthropic, undefined, "https://api.example.com/v1"],
  [anthropic, "", "https://api.example.com/v1"],
  [anthropic, "https://proxy.example", "https://proxy.example/v1"],
  [anthropic, "https://proxy.example/anthropic/", "https://proxy.example/anthropic/v1"],
  [anthropic, "https://proxy.example/v1/", "https://proxy.example/v1"],
  [chat, "https://proxy.example", "https://proxy.example/v1"],
  [chat, "https://proxy.example/openai", "https://proxy.example/openai"],
  [chat, "https://user:hunter2@proxy.example/v1?key=hunter2", "https://proxy.example/v1"],
  [local, "gpu-box", "http://gpu-box:11434/v1"],
  [local, "gpu-box:8080", "http://gpu-box:8080/v1"],
  [local, "0.0.0.0", "http://127.0.0.1:11434/v1"],
  [local, "https://gpu-box", "https://gpu-box/v1"],
])("%j with %j is %s", (rule, given, address) => {
  expect(addressOf(rule, given === undefined ? {} : { A: given })).toBe(address);
});

test.each(["ftp://host", "http://", "://", "http://bad host"])("%j is no address", (given) => {
  expect(() => addressOf(anthropic, { A: given })).toThrow("A must hold an address such as https://example.com/v1.");
});
