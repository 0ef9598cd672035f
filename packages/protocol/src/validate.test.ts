import { expect, test } from "vitest";
import { oneOf, Type } from "./schema.ts";
import { problems } from "./validate.ts";

const Request = Type.Object({
  message: Type.String({ minLength: 1, maxLength: 10 }),
  mode: oneOf(["ask", "deny"], "The mode."),
  place: Type.Optional(Type.Union([Type.String(), Type.Object({})])),
  words: Type.Array(Type.String(), { maxItems: 1 }),
});

test.each([
  [{ mode: "ask", words: [] }, "/message", "it is missing"],
  [{ message: "", mode: "ask", words: [] }, "/message", "it is empty"],
  [{ message: "too long a text", mode: "ask", words: [] }, "/message", "it is longer than 10 characters"],
  [{ message: "a", mode: "maybe", words: [] }, "/mode", 'expected "ask" or "deny"'],
  [{ message: "a", mode: "ask", place: 7, words: [] }, "/place", "expected string or object"],
  [{ message: "a", mode: "ask", words: ["b", "c"] }, "/words", "it has more than 1 items"],
  [{ message: 7, mode: "ask", words: [] }, "/message", "expected string"],
])("the problem of %j is said in plain words", (value, path, message) => {
  expect(problems(Request, value)).toEqual([{ path, message }]);
});
