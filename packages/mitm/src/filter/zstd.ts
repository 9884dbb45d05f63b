import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import { invalidRequest } from '../errors.ts'

/** The largest window of the HTTP coding (RFC 9659). */
const MAX_WINDOW_BYTES = 8 * 1024 * 1024
const MAX_FRAMES = 1000
const MAX_BLOCKS = 200_000
/** Broken data can keep the decoder busy for long. */
const WORK_MS = 20_000
const MAX_WORKERS = 2

const FRAME_MAGIC = 0xfd2fb528
const SKIPPABLE_MAGIC = 0x184d2a50

/** One frame: its place, and its size when decoded where the frame tells it. */
export interface ZstdFrame {
  readonly start: number
  readonly end: number
  readonly contentBytes: number | undefined
}

/**
 * Finds the frames of zstd data without decoding them.
 *
 * @throws {SvcError} `invalid_coding` for broken data, dictionaries, and windows larger than those of the HTTP coding
 */
export function listZstdFrames(bytes: Buffer): ZstdFrame[] {
  const frames: ZstdFrame[] = []
  let blocks = 0
  for (let start = 0, count = 0; start < bytes.length; count += 1) {
    if (count >= MAX_FRAMES || start + 8 > bytes.length) throw invalidZstd()
    const magic = bytes.readUInt32LE(start)
    if ((magic & ~0xf) >>> 0 === SKIPPABLE_MAGIC) {
      start += 8 + bytes.readUInt32LE(start + 4)
      if (start > bytes.length) throw invalidZstd()
      continue
    }
    if (magic !== FRAME_MAGIC) throw invalidZstd()
    const header = readFrameHeader(bytes, start + 4)
    let position = header.end
    for (let isLast = false; !isLast; ) {
      blocks += 1
      if (position + 3 > bytes.length || blocks > MAX_BLOCKS) throw invalidZstd()
      const block = bytes.readUIntLE(position, 3)
      isLast = (block & 1) === 1
      // A block of one repeated byte stores only that byte.
      position += 3 + ((block & 6) === 2 ? 1 : block >> 3)
    }
    const end = position + (header.hasChecksum ? 4 : 0)
    if (end > bytes.length) throw invalidZstd()
    frames.push({ start, end, contentBytes: header.contentBytes })
    start = end
  }
  return frames
}

function readFrameHeader(bytes: Buffer, start: number) {
  const descriptor = bytes[start] ?? 0
  const isSingle = (descriptor & 0x20) !== 0
  const sizeFlag = descriptor >> 6
  const sizeLength = sizeFlag === 0 ? (isSingle ? 1 : 0) : 1 << sizeFlag
  const sizeStart = start + (isSingle ? 1 : 2)
  // A dictionary, or the reserved bit.
  if ((descriptor & 0x0b) !== 0 || sizeStart + sizeLength > bytes.length) throw invalidZstd()
  const contentBytes = readContentSize(bytes, sizeStart, sizeLength)
  const windowBytes = isSingle ? (contentBytes ?? 0) : readWindowSize(bytes[start + 1] ?? 0)
  if (!isSingle && windowBytes > MAX_WINDOW_BYTES) throw invalidZstd()
  return { end: sizeStart + sizeLength, contentBytes, hasChecksum: (descriptor & 4) !== 0 }
}

function readContentSize(bytes: Buffer, start: number, length: number): number | undefined {
  if (length === 0) return undefined
  if (length === 8) return Number(bytes.readBigUInt64LE(start))
  const size = bytes.readUIntLE(start, length)
  return length === 2 ? size + 256 : size
}

function readWindowSize(byte: number): number {
  const base = 2 ** (10 + (byte >> 3))
  return base + (base / 8) * (byte & 7)
}

/**
 * Decodes zstd data on a thread of its own, which ends when it takes too long.
 *
 * @throws {SvcError} `invalid_coding`
 */
export async function decodeZstd(bytes: Buffer, limitBytes: number, signal: AbortSignal): Promise<Buffer | undefined> {
  const frames = listZstdFrames(bytes)
  const announced = frames.reduce((sum, frame) => sum + (frame.contentBytes ?? 0), 0)
  if (announced > limitBytes) return undefined
  await takePlace(signal)
  try {
    return await runWorker(bytes, { frames, limitBytes }, signal)
  } finally {
    givePlace()
  }
}

/** The code of the thread. It decodes frame by frame, because a frame that lies about its size is refused. */
const WORKER = `
const { parentPort, workerData } = require('node:worker_threads')
const { Decompress } = require(workerData.module)
const { bytes, frames, limitBytes } = workerData
const parts = []
let total = 0
let isTooLarge = false
function decode({ start, end, contentBytes }) {
  const before = total
  const decoder = new Decompress((part) => {
    total += part.length
    isTooLarge = total > limitBytes
    // Ends the decoder. The answer is sent afterwards: an error of a thread may overtake its messages.
    if (isTooLarge) throw new Error('too large')
    parts.push(part)
  })
  decoder.push(bytes.subarray(start, end), true)
  if (contentBytes !== undefined && total - before !== contentBytes) throw new Error('size')
}
try {
  for (const frame of frames) decode(frame)
} catch (error) {
  if (!isTooLarge) throw error
}
function join() {
  const whole = new Uint8Array(total)
  let at = 0
  for (const part of parts) { whole.set(part, at); at += part.length }
  return whole
}
if (isTooLarge) parentPort.postMessage('too large')
else {
  const whole = join()
  parentPort.postMessage(whole, [whole.buffer])
}
`

function runWorker(
  bytes: Buffer,
  work: { readonly frames: readonly ZstdFrame[]; readonly limitBytes: number },
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  const module = createRequire(import.meta.url).resolve('fzstd')
  const worker = new Worker(WORKER, { eval: true, workerData: { ...work, module, bytes }, stderr: true })
  return new Promise((resolve, reject) => {
    const stop = (): void => void worker.terminate()
    const timer = setTimeout(stop, WORK_MS)
    signal.addEventListener('abort', stop, { once: true })
    const finish = (settle: () => void): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      void worker.terminate()
      settle()
    }
    worker.once('message', (message: unknown) =>
      finish(() => resolve(message instanceof Uint8Array ? Buffer.from(message.buffer) : undefined)),
    )
    worker.once('error', (error) => finish(() => reject(invalidZstd(error))))
    worker.once('exit', () => finish(() => reject(invalidZstd())))
  })
}

let running = 0
const waiting: (() => void)[] = []

/** Waits for one of the places of the threads. The bodies that wait are within the common limit of bodies in memory. */
async function takePlace(signal: AbortSignal): Promise<void> {
  if (running < MAX_WORKERS) {
    running += 1
    return
  }
  await new Promise<void>((resolve) => waiting.push(resolve))
  if (!signal.aborted) return
  givePlace()
  signal.throwIfAborted()
}

function givePlace(): void {
  const next = waiting.shift()
  if (next === undefined) running -= 1
  else next()
}

function invalidZstd(cause?: unknown) {
  return invalidRequest('the request body is not valid zstd data', 'invalid_coding', cause)
}
