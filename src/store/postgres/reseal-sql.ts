/** `reseal_1`: other bytes under a chunk's hash, durable when it returns (rekey.ts). */
export const resealSql = (s: string): string => `
CREATE FUNCTION ${s}.reseal_1(chunk text, sealed text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  PERFORM ${s}.durable();
  UPDATE ${s}.chunks c SET bytes = decode(sealed, 'hex') WHERE c.hash = decode(chunk, 'hex');
  RETURN current_setting('fsync');
END $$;`;
