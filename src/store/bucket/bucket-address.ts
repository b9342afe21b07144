/** Where a store's contents lie outside its database, by its address and the variables that every S3 client reads. Pure. */
import { RefloatError } from "../../model/errors.ts";
import type { Environment } from "../../platform/places.ts";

export interface BucketPlace {
  /** s3://BUCKET/PREFIX, as it is shown and recorded: no key is in it. */
  readonly shown: string;
  readonly bucket: string;
  /** Without a slash at its end; empty: none. */
  readonly prefix: string;
  /** Of the bucket itself, without a slash at its end. */
  readonly url: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | null;
}

/** As S3 has them: they stand in host names and paths. */
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX = /^[A-Za-z0-9!_.*'()/-]{0,512}$/;

export function bucketPlace(address: string, env: Environment): BucketPlace {
  const [, bucket = "", rest = ""] = /^s3:\/\/([^/]*)(?:\/(.*))?$/.exec(address) ?? [];
  const prefix = rest.replace(/\/+$/, "");
  if (!BUCKET.test(bucket)) throw bad(`${address} is not s3://BUCKET/PREFIX`);
  if (!PREFIX.test(prefix) || prefix.includes("//"))
    throw bad("its prefix has characters that addresses do not keep");
  const endpoint = env.AWS_ENDPOINT_URL_S3 || env.AWS_ENDPOINT_URL || null;
  const region = env.AWS_REGION || env.AWS_DEFAULT_REGION || (endpoint === null ? null : "us-east-1");
  if (!region) throw bad("AWS_REGION is not set");
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env;
  if (!accessKeyId || !secretAccessKey) throw bad("AWS_ACCESS_KEY_ID or AWS_SECRET_ACCESS_KEY is not set");
  return {
    shown: prefix === "" ? `s3://${bucket}` : `s3://${bucket}/${prefix}`,
    ...{ bucket, prefix, region, accessKeyId, secretAccessKey },
    url: urlOf(endpoint, bucket, region),
    sessionToken: env.AWS_SESSION_TOKEN || null,
  };
}

/** Other servers than Amazon's have the bucket in the path; so has one with a dot, which no certificate would fit. */
function urlOf(endpoint: string | null, bucket: string, region: string): string {
  if (endpoint === null)
    return bucket.includes(".")
      ? `https://s3.${region}.amazonaws.com/${bucket}`
      : `https://${bucket}.s3.${region}.amazonaws.com`;
  if (!URL.canParse(endpoint) || !/^https?:\/\//.test(endpoint)) throw bad("its endpoint is no http address");
  return `${endpoint.replace(/\/+$/, "")}/${bucket}`;
}

const bad = (why: string): RefloatError => new RefloatError("E_BUCKET_ADDRESS", { why });
