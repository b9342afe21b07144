/** A driver with some methods of its own before another's: what it has not is that one's, asked of it as its own method. What somebody sets is set here, and found here again. */
import type { Driver } from "./driver.ts";

type Method = (...args: never[]) => unknown;

export function layeredDriver(driver: Driver, own: Partial<Driver>): Driver {
  /** Asked for twice, a method is one and the same. */
  const bound = new Map<Method, Method>();
  const boundTo = (method: Method): Method => {
    const known = bound.get(method) ?? (method.bind(driver) as Method);
    bound.set(method, known);
    return known;
  };
  return new Proxy(own as Driver, {
    has: (target, name) => Reflect.has(target, name) || Reflect.has(driver, name),
    get: (target, name) => {
      if (Object.hasOwn(target, name)) return Reflect.get(target, name) as unknown;
      const value: unknown = Reflect.get(driver, name);
      return typeof value === "function" ? boundTo(value as Method) : value;
    },
  });
}
