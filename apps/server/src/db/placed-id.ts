import { randomBytes } from 'node:crypto'
import type { Place } from './page.ts'

/** Hexadecimal digits of the time in an id. */
const TIME_DIGITS = 12
const DIGITS = /^[0-9a-f]{44}$/

/**
 * Makes an id that holds its time, so that it names a place in a list also after its item is gone. It has 128 random
 * bits.
 *
 * @param now milliseconds since the epoch
 */
export function createPlacedId(prefix: string, now: number): string {
  return `${prefix}${now.toString(16).padStart(TIME_DIGITS, '0')}${randomBytes(16).toString('hex')}`
}

/** Whether a text has the form of {@link createPlacedId}. */
export function isPlacedId(prefix: string, text: string): boolean {
  return text.startsWith(prefix) && DIGITS.test(text.slice(prefix.length))
}

/** Reads the place of an id; undefined for any other text. */
export function readPlace(prefix: string, id: string): Place | undefined {
  if (!isPlacedId(prefix, id)) return undefined
  return { id, createdAt: Number.parseInt(id.slice(prefix.length, prefix.length + TIME_DIGITS), 16) }
}
