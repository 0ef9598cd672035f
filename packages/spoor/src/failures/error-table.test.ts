import { expect, it } from "vitest";
import { errorTable } from "./error-table.ts";

it.each(Object.entries(errorTable))("%s has a meaning, a hint and an exit code", (_, row) => {
  expect(row.meaning).toMatch(/^[A-Z].*\.$/);
  expect(row.hint).toMatch(/\.$/);
  expect(row.exitCode).toBeGreaterThan(0);
  expect(row.exitCode).toBeLessThanOrEqual(130);
});
