import { Inflate } from 'fflate'
import { DocumentError } from '../errors.ts'
import { BINARY_LIMITS } from './limits.ts'

/** The parts of a ZIP archive in memory. */
export interface ZipArchive {
  readonly names: readonly string[]
  has(name: string): boolean
  /**
   * Unpacks a part, a piece at a time.
   *
   * @throws {DocumentError} `invalid_document` for a missing, damaged or encrypted part; `document_limit` once all parts
   *   that were read are too large together
   */
  read(name: string): Iterable<Uint8Array>
  /** Unpacks a small part. @throws {DocumentError} as {@link ZipArchive.read} */
  readWhole(name: string): Uint8Array
}

interface Entry {
  readonly isEncrypted: boolean
  readonly method: number
  readonly packedBytes: number
  readonly unpackedBytes: number
  readonly at: number
}

const [DIRECTORY_END, DIRECTORY_ENTRY, LOCAL_ENTRY] = [0x06054b50, 0x02014b50, 0x04034b50]
const END_BYTES = 22
const MAX_COMMENT_BYTES = 65_535
const ENTRY_BYTES = 46
const LOCAL_BYTES = 30
const [STORED, DEFLATED] = [0, 8]
/** A piece unpacks to at most about a thousand times as much. */
const PACKED_PIECE_BYTES = 4096

/**
 * Opens a ZIP archive by its directory. Nothing is unpacked yet.
 *
 * @throws {DocumentError} `invalid_document`, `document_limit`
 */
export function openZip(bytes: Uint8Array): ZipArchive {
  const entries = readDirectory(bytes)
  let left: number = BINARY_LIMITS.unpackedBytes

  function take(piece: Uint8Array): Uint8Array {
    left -= piece.length
    if (left >= 0) return piece
    throw new DocumentError('document_limit', `the document unpacks to more than ${BINARY_LIMITS.unpackedBytes} bytes`)
  }

  function* read(name: string): Generator<Uint8Array> {
    const entry = entries.get(name)
    if (entry === undefined) throw damaged(`it has no part '${name.slice(0, 100)}'`)
    let unpacked = 0
    for (const piece of unpack(findPacked(bytes, entry), entry.method)) {
      unpacked += piece.length
      yield take(piece)
    }
    if (unpacked !== entry.unpackedBytes) throw damaged('a part has another length than its directory says')
  }

  return {
    names: [...entries.keys()],
    has: (name) => entries.has(name),
    read,
    readWhole(name) {
      const pieces: Uint8Array[] = []
      let length = 0
      for (const piece of read(name)) {
        length += piece.length
        if (length > BINARY_LIMITS.partBytes) {
          throw new DocumentError('document_limit', `a part of the document has over ${BINARY_LIMITS.partBytes} bytes`)
        }
        pieces.push(piece)
      }
      const whole = new Uint8Array(length)
      let at = 0
      for (const piece of pieces) {
        whole.set(piece, at)
        at += piece.length
      }
      return whole
    },
  }
}

function damaged(reason: string, cause?: unknown): DocumentError {
  return new DocumentError('invalid_document', `the document is damaged: ${reason}`, { cause })
}

function readDirectory(bytes: Uint8Array): ReadonlyMap<string, Entry> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = findEnd(view)
  const count = view.getUint16(end + 10, true)
  if (count > BINARY_LIMITS.entries) {
    throw new DocumentError('document_limit', `the document has over ${BINARY_LIMITS.entries} parts`)
  }
  const entries = new Map<string, Entry>()
  let at = view.getUint32(end + 16, true)
  for (let index = 0; index < count; index += 1) {
    if (at + ENTRY_BYTES > end || view.getUint32(at, true) !== DIRECTORY_ENTRY) throw damaged('its directory is broken')
    const nameBytes = view.getUint16(at + 28, true)
    const name = new TextDecoder().decode(bytes.subarray(at + ENTRY_BYTES, at + ENTRY_BYTES + nameBytes))
    entries.set(name, {
      isEncrypted: (view.getUint16(at + 8, true) & 1) !== 0,
      method: view.getUint16(at + 10, true),
      packedBytes: view.getUint32(at + 20, true),
      unpackedBytes: view.getUint32(at + 24, true),
      at: view.getUint32(at + 42, true),
    })
    at += ENTRY_BYTES + nameBytes + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  return entries
}

function findEnd(view: DataView): number {
  const last = view.byteLength - END_BYTES
  for (let at = last; at >= 0 && at >= last - MAX_COMMENT_BYTES; at -= 1) {
    if (view.getUint32(at, true) === DIRECTORY_END) return at
  }
  throw damaged('its end is missing')
}

function findPacked(bytes: Uint8Array, { isEncrypted, packedBytes, at }: Entry): Uint8Array {
  if (isEncrypted) throw new DocumentError('invalid_document', 'the document is encrypted')
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (at + LOCAL_BYTES > bytes.length || view.getUint32(at, true) !== LOCAL_ENTRY) throw damaged('a part is missing')
  const start = at + LOCAL_BYTES + view.getUint16(at + 26, true) + view.getUint16(at + 28, true)
  if (start + packedBytes > bytes.length) throw damaged('a part is cut off')
  return bytes.subarray(start, start + packedBytes)
}

function* unpack(packed: Uint8Array, method: number): Generator<Uint8Array> {
  if (method === STORED) {
    yield packed
    return
  }
  if (method !== DEFLATED) throw damaged('a part is packed by an unknown method')
  let pieces: Uint8Array[] = []
  const inflate = new Inflate((piece) => pieces.push(piece))
  for (let at = 0; at < packed.length; at += PACKED_PIECE_BYTES) {
    const end = at + PACKED_PIECE_BYTES
    try {
      inflate.push(packed.subarray(at, end), end >= packed.length)
    } catch (error) {
      throw damaged('a part cannot be unpacked', error)
    }
    yield* pieces
    pieces = []
  }
}
