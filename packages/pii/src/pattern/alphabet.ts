import { type CodeSet, contains, isWordCode, WORD } from './code-set.ts'

const ASCII = 128

/**
 * The characters of a pattern sorted into classes. Two characters of one class are in the same sets of the pattern, and
 * both or neither are word characters. Automata then need one column a class and not one a character.
 */
export class Alphabet {
  /** Number of classes. */
  readonly size: number
  /** Class of each ASCII character. */
  private readonly ascii = new Uint16Array(ASCII)
  /** First code point of each class range above, ascending, and the class of each. */
  private readonly bounds: readonly number[]
  private readonly classes: Uint16Array
  private readonly members: number[]

  constructor(sets: readonly CodeSet[]) {
    const cuts = new Set([0])
    for (const set of [...sets, WORD]) {
      for (let at = 0; at < set.length; at += 2) {
        cuts.add(set[at] ?? 0)
        cuts.add((set[at + 1] ?? 0) + 1)
      }
    }
    this.bounds = [...cuts].sort((a, b) => a - b)
    this.classes = new Uint16Array(this.bounds.length)
    this.members = []
    const bySignature = new Map<string, number>()
    for (const [index, code] of this.bounds.entries()) {
      const signature = [isWordCode(code), ...sets.map((set) => contains(set, code))].map(Number).join('')
      let found = bySignature.get(signature)
      if (found === undefined) {
        found = this.members.push(code) - 1
        bySignature.set(signature, found)
      }
      this.classes[index] = found
    }
    this.size = this.members.length
    for (let code = 0; code < ASCII; code++) this.ascii[code] = this.search(code)
  }

  /** The class of a code point. */
  toClass(code: number): number {
    return code < ASCII ? (this.ascii[code] ?? 0) : this.search(code)
  }

  /** One flag a class: whether a set holds it. The set must be one of the alphabet's sets. */
  toFlags(set: CodeSet): Uint8Array {
    return Uint8Array.from(this.members, (code) => (contains(set, code) ? 1 : 0))
  }

  /** One flag a class: whether its characters are word characters. */
  wordFlags(): Uint8Array {
    return Uint8Array.from(this.members, (code) => (isWordCode(code) ? 1 : 0))
  }

  private search(code: number): number {
    let low = 0
    let high = this.bounds.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.bounds[middle] ?? 0) <= code) low = middle
      else high = middle - 1
    }
    return this.classes[low] ?? 0
  }
}
