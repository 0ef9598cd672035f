/** The outcome of a scenario: `passed`, the expected problem, or what went wrong. */
interface ScenarioOutcome {
  told: string;
  /** An unexpected problem, or an expected one that did not occur. */
  isSurprise: boolean;
}

/** Compares the problems of a scenario with the expected one, and prints the outcome. */
export function judgeScenario(
  name: string,
  problems: readonly string[],
  expected: string | undefined,
): ScenarioOutcome {
  const hasPassed = problems.length === 0;
  const isSurprise = hasPassed === (expected !== undefined);
  console.log(`${isSurprise ? "✗" : hasPassed ? "✓" : "–"} ${name}`);
  if (isSurprise) for (const problem of problems) console.log(`    ${problem}`);
  if (isSurprise && hasPassed) console.log("    It passes now: take it off the list in expected.ts.");
  return { told: hasPassed ? "passed" : (expected ?? problems.join(" ")), isSurprise };
}
