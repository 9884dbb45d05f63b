import { checkArgument, SvcError } from '@svc/errors'
import { checkBytes } from './guard.ts'
import { takeBytes } from './slab.ts'

/** One edit: the bytes of a half-open range are replaced. An empty range inserts. */
export interface Splice {
  /** Byte offset of the first byte replaced. */
  readonly start: number
  /** Byte offset after the last byte replaced. */
  readonly end: number
  readonly replacement: Uint8Array
}

/**
 * Applies edits to bytes in one copy; bytes outside the ranges stay as they are. The edits may come in any order and
 * may touch but not overlap; insertions at one offset keep their order. Without edits the same array is returned.
 *
 * @throws SvcError `splice_out_of_range` or `splice_overlap`, kind `internal`: the calling code is wrong
 * @example
 * applySplices(bytes, [{ start: name.start, end: name.end, replacement: encodeJsonString('demo') }])
 */
export function applySplices(bytes: Uint8Array, splices: readonly Splice[]): Uint8Array {
  checkBytes(bytes, 'applySplices: bytes')
  checkArgument(Array.isArray(splices), 'applySplices: splices', 'an array', splices)
  if (splices.length === 0) return bytes
  const ordered = sortSplices(splices)
  const result = takeBytes(checkedSize(bytes.length, ordered))
  let read = 0
  let write = 0
  for (const { start, end, replacement } of ordered) {
    result.set(bytes.subarray(read, start), write)
    write += start - read
    result.set(replacement, write)
    write += replacement.length
    read = end
  }
  result.set(bytes.subarray(read), write)
  return result
}

/** Sorts edits by their ranges; insertions at one offset keep their order. */
export function sortSplices(splices: readonly Splice[]): readonly Splice[] {
  if (splices.length === 1) return splices
  return splices.toSorted((one, other) => one.start - other.start || one.end - other.end)
}

/** Checks that every edit is in range and does not overlap the previous one, and returns the size after all edits. */
function checkedSize(sizeBytes: number, ordered: readonly Splice[]): number {
  let size = sizeBytes
  let previousEnd = 0
  for (const { start, end, replacement } of ordered) {
    checkBytes(replacement, 'applySplices: replacement')
    if (!Number.isInteger(start) || !Number.isInteger(end) || start < 0 || end < start || end > sizeBytes) {
      throw spliceError('splice_out_of_range', `splice ${start}..${end} does not fit ${sizeBytes} bytes`)
    }
    if (start < previousEnd) {
      throw spliceError('splice_overlap', `splice ${start}..${end} overlaps one that ends at ${previousEnd}`)
    }
    size += replacement.length - (end - start)
    previousEnd = end
  }
  return size
}

function spliceError(code: string, message: string): SvcError {
  return new SvcError('internal', message, { code })
}
