import { closest, distance } from 'fastest-levenshtein'

/** The known name that `name` most likely stands for; undefined where none is near. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined
  const near = closest(name, known)
  return distance(name, near) <= Math.max(2, Math.floor(Math.min(name.length, near.length) / 4))
    ? near
    : undefined
}

/** Shorter ones are near to much that other programs set. */
const leastLength = 6

/** Variables of the environment that are no setting and nearly are. */
export function misspeltSettings(
  environment: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
): { name: string; meant: string }[] {
  const names = new Set(known)
  const own = known.filter((name) => name.length >= leastLength)
  return Object.keys(environment).flatMap((name) => {
    const meant = names.has(name) || name.length < leastLength ? undefined : nearestName(name, own)
    return meant === undefined ? [] : [{ name, meant }]
  })
}
