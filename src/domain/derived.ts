/**
 * Returns a function that derives a value from an object once, and keeps the value for as long as the object
 * lives. Further arguments count at the first call with an object.
 */
export function derivedOnce<From extends object, Rest extends unknown[], Value>(
  derive: (from: From, ...rest: Rest) => Value,
): (from: From, ...rest: Rest) => Value {
  const values = new WeakMap<From, Value>()
  return (from, ...rest) => {
    const known = values.get(from)
    if (known !== undefined) return known
    const value = derive(from, ...rest)
    values.set(from, value)
    return value
  }
}
