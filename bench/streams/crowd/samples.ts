/** Numbers and times of deliveries, in few bytes. */
export interface Samples {
  add(number: number, at: number): void
  /** Returns milliseconds of each delivery from its event's time; numbers below `first` are left out. */
  since(first: number, times: Float64Array): Float64Array
  clear(): void
}

export function createSamples(): Samples {
  let numbers = new Uint32Array(1 << 16)
  let arrivals = new Float64Array(1 << 16)
  let count = 0
  return {
    add(number, at) {
      if (count === numbers.length) {
        const [more, later] = [new Uint32Array(count * 2), new Float64Array(count * 2)]
        more.set(numbers)
        later.set(arrivals)
        numbers = more
        arrivals = later
      }
      numbers[count] = number
      arrivals[count++] = at
    },
    since(first, times) {
      const delays = new Float64Array(count)
      let kept = 0
      for (let index = 0; index < count; index++) {
        const time = times[(numbers[index] ?? 0) - first]
        if (time !== undefined) delays[kept++] = (arrivals[index] ?? 0) - time
      }
      return delays.slice(0, kept)
    },
    clear() {
      count = 0
    },
  }
}
