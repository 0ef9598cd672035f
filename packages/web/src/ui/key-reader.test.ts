import { describe, expect, test } from "vitest";
import { createKeyReader, type KeyMap, nameOf } from "./key-reader.ts";

interface Press {
  key: string;
  modifiers?: Partial<Record<"metaKey" | "ctrlKey" | "altKey" | "shiftKey", boolean>>;
  /** What `closest` finds around the element that has the focus. */
  inside?: string;
  /** Whether this element is still part of the page. */
  isConnected?: boolean;
}

function pressed({ key, modifiers = {}, inside, isConnected = true }: Press) {
  const target = {
    isConnected,
    closest: (selector: string) => (inside && selector.includes(inside) ? {} : null),
    blur: () => left.push(key),
  };
  const left: string[] = [];
  const event = { key, metaKey: false, ctrlKey: false, altKey: false, shiftKey: false, ...modifiers };
  let isPrevented = false;
  return {
    left,
    event: {
      ...event,
      target,
      get defaultPrevented() {
        return isPrevented;
      },
      preventDefault: () => {
        isPrevented = true;
      },
    } as unknown as KeyboardEvent,
  };
}

function reading(maps: (called: string[]) => KeyMap[], { singleKeys = true } = {}) {
  const called: string[] = [];
  let time = 0;
  const read = createKeyReader({ maps: () => maps(called), singleKeysAreOn: () => singleKeys, now: () => time });
  return {
    called,
    press: (press: Press, afterMs = 0) => {
      time += afterMs;
      const { event, left } = pressed(press);
      read(event);
      return { isPrevented: event.defaultPrevented, left };
    },
  };
}

describe("the key reader", () => {
  test("names keys with their modifiers", () => {
    const name = (key: string, modifiers = {}) => nameOf(pressed({ key, modifiers }).event);
    expect(name("J")).toBe("j");
    expect(name("T", { shiftKey: true })).toBe("shift+t");
    expect(name("?", { shiftKey: true })).toBe("?");
    expect(name("k", { metaKey: true })).toBe("mod+k");
    expect(name("Enter", { ctrlKey: true })).toBe("mod+enter");
    expect(name(" ")).toBe("space");
  });

  test("asks the map that was mounted last first, and goes on when it passes", () => {
    const { called, press } = reading((list) => [
      { a: () => list.push("outer") },
      { a: () => list.push("inner") && false },
    ]);
    expect(press({ key: "a" }).isPrevented).toBe(true);
    expect(called).toEqual(["inner", "outer"]);
  });

  test("reads sequences, and forgets the first key after a while", () => {
    const { called, press } = reading((list) => [{ "g r": () => list.push("runs"), r: () => list.push("reply") }]);
    press({ key: "g" });
    press({ key: "r" });
    press({ key: "g" });
    press({ key: "r" }, 5_000);
    expect(called).toEqual(["runs", "reply"]);
  });

  test("leaves single keys to a field, and Esc leaves the field", () => {
    const { called, press } = reading((list) => [{ j: () => list.push("j"), "mod+k": () => list.push("search") }]);
    expect(press({ key: "j", inside: "textarea" }).isPrevented).toBe(false);
    press({ key: "k", modifiers: { metaKey: true }, inside: "textarea" });
    expect(press({ key: "Escape", inside: "textarea" }).left).toEqual(["Escape"]);
    expect(called).toEqual(["search"]);
  });

  test("takes no command from somebody who types on after the page took the field away", () => {
    const { called, press } = reading((list) => [{ a: () => list.push("a"), "mod+k": () => list.push("search") }]);
    const field = { inside: "textarea", isConnected: false };
    press({ key: "n", ...field });
    press({ key: "a" }, 600);
    press({ key: "a" }, 600);
    press({ key: "k", modifiers: { metaKey: true } });
    expect(called).toEqual(["search"]);
    press({ key: "a" }, 1_500);
    expect(called).toEqual(["search", "a"]);
  });

  test("takes commands at once from somebody who ended a text, and whose field is still there", () => {
    const { called, press } = reading((list) => [{ a: () => list.push("a") }]);
    press({ key: "n", inside: "textarea", isConnected: false });
    press({ key: "Enter", modifiers: { metaKey: true }, inside: "textarea", isConnected: false });
    press({ key: "a" });
    press({ key: "n", inside: "textarea" });
    press({ key: "a" });
    expect(called).toEqual(["a", "a"]);
  });

  test("does nothing for single keys when they are turned off, but keeps arrows and chords", () => {
    const map = (list: string[]) => [
      { j: () => list.push("j"), arrowdown: () => list.push("down"), "mod+k": () => list.push("search") },
    ];
    const { called, press } = reading(map, { singleKeys: false });
    press({ key: "j" });
    press({ key: "ArrowDown" });
    press({ key: "k", modifiers: { ctrlKey: true } });
    expect(called).toEqual(["down", "search"]);
  });

  test("leaves Enter to the link and Space to the button that has the focus", () => {
    const { called, press } = reading((list) => [{ enter: () => list.push("enter"), space: () => list.push("space") }]);
    press({ key: "Enter", inside: "a" });
    press({ key: " ", inside: "button" });
    press({ key: "Enter" });
    expect(called).toEqual(["enter"]);
  });

  test("ignores names that every object has", () => {
    const { press } = reading(() => [{}]);
    expect(press({ key: "constructor" }).isPrevented).toBe(false);
  });
});
