/** Below, at or above 0 as `a` is older than, the same as or newer than `b`. What follows a `-` comes before the release. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parse(a), parse(b)];
  const length = Math.max(left.numbers.length, right.numbers.length);
  for (let i = 0; i < length; i++) {
    const difference = (left.numbers[i] ?? 0) - (right.numbers[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return Number(right.early) - Number(left.early);
}

function parse(version: string): { numbers: number[]; early: boolean } {
  const [release = "", ...rest] = version.split("+", 1)[0]?.split("-") ?? [];
  return { numbers: release.split(".").map((part) => Number.parseInt(part, 10) || 0), early: rest.length > 0 };
}
