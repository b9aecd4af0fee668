/** Longest time that a late part holds up the other parts. */
const maxMs = 2_000

const { classList } = document.documentElement
let underWay = 0
let isOpen = false

/** Shows the page as a whole: later parts would move the other parts under the reader's eyes. */
function open() {
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
  // The shown parts may read more.
  setTimeout(openIfRead)
}

classList.add('opening')
setTimeout(openIfRead)
setTimeout(open, maxMs)
