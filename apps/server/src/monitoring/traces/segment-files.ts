import { type FileHandle, mkdir, open, readdir, readFile, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { readSystemCode } from '../../files/file-error.ts'
import type { Logger } from '../../ports.ts'
import { decodeTraceHead } from './trace-lines.ts'

/** The place of a line on disk. */
export interface LinePlace {
  readonly segment: Segment
  readonly offset: number
  readonly length: number
}

/** One file with lines. */
export interface Segment {
  readonly number: number
  readonly name: string
  bytes: number
  lines: number
  /** Lines that are still listed; a segment without any is removed. */
  live: number
}

/** A line that was found at the start. */
export interface FoundLine {
  readonly head: string
  readonly place: LinePlace
}

/** Limits of the files. */
export interface SegmentLimits {
  /** Size from which a segment gets no more lines. */
  readonly segmentBytes: number
  readonly segmentLines: number
}

const LIMITS: SegmentLimits = { segmentBytes: 4 * 1024 * 1024, segmentLines: 256 }
/** A longer file does not belong to the server. */
const MAX_FILE_BYTES = 64 * 1024 * 1024
const LINE_FEED = 0x0a
const NAME = /^(\d{12})\.jsonl$/

/** Lines in numbered files of one folder; lines are appended to the newest one. */
export class SegmentFiles {
  readonly #folder: string
  readonly #logger: Logger
  readonly #limits: SegmentLimits
  readonly #segments = new Map<number, Segment>()
  #current: { readonly segment: Segment; readonly file: FileHandle } | undefined
  #next = 1

  constructor(folder: string, { logger, limits = LIMITS }: { logger: Logger; limits?: SegmentLimits | undefined }) {
    this.#folder = folder
    this.#logger = logger
    this.#limits = limits
  }

  /** Size of all segments. */
  get bytes(): number {
    let bytes = 0
    for (const segment of this.#segments.values()) bytes += segment.bytes
    return bytes
  }

  /** The oldest segment that gets no more lines. */
  get oldest(): Segment | undefined {
    for (const segment of this.#segments.values()) if (segment !== this.#current?.segment) return segment
    return undefined
  }

  /** Reads the lines of every segment, oldest segment first. Damaged lines are counted in the log and left out. */
  async load(): Promise<readonly FoundLine[]> {
    const found: FoundLine[] = []
    const names = await readdir(this.#folder).catch((error: unknown) => {
      if (readSystemCode(error) !== 'ENOENT') this.#logger.warn({ err: error }, 'stored traces cannot be listed')
      return []
    })
    for (const name of names.toSorted()) {
      const number = Number(NAME.exec(name)?.[1])
      if (!Number.isSafeInteger(number)) continue
      this.#next = Math.max(this.#next, number + 1)
      const segment: Segment = { number, name, bytes: 0, lines: 0, live: 0 }
      this.#segments.set(number, segment)
      found.push(...(await this.#read(segment)))
      if (segment.live === 0) await this.remove(segment)
      // A folder of many segments must not hold up requests.
      await setImmediate()
    }
    return found
  }

  async #read(segment: Segment): Promise<FoundLine[]> {
    const path = join(this.#folder, segment.name)
    try {
      segment.bytes = (await stat(path)).size
      if (segment.bytes > MAX_FILE_BYTES) throw new Error('the file is too large')
      const { found, damaged } = splitLines(await readFile(path), segment)
      if (damaged > 0) this.#logger.warn({ file: segment.name, lines: damaged }, 'lines of stored traces are damaged')
      segment.lines = found.length
      segment.live = found.length
      return found
    } catch (error) {
      this.#logger.warn({ file: segment.name, err: error }, 'a file of stored traces cannot be read')
      // An unreadable file stays for the operator.
      this.#segments.delete(segment.number)
      return []
    }
  }

  /** Appends lines. @throws the failure of the disk; then none of them is stored */
  async append(lines: readonly Buffer[]): Promise<readonly LinePlace[]> {
    const { segment, file } = await this.#open()
    try {
      await file.appendFile(Buffer.concat(lines))
    } catch (error) {
      // The written part of the last line ends with this segment.
      await this.#endCurrent()
      throw error
    }
    return lines.map((line) => {
      const place = { segment, offset: segment.bytes, length: line.length }
      segment.bytes += line.length
      segment.lines += 1
      segment.live += 1
      return place
    })
  }

  async #open(): Promise<{ readonly segment: Segment; readonly file: FileHandle }> {
    const { segmentBytes, segmentLines } = this.#limits
    const open = this.#current
    if (open !== undefined && open.segment.bytes < segmentBytes && open.segment.lines < segmentLines) return open
    await this.#endCurrent()
    return this.#begin()
  }

  async #begin(): Promise<{ readonly segment: Segment; readonly file: FileHandle }> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const number = this.#next
    const name = `${String(number).padStart(12, '0')}.jsonl`
    const file = await open(join(this.#folder, name), 'ax', 0o600)
    this.#next += 1
    const segment: Segment = { number, name, bytes: 0, lines: 0, live: 0 }
    this.#segments.set(number, segment)
    this.#current = { segment, file }
    return this.#current
  }

  async #endCurrent(): Promise<void> {
    const ended = this.#current
    this.#current = undefined
    await ended?.file.close().catch(() => undefined)
    if (ended?.segment.live === 0) await this.remove(ended.segment)
  }

  /** Reads one line without its line feed; undefined when it is gone. */
  async read({ segment, offset, length }: LinePlace): Promise<Buffer | undefined> {
    const file = await open(join(this.#folder, segment.name), 'r').catch(() => undefined)
    if (file === undefined) return undefined
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length - 1), 0, length - 1, offset)
      return bytesRead === length - 1 ? buffer : undefined
    } finally {
      await file.close()
    }
  }

  /** Counts a line as no longer listed. @returns whether its segment can be removed */
  release({ segment }: LinePlace): boolean {
    segment.live -= 1
    return segment.live <= 0 && segment !== this.#current?.segment
  }

  async remove(segment: Segment): Promise<void> {
    this.#segments.delete(segment.number)
    await unlink(join(this.#folder, segment.name)).catch((error: unknown) => {
      if (readSystemCode(error) !== 'ENOENT')
        this.#logger.warn({ file: segment.name, err: error }, 'a file of old traces cannot be removed')
    })
  }

  /** Removes every segment. */
  async clear(): Promise<void> {
    await this.#endCurrent()
    for (const segment of [...this.#segments.values()]) await this.remove(segment)
  }

  async close(): Promise<void> {
    await this.#endCurrent()
  }
}

function splitLines(bytes: Buffer, segment: Segment): { readonly found: FoundLine[]; readonly damaged: number } {
  const found: FoundLine[] = []
  let damaged = 0
  for (let start = 0; start < bytes.length; ) {
    const feed = bytes.indexOf(LINE_FEED, start)
    const end = feed < 0 ? bytes.length : feed
    const head = feed < 0 ? undefined : decodeTraceHead(bytes.subarray(start, end))
    if (head === undefined) damaged += 1
    else found.push({ head, place: { segment, offset: start, length: end + 1 - start } })
    start = end + 1
  }
  return { found, damaged }
}
