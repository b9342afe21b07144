import { describe, expect, it } from "vitest";
import { allowance, foreignTo, isLoopback, isToken } from "./guard.ts";

const from = (host?: string, origin?: string, site?: string) => ({ host, origin, site });

describe("who may ask the page's server", () => {
  it.each(["127.0.0.1:4000", "localhost:4000", "[::1]:4000", "127.0.0.1", "192.168.1.7:4000"])(
    "G1: answers the address it is reached by: %s",
    (host) => expect(foreignTo(from(host), "127.0.0.1")).toBeNull(),
  );

  it.each([
    "evil.example:4000",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "",
    "127.0.0.1@evil.example",
  ])("G1: no name that somebody else points here is answered: %s", (host) =>
    expect(foreignTo(from(host), "127.0.0.1")?.code).toBe("E_PAGE_ORIGIN"),
  );

  it("G1: without a Host nothing is answered, and with the name it was told to listen on it is", () => {
    expect(foreignTo(from(), "127.0.0.1")?.code).toBe("E_PAGE_ORIGIN");
    expect(foreignTo(from("build.lan:80"), "build.lan")).toBeNull();
  });

  it.each(["http://evil.example", "null", "https://127.0.0.1:4000", "http://127.0.0.1:4001", "file://"])(
    "G2: another page's origin is refused, whatever it brings: %s",
    (origin) => expect(foreignTo(from("127.0.0.1:4000", origin), "127.0.0.1")?.code).toBe("E_PAGE_ORIGIN"),
  );

  it("G2: a browser that says it asks from elsewhere is refused; ours, and one that opened the address, are not", () => {
    const own = "http://127.0.0.1:4000";
    expect(foreignTo(from("127.0.0.1:4000", own, "same-origin"), "127.0.0.1")).toBeNull();
    expect(foreignTo(from("127.0.0.1:4000", undefined, "none"), "127.0.0.1")).toBeNull();
    for (const site of ["cross-site", "same-site"])
      expect(foreignTo(from("127.0.0.1:4000", undefined, site), "127.0.0.1")?.code).toBe("E_PAGE_ORIGIN");
  });

  it("G3: only the whole token is the token", () => {
    const token = "a".repeat(32);
    expect(isToken(token, token)).toBe(true);
    for (const other of [undefined, "", "a", "b".repeat(32), `${token}a`, token.toUpperCase()])
      expect(isToken(other, token)).toBe(false);
  });

  it("T5: so many at once, then so many a second, and never more for having waited long", () => {
    let now = 0;
    const may = allowance(10, 3, () => now);
    expect([may(), may(), may(), may()]).toEqual([true, true, true, false]);
    now += 100;
    expect([may(), may()]).toEqual([true, false]);
    now += 60_000;
    expect([may(), may(), may(), may()]).toEqual([true, true, true, false]);
  });

  it("knows which hosts are this machine alone", () => {
    expect(["127.0.0.1", "::1", "localhost"].every(isLoopback)).toBe(true);
    expect(["0.0.0.0", "::", "192.168.1.7", "build.lan"].some(isLoopback)).toBe(false);
  });
});
