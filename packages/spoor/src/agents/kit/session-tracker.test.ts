import { expect, it } from "vitest";
import { SessionTracker } from "./session-tracker.ts";

it("reports a session when its id changes", () => {
  const session = new SessionTracker();
  const reported = ["", undefined, "one", "one", 7, "", "two", "one"].map((name) => session.update(name));
  expect(reported.flat().map((signal) => "id" in signal && signal.id)).toEqual(["one", "two", "one"]);
  expect(session.id).toBe("one");
});
