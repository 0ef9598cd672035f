import { expect, it } from "vitest";
import { errorTable } from "./error-table.ts";

it.each(Object.entries(errorTable))("%s says what it means and what to do, and has an exit code", (_, row) => {
  expect(row.meaning).toMatch(/^[A-Z].*\.$/);
  expect(row.hint).toMatch(/\.$/);
  expect(row.exitCode).toBeGreaterThan(0);
  expect(row.exitCode).toBeLessThanOrEqual(130);
});
