import type { StoreEntry, StoreFindResult } from '../../../inference/operations/store-operations.ts'

/** Significant digits that tell any two 32-bit floats apart, at most. */
const MOST_DIGITS = 9
const FEWEST_DIGITS = 7

/** Writes the reply of `POST /stores/get`, one vector at a time. */
export function* writeGot(entries: readonly StoreEntry[]): Generator<string> {
  yield* writeKeys(entries)
  yield `],"values":${writeValues(entries)}}`
}

/** Writes the reply of `POST /stores/find`, one vector at a time. */
export function* writeFound(found: StoreFindResult['found']): Generator<string> {
  yield* writeKeys(found)
  const similarities = JSON.stringify(found.map(({ similarity }) => similarity))
  yield `],"values":${writeValues(found)},"similarities":${similarities}}`
}

function* writeKeys(entries: readonly StoreEntry[]): Generator<string> {
  yield '{"keys":['
  for (const [index, { key }] of entries.entries()) {
    yield `${index === 0 ? '[' : ',['}${Array.from(key, writeFloat).join(',')}]`
  }
}

/** Values are texts. Bytes of other clients of a backend that are not UTF-8 become U+FFFD. */
function writeValues(entries: readonly StoreEntry[]): string {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  return JSON.stringify(entries.map(({ value }) => decoder.decode(value)))
}

/** Writes a 32-bit float with the fewest digits that give it back: 0.1, and not 0.10000000149011612. */
export function writeFloat(value: number): string {
  return writeUsualFloat(value) ?? writeAnyFloat(value)
}

/** Powers of ten up to this one are exact, and so is the division by them. */
const LARGEST_SCALE = 1e11

/** Writes a float of 0.001 to 1, without a text for each number of digits. Most components of vectors are such floats. */
function writeUsualFloat(value: number): string | undefined {
  const size = Math.abs(value)
  if (!(size >= 0.001 && size < 1)) return undefined
  let scale = size >= 0.1 ? 1e7 : size >= 0.01 ? 1e8 : 1e9
  for (; scale <= LARGEST_SCALE; scale *= 10) {
    const short = Math.round(value * scale) / scale
    if (Math.fround(short) === value) return String(short)
  }
  return undefined
}

function writeAnyFloat(value: number): string {
  for (let digits = FEWEST_DIGITS; digits < MOST_DIGITS; digits++) {
    const short = Number(value.toPrecision(digits))
    if (Math.fround(short) === value) return String(short)
  }
  return String(Number(value.toPrecision(MOST_DIGITS)))
}
