/** For so long a part that comes late does not hold up the others. */
const longestMs = 2_000

const { classList } = document.documentElement
let underWay = 0
let isOpen = false

/** Shown whole: what is read for one part would move the others while they are looked at. */
export function open() {
  isOpen = true
  classList.remove('opening')
}

function openIfRead() {
  if (underWay === 0) open()
}

export async function firstReading(reading: Promise<void>): Promise<void> {
  if (isOpen) return
  underWay++
  await reading
  underWay--
  // What it showed may read more.
  setTimeout(openIfRead)
}

classList.add('opening')
setTimeout(openIfRead)
setTimeout(open, longestMs)
