import { expect, it } from "vitest";
import { fromHome } from "./from-home.ts";

it("writes ~ for the home folder and what is below it, and for nothing else", () => {
  const paths = ["/home/x", "/home/x/", "/home/x/project", "/home/xy", "/home/xy/project", "/srv/home/x/project", ""];
  expect(paths.map((path) => fromHome(path, "/home/x"))).toEqual([
    ...["~", "~/", "~/project", "/home/xy", "/home/xy/project", "/srv/home/x/project", ""],
  ]);
  expect(fromHome("/home/x/project", "/home/x/")).toBe("~/project");
  expect(fromHome("C:\\Users\\x\\project", "C:\\Users\\x")).toBe("~\\project");
});

it("leaves paths whole while the home folder is not known, or is the root", () => {
  for (const home of [undefined, "", "/"]) expect(fromHome("/home/x/project", home)).toBe("/home/x/project");
});
