import { type FileHandle, open, readFile, rename, stat, unlink } from 'node:fs/promises'
import type { UsageRecord } from '@svc/auth/ports'
import type { UsageJournal } from '@svc/auth/usage'
import * as z from 'zod'
import { readSystemCode } from '../files/file-error.ts'
import { writeFileAtomic } from '../files/write-file-atomic.ts'
import type { Logger } from '../ports.ts'

/** A journal in a file: one record a line. */
export interface UsageJournalFile extends UsageJournal, AsyncDisposable {
  /** The records in the file, oldest first, each once. A line that a kill has cut is left out. */
  read(): Promise<readonly UsageRecord[]>
  /** Resolves when the file holds everything that was kept. */
  settled(): Promise<void>
  close(): Promise<void>
}

/** Options of {@link createUsageJournal}. */
export interface UsageJournalOptions {
  readonly path: string
  readonly logger: Logger
  /** Throws when the folder of the file may not be used any more. */
  readonly checkAccess: () => void
  /** The newest records that the file holds; it is cut once it has twice as many. @default 50000 */
  readonly maxRecords?: number | undefined
}

const MAX_RECORDS = 50_000
/** A larger file does not belong to the server: a record has at most some 2 KB. */
const MAX_FILE_BYTES = 256 * 1024 * 1024

const count = z.number().int().nonnegative()
const recordLine = z.object({
  id: z.string().min(1),
  userId: z.string(),
  userName: z.string(),
  source: z.enum(['apikey', 'web', 'legacy']),
  apiKeyId: z.string().optional(),
  apiKeyName: z.string().optional(),
  model: z.string(),
  endpoint: z.string(),
  promptTokens: count,
  completionTokens: count,
  totalTokens: count,
  durationMs: count,
  createdAt: count,
  cachedTokens: count.optional(),
  reasoningTokens: count.optional(),
  isEstimated: z.boolean().optional(),
  seconds: z.number().nonnegative().optional(),
  characters: count.optional(),
  images: count.optional(),
  cacheWriteTokens: count.optional(),
  costMicros: count.optional(),
  currency: z.string().optional(),
  endUser: z.string().optional(),
  tags: z.record(z.string(), z.string()).optional(),
})

function readLine(line: string): UsageRecord | undefined {
  try {
    return recordLine.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}

async function readText(path: string): Promise<string> {
  try {
    const { size } = await stat(path)
    if (size > MAX_FILE_BYTES) throw new Error('the usage journal is too large')
    return await readFile(path, 'utf8')
  } catch (error) {
    if (readSystemCode(error) === 'ENOENT') return ''
    throw error
  }
}

const linesIn = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '')

/** The file of the journal: lines that are appended and synced. */
function createLineFile(path: string, maxRecords: number) {
  let lines = 0
  let file: FileHandle | undefined

  async function closeFile(): Promise<void> {
    const open = file
    file = undefined
    await open?.close()
  }

  async function append(group: readonly string[]): Promise<void> {
    if (file === undefined) {
      lines = linesIn(await readText(path)).length
      file = await open(path, 'a', 0o600)
    }
    // the line before may have been cut
    await file.appendFile(`\n${group.join('\n')}\n`)
    await file.datasync()
    lines += group.length
  }

  async function shorten(): Promise<void> {
    await closeFile()
    const newest = linesIn(await readText(path)).slice(-maxRecords)
    await writeFileAtomic(path, `${newest.join('\n')}\n`, { mode: 0o600 })
    lines = newest.length
  }

  async function remove(): Promise<void> {
    await closeFile()
    lines = 0
    await unlink(path).catch((error: unknown) => {
      if (readSystemCode(error) !== 'ENOENT') throw error
    })
  }

  return {
    append,
    remove,
    close: closeFile,
    /** Whether the file holds twice as many lines as it should. */
    isLong: () => lines > 2 * maxRecords,
    shorten,
  }
}

/**
 * Makes the journal. Lines are appended and synced one group after the other; a file that grows too long is replaced as
 * a whole. A disk that refuses a group is tried again with the next one.
 */
export function createUsageJournal(options: UsageJournalOptions): UsageJournalFile {
  const { path, logger, checkAccess, maxRecords = MAX_RECORDS } = options
  const file = createLineFile(path, maxRecords)
  let pending: string[] = []
  let isClearing = false
  let working: Promise<void> | undefined
  let isFailing = false

  async function writeGroup(): Promise<void> {
    const group = pending
    pending = []
    try {
      await file.append(group)
      if (file.isLong()) await file.shorten()
    } catch (error) {
      pending = [...group, ...pending].slice(-maxRecords)
      throw error
    }
  }

  async function work(): Promise<void> {
    try {
      while (isClearing || pending.length > 0) {
        checkAccess()
        if (isClearing) {
          isClearing = false
          await file.remove()
        } else await writeGroup()
      }
      isFailing = false
    } catch (error) {
      await file.close().catch(() => undefined)
      if (!isFailing) logger.warn({ err: error }, 'the usage journal cannot be written')
      isFailing = true
    } finally {
      working = undefined
    }
  }

  const start = (): void => {
    working ??= work()
  }
  const settled = async (): Promise<void> => working
  async function close(): Promise<void> {
    await settled()
    await file.close()
  }

  return {
    async read() {
      const text = await readText(path).catch(async (error: unknown) => {
        logger.error({ err: error }, 'the usage journal cannot be read, it is kept under another name')
        await rename(path, `${path}.corrupt`).catch(() => undefined)
        return ''
      })
      const found = linesIn(text)
      const records = found.flatMap((line) => readLine(line) ?? [])
      if (records.length < found.length)
        logger.warn({ lines: found.length - records.length }, 'lines of the usage journal are damaged')
      return [...new Map(records.map((record) => [record.id, record])).values()].slice(-maxRecords)
    },
    keep(records) {
      pending.push(...records.map((record) => JSON.stringify(record)))
      if (pending.length > maxRecords) pending = pending.slice(-maxRecords)
      start()
    },
    clear() {
      pending = []
      isClearing = true
      start()
    },
    settled,
    close,
    [Symbol.asyncDispose]: close,
  }
}
