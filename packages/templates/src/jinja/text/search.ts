/** Below this product of lengths a naive search is never slow. */
const NAIVE_COST = 65_536
/** Shorter texts are searched naively in any text. */
const NAIVE_LENGTH = 8

/** Whether the engine's own search is fast enough: when one text is short. */
export function isPlainSearch(text: string, wanted: string): boolean {
  return wanted.length < NAIVE_LENGTH || text.length * wanted.length < NAIVE_COST
}

/**
 * Like `indexOf`, in linear time for every input: the engine's own search takes quadratic time on texts made for it.
 */
export function findText(text: string, wanted: string, from = 0): number {
  if (isPlainSearch(text, wanted)) return text.indexOf(wanted, from)
  return new Searcher(wanted).find(text, from)
}

/** Like `lastIndexOf` of a match that ends at `end` or before, in linear time. */
export function findLastText(text: string, wanted: string, end = text.length): number {
  if (wanted.length > end) return -1
  if (isPlainSearch(text, wanted)) return text.lastIndexOf(wanted, end - wanted.length)
  const found = new Searcher(reverse(wanted)).find(reverse(text.slice(0, end)), 0)
  return found < 0 ? -1 : end - found - wanted.length
}

/** The offsets of all matches that do not overlap, from the left; at most `limit`. */
export function findAll(text: string, wanted: string, limit = Number.POSITIVE_INFINITY): number[] {
  const searcher = isPlainSearch(text, wanted) ? undefined : new Searcher(wanted)
  const offsets: number[] = []
  let from = 0
  while (offsets.length < limit) {
    const found = searcher === undefined ? text.indexOf(wanted, from) : searcher.find(text, from)
    if (found < 0) break
    offsets.push(found)
    from = found + wanted.length
  }
  return offsets
}

/** Like {@link findAll} from the right; the offsets come in that order. */
export function findAllFromEnd(text: string, wanted: string, limit: number): number[] {
  const found = findAll(reverse(text), reverse(wanted), limit)
  return found.map((offset) => text.length - offset - wanted.length)
}

/** Knuth, Morris and Pratt: after a mismatch the pattern moves on, the text never back. */
class Searcher {
  readonly #wanted: string
  /** For every prefix, the length of the longest border: an end that is also a beginning. */
  readonly #borders: Uint32Array

  constructor(wanted: string) {
    this.#wanted = wanted
    this.#borders = new Uint32Array(wanted.length)
    for (let index = 1, matched = 0; index < wanted.length; index++) {
      matched = this.#advance(matched, wanted.charCodeAt(index))
      this.#borders[index] = matched
    }
  }

  find(text: string, from: number): number {
    for (let index = from, matched = 0; index < text.length; index++) {
      matched = this.#advance(matched, text.charCodeAt(index))
      if (matched === this.#wanted.length) return index - matched + 1
    }
    return -1
  }

  #advance(matched: number, unit: number): number {
    let length = matched
    while (length > 0 && this.#wanted.charCodeAt(length) !== unit) length = this.#borders[length - 1] ?? 0
    return this.#wanted.charCodeAt(length) === unit ? length + 1 : length
  }
}

function reverse(text: string): string {
  return text.split('').reverse().join('')
}
