import { readFile } from 'node:fs/promises'
import { readSystemCode } from '../files/file-error.ts'
import { writeFileAtomic } from '../files/write-file-atomic.ts'
import type { Logger } from '../ports.ts'
import { seal, unseal } from '../secret/seal.ts'

/** Values by key that only the holder of a secret can read. */
export interface SealedRecords<Value> {
  get(key: string): Promise<Value | undefined>
  /** Changes a value; undefined removes it. Changes run one after the other. @throws {SvcError} of the disk or database */
  change(key: string, next: (value: Value | undefined) => Value | undefined): Promise<void>
}

/** Options of {@link openSealedRecords}. */
export interface SealedRecordsOptions {
  readonly file: string
  /** 32 bytes. */
  readonly key: () => Uint8Array
  /** The record that was changed longest ago makes room. */
  readonly maxRecords: number
  readonly logger: Logger
}

/** Opens the records of a file. A file that the key does not open is left aside, with a warning. */
export function openSealedRecords<Value>(options: SealedRecordsOptions): SealedRecords<Value> {
  const { file, key, maxRecords, logger } = options
  let reading: Promise<Map<string, Value>> | undefined
  let last: Promise<unknown> = Promise.resolve()

  async function read(): Promise<Map<string, Value>> {
    try {
      return new Map(JSON.parse(unseal(await readFile(file), key())))
    } catch (error) {
      if (readSystemCode(error) === 'ENOENT') return new Map()
      if (readSystemCode(error) !== undefined) throw error
      logger.warn({ file }, 'sign-ins to mcp servers cannot be read with the secret of this server; they are made anew')
      return new Map()
    }
  }
  const load = () => {
    reading ??= read()
    reading.catch(() => {
      reading = undefined
    })
    return reading
  }
  async function apply(id: string, next: (value: Value | undefined) => Value | undefined): Promise<void> {
    const records = new Map(await load())
    const value = next(records.get(id))
    records.delete(id)
    if (value !== undefined) records.set(id, value)
    const [oldest] = records.keys()
    if (records.size > maxRecords && oldest !== undefined) records.delete(oldest)
    await writeFileAtomic(file, seal(JSON.stringify([...records]), key()), { mode: 0o600 })
    reading = Promise.resolve(records)
  }
  return {
    get: async (id) => (await load()).get(id),
    change(id, next) {
      const changed = last.then(() => apply(id, next))
      last = changed.catch(() => undefined)
      return changed
    },
  }
}

/** Records in memory, the newest ones. */
export function createMemoryRecords<Value>(maxRecords: number): SealedRecords<Value> {
  const records = new Map<string, Value>()
  return {
    get: async (id) => records.get(id),
    async change(id, next) {
      const value = next(records.get(id))
      records.delete(id)
      if (value !== undefined) records.set(id, value)
      const [oldest] = records.keys()
      if (records.size > maxRecords && oldest !== undefined) records.delete(oldest)
    },
  }
}
