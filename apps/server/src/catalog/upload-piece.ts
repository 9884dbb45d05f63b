import type { FileHandle } from 'node:fs/promises'
import { SvcError } from '@svc/errors'
import { untilAborted } from '../concurrency/until-aborted.ts'
import { toFileError } from '../files/file-error.ts'
import { writeFully } from '../files/private-files.ts'
import { notAModel } from './add-model.ts'

/** A file that arrives in pieces. */
export interface GrowingFile {
  readonly filename: string
  readonly path: string
  readonly file: FileHandle
  readonly sizeBytes: number
}

/** Options of {@link writePiece}. */
export interface PieceOptions {
  /** Bytes of the file before the piece. */
  readonly offset: number
  /** Called for each part of the piece. */
  readonly onPart: () => void
  /** Ends the piece. */
  readonly signal: AbortSignal
}

const MAGIC = Buffer.from('GGUF')

/**
 * Writes a piece of a GGUF file as it arrives.
 *
 * @returns its length
 * @throws {SvcError} `invalid_request` (`not_a_model`), `too_large`, `insufficient_storage`, the failure of the piece, the
 *   reason of the signal; the bytes after the offset do not count then
 */
export async function writePiece(
  { filename, path, file, sizeBytes }: GrowingFile,
  piece: AsyncIterable<Uint8Array>,
  { offset, onPart, signal }: PieceOptions,
): Promise<number> {
  let length = 0
  for await (const part of endWith(piece, signal)) {
    onPart()
    const at = offset + length
    if (at + part.length > sizeBytes) {
      throw new SvcError('too_large', `${filename} was announced with ${sizeBytes} bytes`, { code: 'upload_too_large' })
    }
    if (!fits(part, at)) throw noGguf(filename)
    length += await writeFully(file, part, at).catch((error: unknown) => {
      throw toFileError(error, 'written', path)
    })
  }
  if (offset === 0 && length > 0 && length < MAGIC.length) throw noGguf(filename)
  return length
}

/** Reads a piece to its end, and drops it. @returns its length */
export async function measurePiece(piece: AsyncIterable<Uint8Array>): Promise<number> {
  let length = 0
  for await (const part of piece) length += part.length
  return length
}

/** Whether some bytes fit the beginning of a GGUF file. */
function fits(part: Uint8Array, at: number): boolean {
  const expected = MAGIC.subarray(at, at + part.length)
  return expected.equals(part.subarray(0, expected.length))
}

function noGguf(filename: string): SvcError {
  return notAModel(filename, 'is not a GGUF file: it does not begin as one')
}

/** Gives the parts of a piece until a signal aborts. A part that is being awaited then is dropped. */
async function* endWith(piece: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const iterator = piece[Symbol.asyncIterator]()
  let isDone = false
  try {
    for (;;) {
      signal.throwIfAborted()
      const step = await untilAborted(iterator.next(), signal)
      isDone = step.done === true
      if (step.done === true) return
      yield step.value
    }
  } finally {
    // The sender may be silent, so nobody waits for the end.
    if (!isDone) iterator.return?.().then(undefined, () => undefined)
  }
}
