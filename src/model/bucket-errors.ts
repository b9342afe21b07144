/** The errors of a bucket that holds a store's contents (docs/decisions/0028). */
export const BUCKET_ERRORS = {
  E_BUCKET_ADDRESS: {
    exit: 64,
    message: "Not a bucket that contents can lie in: {why}.",
    hint: "REFLOAT_CONTENTS=s3://BUCKET/PREFIX, with AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION; another server than Amazon's by AWS_ENDPOINT_URL_S3.",
  },
  E_BUCKET_UNSET: {
    exit: 1,
    message: "A content of this store lies in {bucket}, and this process was not told of that bucket.",
    hint: "Set REFLOAT_CONTENTS={bucket} and its keys, as on the machine that put it there.",
  },
  E_BUCKET_GONE: {
    exit: 1,
    message: "The bucket {bucket} is not there: {why}.",
    hint: "Nothing was saved. Make it, or set REFLOAT_CONTENTS to where it is.",
  },
  E_BUCKET_FORBIDDEN: {
    exit: 1,
    message: "{bucket} does not let this key {what}: {why}.",
    hint: "Nothing was saved. It needs s3:GetObject, PutObject, DeleteObject and ListBucket on the prefix; a clock that is off is refused, too.",
  },
  E_BUCKET_LEFT: {
    exit: 75,
    message: "The records are erased, but objects of theirs are still in {bucket}: {why}",
    hint: "Nobody names them any more: `refloat store gc`, where the bucket is set, removes them once they are an hour old.",
  },
  E_BUCKET_SLOW: {
    exit: 75,
    message: "{bucket} did not answer within {ms} ms, {tries} times.",
    hint: "Nothing was saved that was not answered. The same again goes on.",
  },
  E_BUCKET_IO: {
    exit: 75,
    message: "{bucket} cannot be used: {why}.",
    hint: "Nothing was saved that was not answered. The same again goes on when it is back.",
  },
} as const;
