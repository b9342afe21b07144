/** The whole suite over TLS, certificate and name checked; and what psql's modes take and refuse. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openRawStore } from "../../dist/store/open-raw-store.js";
import { need } from "../support/needs.ts";
import { freshSchema, startServer } from "../support/postgres.ts";
import type { PostgresServer } from "../support/postgres-server.ts";
import { isFull } from "../support/seed.ts";
import { claimLaws } from "./claims.ts";
import { describeStore } from "./describe-store.ts";
import { codeOf } from "./harness.ts";
import { postgresPlace } from "./places.ts";

let server: PostgresServer;
let folder: string;
beforeAll(async () => {
  need("openssl");
  folder = mkdtempSync(join(tmpdir(), "refloat-tls-"));
  const files = (name: string): string[] => [
    "-keyout",
    join(folder, `${name}.key`),
    "-out",
    join(folder, `${name}.crt`),
  ];
  for (const name of ["server", "other"])
    execFileSync(
      "openssl",
      [
        ...[
          "req",
          "-x509",
          "-newkey",
          "ec",
          "-pkeyopt",
          "ec_paramgen_curve:prime256v1",
          "-nodes",
          "-days",
          "2",
        ],
        ...["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", ...files(name)],
      ],
      { stdio: "ignore" },
    );
  const read = (name: string): string => readFileSync(join(folder, name), "utf8");
  server = await startServer({
    settings: { ssl: "on" },
    files: { "server.crt": read("server.crt"), "server.key": read("server.key") },
  });
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const address = (host: string, query: string): string => {
  const url = new URL(server.url);
  url.hostname = host;
  return `${url.href}?${query}`;
};
const checked = () => `sslmode=verify-full&sslrootcert=${join(folder, "server.crt")}`;
const secure = () =>
  postgresPlace(() => address("localhost", checked()), { url: server.url, schema: freshSchema().schema });

// The protocol above it is the same: a sample, and the whole suite with REFLOAT_SWEEP=full.
if (isFull) describeStore("PostgreSQL over TLS", secure);
else describe("PostgreSQL over TLS", () => claimLaws(secure));

describe("TLS", () => {
  test("psql's modes: what is checked is refused where it does not fit, and a server is never taken for another", async () => {
    const open = (host: string, query: string): Promise<string> =>
      codeOf(async () => {
        const store = await openRawStore(address(host, query), freshSchema());
        const [row] = [await store.driver.info()];
        await store.close();
        return row.kind;
      });
    const other = `sslrootcert=${join(folder, "other.crt")}`;
    expect(await open("localhost", "sslmode=require")).toContain("postgres");
    expect(await open("localhost", "sslmode=prefer")).toContain("postgres");
    expect(await open("127.0.0.1", checked().replace("verify-full", "verify-ca"))).toContain("postgres");
    // The certificate is of localhost.
    expect(await open("127.0.0.1", checked())).not.toContain("postgres");
    for (const mode of ["require", "verify-ca", "verify-full"])
      expect(await open("localhost", `sslmode=${mode}&${other}`), mode).not.toContain("postgres");
  });
});
