import { rateCharacter } from './rarity.ts'

/** Bytes of a text's window. */
export const WINDOW_BYTES = 4

/** A wanted text with its window. */
export interface LiteralEntry {
  readonly literal: string
  readonly encoded: Uint8Array
  /** The bytes: four, or three of a short text. */
  readonly window: Uint8Array
  /** Whether the window is searched at even offsets of a text's bytes, or at odd ones. */
  readonly isEven: boolean
  /** Offset of the window in the text, in code units and in bytes. */
  readonly offset: number
  readonly byteOffset: number
  /**
   * The same offset for all entries of a text, in code units: the anchor that decides which chunk the text belongs to.
   */
  readonly anchor: number
  readonly owners: readonly number[]
}

/**
 * The entries by which a text is found at any start: two windows of which one lies at an even offset, or for a short
 * text the same window at an even offset and at an odd one. Uses the rarest bytes.
 */
export function chooseWindows(literal: string, owners: readonly number[]): LiteralEntry[] {
  const encoded = new TextEncoder().encode(literal)
  const places = characterPlaces(literal)
  const pairs = places.flatMap((one, index) => {
    const other = places.slice(index + 1).find((place) => (place.byte - one.byte) % 2 === 1)
    const fits = other !== undefined && other.byte + WINDOW_BYTES <= encoded.length
    return fits ? [{ one, other, rarity: Math.min(one.rarity, other.rarity) }] : []
  })
  const [best] = pairs.toSorted((a, b) => b.rarity - a.rarity)
  const entry = (place: Place, isEven: boolean, anchor: number): LiteralEntry => ({
    literal,
    encoded,
    window: encoded.subarray(place.byte, place.byte + WINDOW_BYTES),
    isEven,
    offset: place.unit,
    byteOffset: place.byte,
    anchor,
    owners,
  })
  if (best !== undefined) return [entry(best.one, true, best.other.unit), entry(best.other, true, best.other.unit)]
  const [first = { byte: 0, unit: 0, rarity: 0 }] = places
  return [entry(first, true, 0), entry(first, false, 0)]
}

/** Start of a character of a text, and the rarity of the next few. */
interface Place {
  readonly byte: number
  readonly unit: number
  readonly rarity: number
}

function characterPlaces(literal: string): Place[] {
  const places: Place[] = []
  let byte = 0
  let unit = 0
  const characters = [...literal]
  for (const [index, character] of characters.entries()) {
    const next = characters.slice(index, index + WINDOW_BYTES)
    places.push({ byte, unit, rarity: next.reduce((sum, one) => sum + rateCharacter(one), 0) })
    byte += new TextEncoder().encode(character).length
    unit += character.length
  }
  return places
}
