import { type FileHandle, mkdir, open, readFile, rename, stat, truncate, unlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { readSystemCode } from '../../files/file-error.ts'
import type { Clock, Logger } from '../../ports.ts'
import { createGatheredWrites } from './gathered-writes.ts'
import { type CountedRequests, MAX_HOURS, type RequestSample, type RequestSummary, summarize } from './summarize.ts'

/** Durations of requests, for the summary; on disk, so that a restart loses none. */
export interface RequestSamples {
  add(sample: RequestSample): void
  /** Counts the requests of the last hours. */
  summarize(hours: number): Promise<RequestSummary>
  /** Forgets every request. */
  clear(): Promise<void>
  flush(): Promise<void>
  close(): Promise<void>
}

/** Options of {@link createRequestSamples}. */
export interface RequestSamplesOptions {
  readonly folder: string
  /** The newest requests that count. @default 1,048,576 */
  readonly maxSamples?: number | undefined
  /** @default 250 */
  readonly gatherMs?: number | undefined
  readonly clock: Clock
  readonly logger: Logger
}

/** The newest requests; the file becomes the older one when it has as many as count. */
const FILE = 'requests.bin'
const OLDER_FILE = 'requests-older.bin'
const MAX_SAMPLES = 1024 * 1024
const GATHER_MS = 250
/** One request on disk: time (8 bytes), duration (4), failure (1), 3 bytes of a checksum. */
const RECORD_BYTES = 16
const SUMMED_BYTES = 13
/** Records that are read before other work runs. */
const READ_AT_ONCE = 16_384
const MAX_DURATION_MS = 0xffff_ffff
const WINDOW_MS = MAX_HOURS * 3_600_000

/** Creates the samples. The first use reads the file; adding never waits. */
export function createRequestSamples(options: RequestSamplesOptions): RequestSamples {
  const { folder, maxSamples = MAX_SAMPLES, gatherMs = GATHER_MS, clock, logger } = options
  const ring = new SampleRing(maxSamples)
  const files = createSampleFiles({ folder, maxBytes: maxSamples * RECORD_BYTES })
  let waiting: RequestSample[] = []
  let early: RequestSample[] = []
  let isLoaded = false
  let loading: Promise<void> | undefined
  let isFailing = false

  const writes = createGatheredWrites({ write: writeWaiting, waits: () => waiting.length > 0, gatherMs, clock })
  const load = (): Promise<void> => {
    loading ??= readStored()
    return loading
  }

  async function readStored(): Promise<void> {
    const oldest = clock.now() - WINDOW_MS
    const take = (sample: RequestSample): void => {
      if (sample.at >= oldest) ring.add(sample)
    }
    try {
      await files.read({ take, logger })
    } catch (error) {
      logger.warn({ err: error }, 'the durations of earlier requests cannot be read')
    }
    for (const sample of early) ring.add(sample)
    early = []
    isLoaded = true
  }

  async function writeWaiting(): Promise<void> {
    await load()
    const batch = waiting
    waiting = []
    try {
      await files.append(batch)
      isFailing = false
    } catch (error) {
      if (!isFailing) logger.warn({ err: error }, 'durations of requests cannot be written to disk')
      isFailing = true
      await files.close()
    }
  }

  return {
    add({ at, durationMs, isFailed }) {
      const sample = { at, durationMs: Math.min(MAX_DURATION_MS, Math.max(0, Math.round(durationMs))), isFailed }
      if (isLoaded) ring.add(sample)
      else if (early.length < maxSamples) early.push(sample)
      if (waiting.length < maxSamples) waiting.push(sample)
      void load()
      writes.wake()
    },
    async summarize(hours) {
      await load()
      return summarize(ring, { now: clock.now(), hours })
    },
    async clear() {
      await load()
      ring.clear()
      waiting = []
      await writes.flush()
      await files.remove()
    },
    flush: () => writes.flush(),
    async close() {
      await writes.flush()
      await files.close()
    },
  }
}

/** The samples on disk: a file that grows, and the full one before it. */
interface SampleFiles {
  read(options: ReadOptions): Promise<void>
  append(batch: readonly RequestSample[]): Promise<void>
  /** Closes the file until the next write. */
  close(): Promise<void>
  remove(): Promise<void>
}

/** Options of {@link createSampleFiles}. */
interface SampleFilesOptions {
  readonly folder: string
  /** Bytes after which a new file begins. */
  readonly maxBytes: number
}

function createSampleFiles({ folder, maxBytes }: SampleFilesOptions): SampleFiles {
  const path = join(folder, FILE)
  const olderPath = join(folder, OLDER_FILE)
  let file: FileHandle | undefined
  let size = 0

  async function openFile(): Promise<FileHandle> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const whole = size - (size % RECORD_BYTES)
    // A record that a full disk or a kill has cut would damage those after it.
    if ((await findSize(path)) > whole) await truncate(path, whole)
    const opened = await open(path, 'a', 0o600)
    size = whole
    return opened
  }

  async function beginFile(): Promise<void> {
    await close()
    await rename(path, olderPath)
    size = 0
  }

  async function close(): Promise<void> {
    const ended = file
    file = undefined
    await ended?.close().catch(() => undefined)
  }

  return {
    close,
    async read(options) {
      await readSamples(olderPath, options)
      size = await readSamples(path, options)
    },
    async append(batch) {
      if (size >= maxBytes) await beginFile()
      file ??= await openFile()
      const bytes = encode(batch)
      await file.appendFile(bytes)
      size += bytes.length
    },
    async remove() {
      await close()
      for (const each of [path, olderPath]) await unlink(each).catch(ignoreMissing)
      size = 0
    },
  }
}

/** The newest samples in arrays of numbers: 13 bytes each. */
class SampleRing implements CountedRequests {
  readonly #max: number
  #times = new Float64Array(0)
  #durations = new Uint32Array(0)
  #failures = new Uint8Array(0)
  #length = 0
  #next = 0

  constructor(max: number) {
    this.#max = max
  }

  add({ at, durationMs, isFailed }: RequestSample): void {
    if (this.#length < this.#max && this.#length === this.#times.length) this.#grow()
    this.#times[this.#next] = at
    this.#durations[this.#next] = durationMs
    this.#failures[this.#next] = isFailed ? 1 : 0
    this.#next = (this.#next + 1) % this.#max
    this.#length = Math.min(this.#max, this.#length + 1)
  }

  #grow(): void {
    const size = Math.min(this.#max, Math.max(1024, this.#times.length * 2))
    const [times, durations, failures] = [this.#times, this.#durations, this.#failures]
    this.#times = new Float64Array(size)
    this.#durations = new Uint32Array(size)
    this.#failures = new Uint8Array(size)
    this.#times.set(times)
    this.#durations.set(durations)
    this.#failures.set(failures)
  }

  clear(): void {
    this.#length = 0
    this.#next = 0
  }

  get length(): number {
    return this.#length
  }

  visit(take: (at: number, durationMs: number, isFailed: boolean) => void): void {
    for (let index = 0; index < this.#length; index += 1)
      take(this.#times[index] ?? 0, this.#durations[index] ?? 0, this.#failures[index] === 1)
  }
}

function encode(samples: readonly RequestSample[]): Buffer {
  const bytes = Buffer.alloc(samples.length * RECORD_BYTES)
  samples.forEach(({ at, durationMs, isFailed }, index) => {
    const record = bytes.subarray(index * RECORD_BYTES, (index + 1) * RECORD_BYTES)
    record.writeDoubleLE(at, 0)
    record.writeUInt32LE(durationMs, 8)
    record.writeUInt8(isFailed ? 1 : 0, 12)
    record.writeUIntLE(toSum(record), SUMMED_BYTES, RECORD_BYTES - SUMMED_BYTES)
  })
  return bytes
}

const toSum = (record: Buffer): number => crc32(record.subarray(0, SUMMED_BYTES)) & 0xff_ffff

interface ReadOptions {
  readonly take: (sample: RequestSample) => void
  readonly logger: Logger
}

/** Reads the requests of a file. Damaged records are counted in the log. @returns the size of the file */
async function readSamples(path: string, { take, logger }: ReadOptions): Promise<number> {
  const bytes = await readFile(path).catch(ignoreMissing)
  if (bytes === undefined) return 0
  const records = Math.ceil(bytes.length / RECORD_BYTES)
  let damaged = 0
  for (let index = 0; index < records; index += 1) {
    const record = bytes.subarray(index * RECORD_BYTES, (index + 1) * RECORD_BYTES)
    const isWhole = record.length === RECORD_BYTES
    if (isWhole && record.readUIntLE(SUMMED_BYTES, RECORD_BYTES - SUMMED_BYTES) === toSum(record))
      take({ at: record.readDoubleLE(0), durationMs: record.readUInt32LE(8), isFailed: record[12] === 1 })
    else damaged += 1
    if (index % READ_AT_ONCE === READ_AT_ONCE - 1) await setImmediate()
  }
  if (damaged > 0) logger.warn({ file: basename(path), records: damaged }, 'durations of earlier requests are damaged')
  return bytes.length
}

function ignoreMissing(error: unknown): undefined {
  if (readSystemCode(error) !== 'ENOENT') throw error
  return undefined
}

async function findSize(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  )
}
