/** What a key does. False passes it on to the next map. */
type KeyHandler = (event: KeyboardEvent) => unknown;
export type KeyMap = Readonly<Record<string, KeyHandler | undefined>>;

interface Surroundings {
  /** The maps that listen now, the first mounted first. */
  maps: () => readonly KeyMap[];
  singleKeysAreOn: () => boolean;
  now?: () => number;
}

/** Two keys of a sequence come within this time. */
const SEQUENCE_MS = 1500;

/** Whoever pauses for this long after their field was taken away has noticed it. */
const TYPING_MS = 1000;

/** Reads key presses as names and calls the handler of the map that was mounted last. */
export function createKeyReader({ maps, singleKeysAreOn, now = Date.now }: Surroundings) {
  let first: { key: string; at: number } | undefined;
  let typed: { into: EventTarget | null; at: number } | undefined;

  /** Letters of somebody who types on, because the page took the field away, are no commands. */
  const typesOn = (): boolean => {
    if (!typed || now() - typed.at > TYPING_MS || !isGone(typed.into)) return false;
    typed.at = now();
    return true;
  };

  return (event: KeyboardEvent): void => {
    if (event.isComposing || modifiers.has(event.key)) return;
    const isChord = event.metaKey || event.ctrlKey;
    const isTyped = isInField(event.target);
    // Enter, Esc and chords end a text: if the field goes away then, its writer wanted that.
    if (isTyped) typed = isChord || event.key.length > 1 ? undefined : { into: event.target, at: now() };
    if (event.defaultPrevented) return;
    const name = nameOf(event);
    const before = first && now() - first.at <= SEQUENCE_MS ? first.key : undefined;
    first = undefined;
    if (isTyped) {
      if (isChord) run(name, event, maps());
      else if (name === "escape" && !run("escape in field", event, maps())) leaveField(event);
      return;
    }
    if (!isChord && typesOn()) return;
    if (!isChord && !alwaysOn.has(name) && !singleKeysAreOn()) return;
    if (belongsToTarget(name, event.target)) return;
    const open = maps();
    if (before !== undefined && run(`${before} ${name}`, event, open)) return;
    if (open.some((map) => Object.keys(map).some((key) => key.startsWith(`${name} `))))
      first = { key: name, at: now() };
    run(name, event, open);
  };
}

/** The name of the pressed key: `shift+t`, `mod+k`, `?`. Shift is named only with letters and named keys. */
export function nameOf({ key, metaKey, ctrlKey, altKey, shiftKey }: KeyboardEvent): string {
  const plain = key === " " ? "space" : key.toLowerCase();
  const shiftMatters = /^\p{L}$/u.test(plain) || plain.length > 1;
  return [(metaKey || ctrlKey) && "mod", altKey && "alt", shiftKey && shiftMatters && "shift", plain]
    .filter(Boolean)
    .join("+");
}

function run(name: string, event: KeyboardEvent, maps: readonly KeyMap[]): boolean {
  for (const map of maps.toReversed()) {
    const handler = Object.hasOwn(map, name) ? map[name] : undefined;
    if (!handler || handler(event) === false) continue;
    event.preventDefault();
    return true;
  }
  return false;
}

const modifiers: ReadonlySet<string> = new Set(["Shift", "Control", "Alt", "Meta", "AltGraph"]);

/** The switch is for keys that a slip of the finger or a voice can press: letters, digits and signs. */
const alwaysOn: ReadonlySet<string> = new Set([
  ...["escape", "enter", "space", "home", "end", "pageup", "pagedown"],
  ...["arrowdown", "arrowup", "arrowleft", "arrowright"],
]);

/** Enter and Space press the button or follow the link that has the focus. */
function belongsToTarget(name: string, target: EventTarget | null): boolean {
  if (name !== "enter" && name !== "space") return false;
  return closest(target, name === "enter" ? "button, a, summary" : "button, summary");
}

const isInField = (target: EventTarget | null): boolean =>
  closest(target, 'textarea, select, [contenteditable=""], [contenteditable="true"]') ||
  closest(target, "input:not([type=checkbox], [type=radio], [type=button], [type=submit])");

// In tests of the pure part there are no elements.
const closest = (target: EventTarget | null, selector: string): boolean =>
  target !== null && "closest" in target && (target as Element).closest(selector) !== null;

const isGone = (target: EventTarget | null): boolean =>
  target !== null && "isConnected" in target && target.isConnected === false;

function leaveField({ target }: KeyboardEvent): void {
  if (target && "blur" in target) (target as HTMLElement).blur();
}
