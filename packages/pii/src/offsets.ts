import { checkArgument, SvcError } from '@svc/errors'

/** Unit of offsets into a text: bytes of its UTF-8, UTF-16 code units, or code points. */
export type OffsetEncoding = 'utf8' | 'utf16' | 'codepoint'

/** All units of offsets. */
export const OFFSET_ENCODINGS: readonly OffsetEncoding[] = ['utf8', 'utf16', 'codepoint']

/** Options of {@link convertOffsets}. */
export interface ConvertOptions {
  readonly from: OffsetEncoding
  readonly to: OffsetEncoding
}

/**
 * Converts offsets to another unit, in the given order. One pass over the text, for any number of offsets. A lone half
 * of a surrogate pair counts three bytes, as U+FFFD does in UTF-8.
 *
 * @throws SvcError `offset_not_on_character`, kind `internal`, for an offset inside a character, before the text or
 *   after its end
 */
export function convertOffsets(text: string, offsets: readonly number[], { from, to }: ConvertOptions): number[] {
  checkArgument(typeof text === 'string', 'convertOffsets: text', 'a text', text)
  for (const unit of [from, to])
    checkArgument(
      OFFSET_ENCODINGS.includes(unit),
      'convertOffsets: unit',
      `one of ${OFFSET_ENCODINGS.join(', ')}`,
      unit,
    )
  const converted = new Array<number>(offsets.length).fill(0)
  const order = [...offsets.keys()].sort((one, other) => (offsets[one] ?? 0) - (offsets[other] ?? 0))
  const cursor = { unit: 0, place: 0, converted: 0 }
  for (const index of order) {
    const wanted = offsets[index] ?? 0
    advance(cursor, text, wanted, { from, to })
    if (cursor.place !== wanted) {
      throw new SvcError('internal', 'an offset is not on the edge of a character', { code: 'offset_not_on_character' })
    }
    converted[index] = cursor.converted
  }
  return converted
}

/** A position in the text: as an index, in the source unit and in the target unit. */
interface Cursor {
  unit: number
  place: number
  converted: number
}

/** Advances character by character until the position is reached, passed, or the text ends. */
function advance(cursor: Cursor, text: string, wanted: number, { from, to }: ConvertOptions): void {
  while (cursor.place < wanted && cursor.unit < text.length) {
    const code = text.codePointAt(cursor.unit) ?? 0
    cursor.unit += code > 0xffff ? 2 : 1
    cursor.place += width(code, from)
    cursor.converted += width(code, to)
  }
}

function width(code: number, encoding: OffsetEncoding): number {
  if (encoding === 'codepoint') return 1
  if (encoding === 'utf16') return code > 0xffff ? 2 : 1
  if (code < 0x80) return 1
  if (code < 0x800) return 2
  return code > 0xffff ? 4 : 3
}
