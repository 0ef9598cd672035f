import type { ReactNode } from "react";

/** Icons are drawn in the colour of the text around them. They say nothing to screen readers: a word stands beside each. */
export function Icon({ name, small = false, className = "" }: { name: IconName; small?: boolean; className?: string }) {
  return (
    <svg className={`i${small ? " s" : ""} ${className}`} viewBox="0 0 16 16" aria-hidden="true">
      {shapes[name]}
    </svg>
  );
}

export type IconName = keyof typeof shapes;

const circle = <circle cx="8" cy="8" r="5.8" />;

const shapes = {
  tick: path("m3.5 8.5 3 3 6-7"),
  needs: path("M8 2.2 14 13H2L8 2.2Z", "M8 6.5v3M8 11.4v.1"),
  more: <path d="M3.5 8h.01M8 8h.01M12.5 8h.01" strokeWidth="2.2" />,
  search: (
    <>
      <circle cx="7" cy="7" r="4.2" />
      <path d="m10.2 10.2 3 3" />
    </>
  ),
  copy: (
    <>
      <rect x="5.5" y="5.5" width="7.5" height="7.5" rx="1.5" />
      <path d="M10.5 5.5v-1A1.5 1.5 0 0 0 9 3H4.5A1.5 1.5 0 0 0 3 4.5V9a1.5 1.5 0 0 0 1.5 1.5h1" />
    </>
  ),
  done: inCircle("m5.6 8.2 1.7 1.7 3.1-3.6"),
  plus: path("M8 3v10M3 8h10"),
  right: path("m6 4 4 4-4 4"),
  left: path("m10 4-4 4 4 4"),
  down: path("m4 6 4 4 4-4"),
  up: path("m4 10 4-4 4 4"),
  list: path("M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.01M2.5 8h.01M2.5 12h.01"),
  bell: path("M4 11V7.5a4 4 0 0 1 8 0V11l1 1.2H3zM6.8 14h2.4"),
  bars: path("M3 13V8M6.5 13V4M10 13V9.5M13.5 13V6"),
  terminal: path("m3.5 5 3 3-3 3M8.5 11.5h4"),
  clock: inCircle("M8 4.8V8l2.2 1.6"),
  undo: path("M5 3.5 2.5 6 5 8.5", "M2.5 6H9a4 4 0 0 1 0 8H6"),
  failed: inCircle("m6 6 4 4M10 6l-4 4"),
  edit: path("M10.8 3.2 12.9 5.3 6 12.2l-2.7.6.6-2.7z"),
  minus: inCircle("M5.5 8h5"),
  cross: path("m4 4 8 8M12 4l-8 8"),
  working: (
    <>
      <circle cx="8" cy="8" r="5.8" opacity=".28" />
      <path d="M8 2.2A5.8 5.8 0 0 1 13.8 8" className="spin" />
    </>
  ),
  question: inCircle("M6.3 6.3a1.8 1.8 0 1 1 2.4 1.8c-.5.2-.7.5-.7 1v.2M8 11.2v.01"),
  fork: (
    <>
      <circle cx="4.5" cy="3.5" r="1.5" />
      <circle cx="11.5" cy="3.5" r="1.5" />
      <circle cx="8" cy="12.5" r="1.5" />
      <path d="M4.5 5v1A2 2 0 0 0 6.5 8h3a2 2 0 0 0 2-2V5M8 8v3" />
    </>
  ),
  folder: path("M2.5 4.5h4l1.2 1.5h5.8v6.5h-11z"),
  thought: path("M5 11.5a4.5 4.5 0 1 1 6 0M6 13.5h4"),
  file: path("M4 2.5h5.5L12 5v8.5H4z", "M6 7h4M6 9.5h4"),
  fileNew: path("M4 2.5h5.5L12 5v8.5H4z", "M8 7v4M6 9h4"),
  play: path("M5 3.5v9l7.5-4.5z"),
  pause: path("M5.5 4v8M10.5 4v8"),
  stalled: (
    <>
      <circle cx="8" cy="8" r="5.8" strokeDasharray="2.4 2.2" />
      <path d="M6.6 6v4M9.4 6v4" />
    </>
  ),
  gap: path("M2.5 8h2M11.5 8h2M6 5l-1 6M10 5l-1 6"),
  plug: path("M6 2.5v3M10 2.5v3M4.5 5.5h7v2a3.5 3.5 0 0 1-7 0zM8 11v2.5"),
  child: path("M4 2.5v6a2 2 0 0 0 2 2h5", "m9 8 2.5 2.5L9 13"),
  first: path("M12 3.5v9L5.5 8zM4 3.5v9"),
  last: path("M4 3.5v9L10.5 8zM12 3.5v9"),
  lock: (
    <>
      <rect x="4" y="7" width="8" height="6" rx="1.2" />
      <path d="M5.8 7V5.2a2.2 2.2 0 0 1 4.4 0V7" />
    </>
  ),
  link: path(
    "M6.5 9.5a2.5 2.5 0 0 0 3.6 0l2-2a2.5 2.5 0 0 0-3.6-3.6l-.8.8M9.5 6.5a2.5 2.5 0 0 0-3.6 0l-2 2a2.5 2.5 0 0 0 3.6 3.6l.8-.8",
  ),
  compare: path("M5 3v10M11 3v10M2.5 5.5 5 3l2.5 2.5M8.5 10.5 11 13l2.5-2.5"),
  send: path("M8 13V3.5M4 7l4-4 4 4"),
  delete: path("M3.5 4.5h9M6.5 4.5v-1.5h3v1.5M4.8 4.5l.6 8.5h5.2l.6-8.5"),
} satisfies Record<string, ReactNode>;

function path(...lines: string[]): ReactNode {
  return lines.map((line) => <path key={line} d={line} />);
}

function inCircle(line: string): ReactNode {
  return (
    <>
      {circle}
      <path d={line} />
    </>
  );
}
