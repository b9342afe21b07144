import { describe, expect, it } from "vitest";
import { isPublicName, secretClassOf } from "./secret-names.ts";

describe("secretClassOf", () => {
  it.each([
    "password",
    "Password",
    "DB_PASSWORD",
    "dbPassword",
    "db.password",
    "db-password",
    "PGPASSWORD",
    "MYSQL_PWD",
    "pwd",
    "passphrase",
    "clientSecret",
    "SECRET",
    "password_hash",
    "DB_PASSWORD_2",
    "userPasswd",
  ])("takes %s for the name of a password", (name) => {
    expect(secretClassOf(name)).toBe("password");
  });

  it.each([
    "token",
    "TOKEN",
    "accessToken",
    "GITHUB_TOKEN",
    "_authToken",
    "apiKey",
    "api_key",
    "API-KEY",
    "x-api-key",
    "apikey",
    "APIKey",
    "aws_secret_access_key",
    "privateKey",
    "AccountKey",
    "client-key-data",
    "Authorization",
    "cookie",
    "set-cookie",
    "credentials",
    "_auth",
    "smtp_pass",
    "token2",
  ])("takes %s for the name of a token", (name) => {
    expect(secretClassOf(name)).toBe("token");
  });

  it.each([
    "tokens",
    "max_tokens",
    "token_count",
    "tokenType",
    "token_url",
    "nextPageToken",
    "page_token",
    "eos_token",
    "key",
    "primaryKey",
    "public_key",
    "cache_key",
    "keyboard",
    "secretary",
    "passed",
    "author",
    "path",
    "hasPassword",
    "isToken",
    "bypass",
    "compass",
    "",
    "a".repeat(1000),
  ])("takes %s for no name of a secret", (name) => {
    expect(secretClassOf(name)).toBeNull();
  });
});

describe("isPublicName", () => {
  it("knows names of ids, hashes, paths and content, and no others", () => {
    for (const name of ["id", "sessionId", "sha256", "checksum", "file_path", "data", "ETag", "h1"]) {
      expect(isPublicName(name)).toBe(true);
    }
    for (const name of ["salt", "signing", "idea", "shape", "database"])
      expect(isPublicName(name)).toBe(false);
  });
});
