import { createReadStream } from 'node:fs'
import { createGunzip, type Gunzip } from 'node:zlib'
import { badArchive } from './tar-reader.ts'

const GZIP = [0x1f, 0x8b]
const ZSTD = [0x28, 0xb5, 0x2f, 0xfd]
const PIECE = 256 * 1024

/** Compression of a layer by its first bytes; its manifest is not trusted. */
type Coding = 'none' | 'gzip' | 'zstd'

/** The content of a file, decompressed where it is compressed. @throws {SvcError} `archive_refused` for damaged content */
export async function* readDecompressed(
  path: string,
  { signal }: { readonly signal: AbortSignal },
): AsyncGenerator<Uint8Array, void, undefined> {
  const coding = await sniff(path)
  const file = createReadStream(path, { highWaterMark: PIECE, signal })
  try {
    if (coding === 'none') yield* file
    else if (coding === 'gzip') yield* gunzip(file)
    else yield* unzstd(file)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof Error && !('kind' in error)) throw badArchive('its compressed content is damaged')
    throw error
  } finally {
    file.destroy()
  }
}

async function sniff(path: string): Promise<Coding> {
  let head: Uint8Array = new Uint8Array()
  for await (const piece of createReadStream(path, { end: 3 })) head = Buffer.concat([head, piece])
  const begins = (magic: readonly number[]): boolean => magic.every((byte, index) => head[index] === byte)
  if (begins(GZIP)) return 'gzip'
  return begins(ZSTD) ? 'zstd' : 'none'
}

/** Resolves when the decoder takes more, or is closed. */
function drained(decoder: Gunzip): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      decoder.off('drain', done)
      decoder.off('close', done)
      resolve()
    }
    decoder.on('drain', done)
    decoder.on('close', done)
  })
}

async function* gunzip(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const decoder = createGunzip({ chunkSize: PIECE })
  const feeding = (async () => {
    for await (const piece of source) {
      if (!decoder.write(piece)) await drained(decoder)
      if (decoder.destroyed) return
    }
    decoder.end()
  })().catch((error: unknown) => void decoder.destroy(error instanceof Error ? error : new Error(String(error))))
  try {
    yield* decoder
  } finally {
    decoder.destroy()
    await feeding
  }
}

/** The decoder gives the whole output of a piece at once. Pieces are small, so that little is held. */
async function* unzstd(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const { Decompress } = await import('fzstd')
  const out: Uint8Array[] = []
  const decoder = new Decompress((piece) => void out.push(piece))
  for await (const piece of source) {
    for (let start = 0; start < piece.length; start += 16 * 1024) {
      decoder.push(piece.subarray(start, start + 16 * 1024))
      yield* out.splice(0)
    }
  }
  decoder.push(new Uint8Array(), true)
  yield* out.splice(0)
}
