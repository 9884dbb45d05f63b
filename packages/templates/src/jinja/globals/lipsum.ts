import { capitalize } from '../text/letter-case.ts'

const WORDS =
  'lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore et dolore magna aliqua'

/** Amount of filler text. */
export interface LipsumOptions {
  readonly paragraphs: number
  /** Words of a paragraph, at least. */
  readonly min: number
  /** Words of a paragraph, fewer than. */
  readonly max: number
  /** A number in 0..1. */
  readonly random: () => number
}

/** Paragraphs of filler text. */
export function makeLipsum({ paragraphs, min, max, random }: LipsumOptions): string[] {
  const words = WORDS.split(' ')
  return Array.from({ length: paragraphs }, () => {
    const length = min + Math.floor(random() * Math.max(1, max - min))
    const chosen = Array.from({ length }, () => words[Math.floor(random() * words.length)] ?? '')
    return `${capitalize(chosen.join(' '))}.`
  })
}
