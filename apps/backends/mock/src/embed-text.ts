import { hashText, toWords } from './words.ts'

/**
 * A unit vector for a text: the sum of one pseudo-random vector a word, so that texts with common words are near each
 * other. The same in every process; a text without words gets the first axis.
 */
export function embedText(text: string, dimension: number): number[] {
  const sum = new Array<number>(dimension).fill(0)
  for (const word of toWords(text)) {
    let seed = hashText(word)
    for (let index = 0; index < dimension; index += 1) {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
      sum[index] = (sum[index] ?? 0) + seed / 2 ** 31 - 1
    }
  }
  const length = Math.hypot(...sum)
  return length === 0 ? sum.map((_, index) => (index === 0 ? 1 : 0)) : sum.map((value) => value / length)
}
