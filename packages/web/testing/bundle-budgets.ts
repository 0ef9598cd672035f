/** The budgets of the page in kilobytes (1,000 bytes) after gzip. */
export const budgets = {
  /** The scripts that every screen needs. */
  first: 150,
  /** The scripts of a run, with those that every screen needs. */
  run: 195,
  /** What any other screen or part may load beyond what was loaded before. */
  other: 45,
  /** The style sheets of the first screen. */
  style: 12,
  /** The style sheets of a run, with those of the first screen. */
  runStyle: 18,
} as const;
