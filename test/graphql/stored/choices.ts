/**
 * Choices made by numbers that fast-check generates and shrinks. A missing number is 0, which is the simplest
 * choice.
 */
export class Choices {
  private at = 0

  constructor(private readonly numbers: readonly number[]) {}

  below(limit: number): number {
    return (this.numbers[this.at++] ?? 0) % limit
  }

  /** True with a chance of one in `times`. */
  once(times: number): boolean {
    return this.below(times) === times - 1
  }

  of<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)]
    if (item === undefined) throw new TypeError('nothing to choose from')
    return item
  }

  get isOver(): boolean {
    return this.at >= this.numbers.length
  }
}
