import { rarityOf } from './rarity.ts'

/** Bytes of a text that it is found by. */
export const WINDOW_BYTES = 4

/** A text that is looked for, by a few of its bytes. */
export interface LiteralEntry {
  readonly literal: string
  readonly encoded: Uint8Array
  /** The bytes: four, or three of a short text. */
  readonly window: Uint8Array
  /** Whether they are looked for at even offsets of the bytes of a text, or at odd ones. */
  readonly isEven: boolean
  /** Offset of the bytes in the text, in code units and in bytes. */
  readonly offset: number
  readonly byteOffset: number
  /** The same offset for all entries of a text, in code units: the place that says which chunk the text belongs to. */
  readonly anchor: number
  readonly owners: readonly number[]
}

/**
 * The entries by which a text is found wherever it begins: two windows of which one lies at an even offset, or for a short
 * text the same window at an even offset and at an odd one. The rarest bytes are taken.
 */
export function windowsOf(literal: string, owners: readonly number[]): LiteralEntry[] {
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

/** Where a character of a text begins, and how rare the next few are. */
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
    places.push({ byte, unit, rarity: next.reduce((sum, one) => sum + rarityOf(one), 0) })
    byte += new TextEncoder().encode(character).length
    unit += character.length
  }
  return places
}
