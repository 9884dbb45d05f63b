/** Numbers in pairs, first in first out, also taken from the back. */
export class PairQueue {
  private values: number[] = []
  private head = 0

  get size(): number {
    return (this.values.length - this.head) / 2
  }

  push(first: number, second: number): void {
    this.values.push(first, second)
  }

  /** First number of the pair in front. */
  frontFirst(): number {
    return this.values[this.head] ?? 0
  }

  /** Second number of the pair in front. */
  frontSecond(): number {
    return this.values[this.head + 1] ?? 0
  }

  /** Second number of the pair at the back. */
  backSecond(): number {
    return this.values[this.values.length - 1] ?? 0
  }

  dropFront(): void {
    this.head += 2
    if (this.head > 1024 && this.head * 2 > this.values.length) {
      this.values = this.values.slice(this.head)
      this.head = 0
    }
  }

  dropBack(): void {
    this.values.length -= 2
  }

  clear(): void {
    this.values = []
    this.head = 0
  }
}
