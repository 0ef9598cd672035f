/** The trail of the first visit: it becomes clearer until the agent acts, waits and speaks. */
export function Tracks({ className }: { className: string }) {
  return (
    <svg
      className={className}
      viewBox="0 0 680 96"
      fill="currentColor"
      aria-hidden="true"
      preserveAspectRatio="xMinYMid meet"
    >
      {steps.map(([x, y, radius, opacity]) => (
        <circle key={x} cx={x} cy={y} r={radius} opacity={opacity} />
      ))}
      <circle cx="520" cy="34" r="8" fill="var(--t-tool)" />
      <rect x="560" y="11" width="14" height="14" rx="2.5" transform="rotate(45 567 18)" fill="var(--needs)" />
      <circle cx="614" cy="26" r="8.6" fill="var(--t-model)" />
    </svg>
  );
}

const steps: readonly (readonly [x: number, y: number, radius: number, opacity: number])[] = [
  [14, 74, 3.4, 0.16],
  [52, 62, 3.7, 0.2],
  [88, 72, 4, 0.25],
  [128, 58, 4.3, 0.3],
  [166, 66, 4.6, 0.36],
  [208, 50, 5, 0.42],
  [248, 58, 5.3, 0.5],
  [292, 42, 5.7, 0.58],
  [334, 50, 6, 0.66],
  [380, 34, 6.4, 0.75],
  [424, 42, 6.8, 0.84],
  [472, 26, 7.2, 0.92],
];
