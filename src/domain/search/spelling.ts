/** The length of the shortest word that is corrected: shorter ones resemble too many others. */
const minLength = 5

/** Reports whether one letter is added, left out, replaced, or swapped with the next, after the first one. */
function isOneEdit(one: string, other: string): boolean {
  let begin = 0
  while (begin < one.length && one[begin] === other[begin]) begin++
  const maxEnd = Math.min(one.length, other.length) - begin
  let end = 0
  while (end < maxEnd && one.at(-1 - end) === other.at(-1 - end)) end++
  const [left, right] = [one.slice(begin, one.length - end), other.slice(begin, other.length - end)]
  if (begin === 0) return false
  return (
    (left.length < 2 && right.length < 2) || (left.length === 2 && right === [...left].toReversed().join(''))
  )
}

/**
 * Replaces each misspelt word by the only known word near it.
 * @param isKnown whether a word is right as it is
 * @returns undefined if nothing was replaced
 */
export function respelt(
  text: string,
  known: readonly string[],
  isKnown: (word: string) => boolean,
): string | undefined {
  const corrected = text.replace(/\p{L}+/gu, (written) => {
    const word = written.toLowerCase()
    if (word.length < minLength - 1 || isKnown(word)) return written
    const near = known.filter((each) => each.length >= minLength && isOneEdit(word, each))
    return near.length === 1 && near[0] !== undefined ? near[0] : written
  })
  return corrected === text ? undefined : corrected
}
