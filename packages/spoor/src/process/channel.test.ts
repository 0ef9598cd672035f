import { describe, expect, it } from "vitest";
import { createChannel } from "./channel.ts";

const open = (capacity = 10) => {
  let rooms = 0;
  const channel = createChannel<string>({ capacity, onRoom: () => (rooms += 1) });
  return { channel, rooms: () => rooms };
};

describe("channel", () => {
  it("gives values in order, whether they or the reader came first", async () => {
    const { channel } = open();
    const early = [channel.next(), channel.next()];
    for (const value of ["a", "b", "c"]) channel.push(value, 1);
    channel.end();
    expect(await Promise.all(early)).toEqual([
      { value: "a", done: false },
      { value: "b", done: false },
    ]);
    expect(await channel.next()).toEqual({ value: "c", done: false });
    expect(await channel.next()).toEqual({ value: undefined, done: true });
  });

  it("is full above its capacity, still takes what comes, and tells once half is free", async () => {
    const { channel, rooms } = open(10);
    for (const value of ["a", "b", "c", "d"]) channel.push(value, 3);
    expect(channel.full).toBe(true);
    channel.push("e", 3);
    await channel.next();
    await channel.next();
    await channel.next();
    expect({ full: channel.full, rooms: rooms() }).toEqual({ full: false, rooms: 0 });
    await channel.next();
    expect(rooms()).toBe(1);
  });

  it("drops everything for a reader that leaves, and lets the writer go on", async () => {
    const { channel, rooms } = open(1);
    channel.push("a", 5);
    channel.push("b", 5);
    for await (const value of channel) {
      expect(value).toBe("a");
      break;
    }
    channel.push("c", 5);
    expect({ full: channel.full, rooms: rooms() }).toEqual({ full: false, rooms: 1 });
    expect(await channel.next()).toEqual({ value: undefined, done: true });
  });

  it("frees a reader that waits when another part of the program leaves", async () => {
    const { channel } = open();
    const pending = channel.next();
    await channel.return();
    expect(await pending).toEqual({ value: undefined, done: true });
  });

  it("gives what was there before an error, then the error once", async () => {
    const { channel } = open();
    channel.push("a", 1);
    channel.end(new Error("broken"));
    expect(await channel.next()).toEqual({ value: "a", done: false });
    await expect(channel.next()).rejects.toThrow("broken");
    expect(await channel.next()).toEqual({ value: undefined, done: true });

    const waited = open().channel;
    const pending = waited.next();
    waited.end(new Error("broken"));
    await expect(pending).rejects.toThrow("broken");
  });
});
