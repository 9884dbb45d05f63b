import { type FileHandle, open } from 'node:fs/promises'

/** Boxes that are looked at, in a file or in a box. */
const MAX_BOXES = 64
/** Head of a box with a length of 64 bits. */
const HEAD_BYTES = 16
/** Bytes of the `mvhd` box up to its duration, in its longer form. */
const DURATION_BYTES = 32
/** A day. Backends that do not know the length write the largest number. */
const MAX_SECONDS = 86_400

/** A stretch of a file. */
interface Span {
  readonly start: number
  readonly end: number
}

/** Reads the length of an MP4 film from its header. Undefined where the file does not say it. Never throws. */
export async function readFilmSeconds(path: string): Promise<number | undefined> {
  const handle = await open(path).catch(() => undefined)
  if (handle === undefined) return undefined
  try {
    const { size } = await handle.stat()
    const movie = await findBox(handle, 'moov', { start: 0, end: size })
    const header = movie && (await findBox(handle, 'mvhd', movie))
    return header && readDuration(await readAt(handle, header.start, DURATION_BYTES))
  } catch {
    return undefined
  } finally {
    await handle.close()
  }
}

/** Finds the content of the first box of a type. */
async function findBox(handle: FileHandle, type: string, { start, end }: Span): Promise<Span | undefined> {
  let at = start
  for (let count = 0; count < MAX_BOXES && at + 8 <= end; count += 1) {
    const head = await readAt(handle, at, HEAD_BYTES)
    if (head.length < 8) return undefined
    const short = head.readUInt32BE(0)
    const isLong = short === 1 && head.length === HEAD_BYTES
    const length = isLong ? Number(head.readBigUInt64BE(8)) : short === 0 ? end - at : short
    const headBytes = isLong ? HEAD_BYTES : 8
    if (length < headBytes) return undefined
    if (head.toString('latin1', 4, 8) === type) return { start: at + headBytes, end: Math.min(end, at + length) }
    at += length
  }
  return undefined
}

/** Reads version, time scale and duration of a film's header. */
function readDuration(box: Buffer): number | undefined {
  const isLong = box[0] === 1
  if (box.length < (isLong ? 32 : 20)) return undefined
  const unitsPerSecond = box.readUInt32BE(isLong ? 20 : 12)
  const units = isLong ? Number(box.readBigUInt64BE(24)) : box.readUInt32BE(16)
  const seconds = units / unitsPerSecond
  return Number.isFinite(seconds) && seconds > 0 && seconds < MAX_SECONDS ? seconds : undefined
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}
