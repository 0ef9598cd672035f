/** Negative when `a` is older than `b`, 0 when equal, positive when newer. `1.0.0-beta` is older than `1.0.0`. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parse(a), parse(b)];
  const length = Math.max(left.numbers.length, right.numbers.length);
  for (let i = 0; i < length; i++) {
    const difference = (left.numbers[i] ?? 0) - (right.numbers[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return Number(right.isPrerelease) - Number(left.isPrerelease);
}

function parse(version: string): { numbers: number[]; isPrerelease: boolean } {
  const [release = "", ...rest] = version.split("+", 1)[0]?.split("-") ?? [];
  return { numbers: release.split(".").map((part) => Number.parseInt(part, 10) || 0), isPrerelease: rest.length > 0 };
}
