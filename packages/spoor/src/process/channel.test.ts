import { describe, expect, it } from "vitest";
import { createChannel } from "./channel.ts";

const open = (capacity = 10) => {
  let rooms = 0;
  const channel = createChannel<string>({ capacity, onRoom: () => (rooms += 1) });
  return { channel, rooms: () => rooms };
};

describe("channel", () => {
  it("delivers values in order, whether the writer or the reader comes first", async () => {
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

  it("is full above its capacity, still accepts values, and calls onRoom when half is free", async () => {
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

  it("drops everything when the reader leaves, and does not block the writer", async () => {
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

  it("ends a pending read when another part of the program calls return", async () => {
    const { channel } = open();
    const pending = channel.next();
    await channel.return();
    expect(await pending).toEqual({ value: undefined, done: true });
  });

  it("delivers the values queued before an error, then the error once", async () => {
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
