/** Offsets from a first one on, marked in a growing bit set. */
export class Marks {
  private words = new Uint32Array(64)
  private first = 0
  private used = 0
  /** The highest marked offset; -1 without any. */
  highest = -1

  /** Forgets all. */
  begin(first: number): void {
    this.words.fill(0, 0, this.used)
    this.first = first
    this.used = 0
    this.highest = -1
  }

  add(offset: number): void {
    const at = offset - this.first
    const word = at >>> 5
    if (word >= this.words.length) {
      const grown = new Uint32Array(Math.max(word + 1, this.words.length * 2))
      grown.set(this.words)
      this.words = grown
    }
    this.words[word] = (this.words[word] ?? 0) | (1 << (at & 31))
    this.used = Math.max(this.used, word + 1)
    this.highest = Math.max(this.highest, offset)
  }

  has(offset: number): boolean {
    const at = offset - this.first
    return (((this.words[at >>> 5] ?? 0) >>> (at & 31)) & 1) === 1
  }

  /** The lowest marked offset from one on; -1 without any. */
  next(from: number): number {
    const at = Math.max(from - this.first, 0)
    let bits = (this.words[at >>> 5] ?? 0) & (-1 << (at & 31))
    for (let word = at >>> 5; word < this.used; bits = this.words[++word] ?? 0) {
      if (bits !== 0) return this.first + word * 32 + 31 - Math.clz32(bits & -bits)
    }
    return -1
  }

  /** The highest marked offset up to one; -1 without any. */
  previous(from: number): number {
    const at = from - this.first
    if (at < 0) return -1
    let bits = (this.words[at >>> 5] ?? 0) & (-1 >>> (31 - (at & 31)))
    for (let word = at >>> 5; word >= 0; bits = this.words[--word] ?? 0) {
      if (bits !== 0) return this.first + word * 32 + 31 - Math.clz32(bits)
    }
    return -1
  }
}
