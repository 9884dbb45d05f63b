import { SvcError } from '@svc/errors'

/** The kind of a member of an archive. */
export type TarKind = 'file' | 'folder' | 'symlink' | 'hardlink'

/** A member of an archive. */
export interface TarMember {
  /** Name as it is written: neither checked nor normalised. */
  readonly name: string
  readonly kind: TarKind
  /** Where a link leads, as it is written; empty for others. */
  readonly linkName: string
  readonly sizeBytes: number
  readonly isExecutable: boolean
  /** The content of a file. The caller reads it before it asks for the next member; the rest is skipped. */
  readonly content: AsyncIterable<Uint8Array>
}

const BLOCK = 512
/** Extended headers are names and times; more is made to fill the memory. */
const MAX_HEADER_BYTES = 64 * 1024
const MAX_NAME_BYTES = 4096
const KINDS: Readonly<Record<string, TarKind>> = {
  '0': 'file',
  '\0': 'file',
  '7': 'file',
  '1': 'hardlink',
  '2': 'symlink',
  '5': 'folder',
}

/** An archive that is not read. */
export function badArchive(reason: string): SvcError {
  return new SvcError('unprocessable', `the archive is refused: ${reason}`, { code: 'archive_refused' })
}

/**
 * Reads the members of a tar archive in their order: POSIX, with the extended headers of POSIX and GNU.
 *
 * @throws {SvcError} `unprocessable`, code `archive_refused`, for devices, pipes and anything that is not an archive
 */
export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarMember, void, undefined> {
  const input = new ByteQueue(source)
  try {
    let extended: Extended = {}
    for (;;) {
      const header = await input.takeExactly(BLOCK)
      if (header === undefined || header.every((byte) => byte === 0)) return
      const { name, type, size, mode, linkName } = parseHeader(header)
      if (type === 'x' || type === 'g' || type === 'L' || type === 'K') {
        const text = await readText(input, size)
        if (type === 'x') extended = { ...extended, ...parsePax(text) }
        else if (type === 'L') extended = { ...extended, path: cutAtNul(text) }
        else if (type === 'K') extended = { ...extended, linkPath: cutAtNul(text) }
        continue
      }
      const kind = KINDS[type]
      if (kind === undefined) throw badArchive('it holds something that is neither file, folder nor link')
      const sizeBytes = kind === 'file' ? (extended.size ?? size) : 0
      const content = input.part(sizeBytes)
      yield {
        name: checkedName(extended.path ?? name),
        kind: kind === 'file' && (extended.path ?? name).endsWith('/') ? 'folder' : kind,
        linkName: kind === 'symlink' || kind === 'hardlink' ? checkedName(extended.linkPath ?? linkName) : '',
        sizeBytes,
        isExecutable: (mode & 0o111) !== 0,
        content,
      }
      await input.skipPart()
      await input.skip((BLOCK - (sizeBytes % BLOCK)) % BLOCK)
      extended = {}
    }
  } finally {
    await input.close()
  }
}

interface Extended {
  readonly path?: string
  readonly linkPath?: string
  readonly size?: number
}

interface Header {
  readonly name: string
  readonly type: string
  readonly size: number
  readonly mode: number
  readonly linkName: string
}

function parseHeader(header: Uint8Array): Header {
  let sum = 0
  for (const [index, byte] of header.entries()) sum += index >= 148 && index < 156 ? 0x20 : byte
  if (parseNumber(header.subarray(148, 156)) !== sum) throw badArchive('a header has a wrong checksum')
  const isPosix = decode(header.subarray(257, 262)) === 'ustar'
  const prefix = isPosix ? decode(header.subarray(345, 500)) : ''
  const base = decode(header.subarray(0, 100))
  return {
    name: prefix === '' || header[262] === 0x20 ? base : `${prefix}/${base}`,
    type: String.fromCharCode(header[156] ?? 0),
    size: parseNumber(header.subarray(124, 136)),
    mode: parseNumber(header.subarray(100, 108)),
    linkName: decode(header.subarray(157, 257)),
  }
}

function decode(bytes: Uint8Array): string {
  const end = bytes.indexOf(0)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(end < 0 ? bytes : bytes.subarray(0, end))
  } catch {
    throw badArchive('a name is not UTF-8')
  }
}

/** Octal digits, or a binary number where the first bit is set. */
function parseNumber(bytes: Uint8Array): number {
  if (((bytes[0] ?? 0) & 0x80) !== 0) {
    let value = (bytes[0] ?? 0) & 0x7f
    for (const byte of bytes.subarray(1)) value = value * 256 + byte
    if (!Number.isSafeInteger(value)) throw badArchive('a number is too large')
    return value
  }
  const text = decode(bytes).trim()
  if (!/^[0-7]{0,12}$/.test(text)) throw badArchive('a number is not one')
  return text === '' ? 0 : Number.parseInt(text, 8)
}

/** Records of the form `length key=value\n`. */
function parsePax(text: string): Extended {
  let extended: Extended = {}
  const bytes = Buffer.from(text)
  for (let position = 0; position < bytes.length; ) {
    const blank = bytes.indexOf(0x20, position)
    const length = Number(bytes.subarray(position, blank < 0 ? position : blank).toString())
    if (!Number.isInteger(length) || length < 5 || position + length > bytes.length) {
      throw badArchive('an extended header is broken')
    }
    const record = bytes.subarray(blank + 1, position + length - 1).toString()
    const equals = record.indexOf('=')
    const [key, value] = [record.slice(0, equals), record.slice(equals + 1)]
    if (key === 'path') extended = { ...extended, path: value }
    else if (key === 'linkpath') extended = { ...extended, linkPath: value }
    else if (key === 'size') extended = { ...extended, size: toSize(value) }
    else if (key.startsWith('GNU.sparse')) throw badArchive('it holds a sparse file')
    position += length
  }
  return extended
}

function toSize(text: string): number {
  const size = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (Number.isNaN(size)) throw badArchive('a size is not a number')
  return size
}

async function readText(input: ByteQueue, size: number): Promise<string> {
  if (size > MAX_HEADER_BYTES) throw badArchive('an extended header is too large')
  const bytes = await input.takeExactly(size)
  if (bytes === undefined) throw badArchive('it is cut off')
  await input.skip((BLOCK - (size % BLOCK)) % BLOCK)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw badArchive('a name is not UTF-8')
  }
}

function cutAtNul(text: string): string {
  const end = text.indexOf('\0')
  return end < 0 ? text : text.slice(0, end)
}

function checkedName(name: string): string {
  if (name === '' || Buffer.byteLength(name) > MAX_NAME_BYTES || name.includes('\0')) {
    throw badArchive('a name is empty, too long or holds a zero')
  }
  return name
}

/** Bytes of a source, taken in portions. */
class ByteQueue {
  readonly #iterator: AsyncIterator<Uint8Array>
  #held: Uint8Array = new Uint8Array()
  #partLeft = 0

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#iterator = source[Symbol.asyncIterator]()
  }

  /** Undefined at the end of the source. @throws where the source ends inside */
  async takeExactly(length: number): Promise<Uint8Array | undefined> {
    const pieces: Uint8Array[] = []
    let missing = length
    while (missing > 0) {
      const piece = await this.#take(missing)
      if (piece === undefined) {
        if (missing === length) return undefined
        throw badArchive('it is cut off')
      }
      pieces.push(piece)
      missing -= piece.length
    }
    return pieces.length === 1 ? pieces[0] : Buffer.concat(pieces)
  }

  async skip(length: number): Promise<void> {
    for (let left = length; left > 0; ) {
      const piece = await this.#take(left)
      if (piece === undefined) throw badArchive('it is cut off')
      left -= piece.length
    }
  }

  /** The next bytes as a stream of its own. */
  part(length: number): AsyncIterable<Uint8Array> {
    this.#partLeft = length
    return this.#readPart()
  }

  async skipPart(): Promise<void> {
    const left = this.#partLeft
    this.#partLeft = 0
    await this.skip(left)
  }

  async close(): Promise<void> {
    await this.#iterator.return?.()
  }

  async *#readPart(): AsyncGenerator<Uint8Array, void, undefined> {
    while (this.#partLeft > 0) {
      const piece = await this.#take(this.#partLeft)
      if (piece === undefined) throw badArchive('it is cut off')
      this.#partLeft -= piece.length
      yield piece
    }
  }

  async #take(most: number): Promise<Uint8Array | undefined> {
    while (this.#held.length === 0) {
      const next = await this.#iterator.next()
      if (next.done === true) return undefined
      this.#held = next.value
    }
    const piece = this.#held.subarray(0, most)
    this.#held = this.#held.subarray(piece.length)
    return piece
  }
}
