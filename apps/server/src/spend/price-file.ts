import { hash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { SvcError } from '@svc/errors'
import type { ServerConfig } from '../config/schema.ts'
import { StartRefused } from '../config/start-refused.ts'
import { readSystemCode, toReason } from '../files/file-error.ts'
import { makeFileFolder } from '../files/make-folder.ts'
import { readRegularFile } from '../files/read-regular-file.ts'
import { watchFile } from '../files/watch-file.ts'
import { writeFileAtomic } from '../files/write-file-atomic.ts'
import type { Clock, Logger } from '../ports.ts'
import { PRICE_FILE_LIMITS } from './price-file-limits.ts'
import type { PriceList, PriceProblem } from './price-list.ts'

/** Name of the price list in the configuration folder. */
const PRICES_FILE = 'prices.yaml'

/** The reader of lists. A server without a list starts without it. */
const loadReader = () => import('./price-list.ts')

/** The path of the price list. */
export function findPricesFile({ pricesFile, configDir }: Pick<ServerConfig, 'pricesFile' | 'configDir'>): string {
  return pricesFile ?? join(configDir, PRICES_FILE)
}

/** The file of the price list, whose last good content counts. */
export interface PriceFile {
  readonly path: string
  /** The list in use; undefined without a file. The same object while it is the same. */
  readonly list: PriceList | undefined
  /** Text that is another one for every content of the file; empty without a file. */
  readonly version: string
  /** Faults of the content on disk, which is then not in use. */
  readonly problems: readonly PriceProblem[]
  /** Reads the file now. */
  reload(): Promise<void>
  /**
   * Replaces the file durably, and uses its content.
   *
   * @param over the version that the new content is made from; undefined replaces any
   * @throws {SvcError} `precondition_failed` when the file has changed since then; `insufficient_storage` or `internal`
   */
  replace(text: string, over: string | undefined): Promise<PriceList>
  close(): Promise<void>
}

/** Options of {@link openPriceFile}. */
export interface PriceFileOptions {
  readonly path: string
  /** Interval of comparisons for file systems without events; 0 = never. */
  readonly pollIntervalMs: number
  readonly clock: Clock
  readonly logger: Logger
}

type Found =
  | { readonly state: 'absent' }
  | { readonly state: 'list'; readonly list: PriceList; readonly version: string }
  | { readonly state: 'wrong'; readonly problems: readonly PriceProblem[]; readonly version: string }

/** Reads the price list of a path. A fault is a value. */
export async function readPriceFile(path: string): Promise<Found> {
  let content: Buffer | string
  try {
    content = await readRegularFile(path, { maxBytes: PRICE_FILE_LIMITS.bytes, followsLink: true })
  } catch (error) {
    if (readSystemCode(error) === 'ENOENT') return { state: 'absent' }
    return { state: 'wrong', problems: [{ reason: `it cannot be read: ${toReason(error)}` }], version: '' }
  }
  if (typeof content === 'string') return { state: 'wrong', problems: [{ reason: content }], version: '' }
  const version = toVersion(content)
  const { readPriceList } = await loadReader()
  const reading = readPriceList(content)
  return reading.ok
    ? { state: 'list', list: reading.list, version }
    : { state: 'wrong', problems: reading.problems, version }
}

const isPresent = (folder: string): Promise<boolean> =>
  stat(folder).then(
    () => true,
    () => false,
  )

const toVersion = (content: Uint8Array | string): string => hash('sha256', content, 'hex').slice(0, 32)

/** A fault as a line of a log: `prices.yaml:3: prices[0].input: …`. */
export function describePriceProblem(file: string, { line, key, reason }: PriceProblem): string {
  return [`${file}${line === undefined ? '' : `:${line}`}`, ...(key === undefined ? [] : [key]), reason].join(': ')
}

/**
 * Opens the price list. Its last good content stays in use while the file is wrong, and a missing file is a list that
 * is not there.
 *
 * @throws {StartRefused} exit code 78 when the file is wrong at the start: costs are never computed again later
 */
export async function openPriceFile({ path, pollIntervalMs, clock, logger }: PriceFileOptions): Promise<PriceFile> {
  const name = basename(path)
  let list: PriceList | undefined
  let version = ''
  let problems: readonly PriceProblem[] = []
  let last: Promise<unknown> = Promise.resolve()

  /** One after the other, so that an older content never replaces a newer one. */
  function inTurn<T>(act: () => Promise<T>): Promise<T> {
    const done = last.then(act)
    last = done.catch(() => undefined)
    return done
  }

  function take(found: Found): void {
    const before = version
    version = found.state === 'absent' ? '' : found.version
    problems = found.state === 'wrong' ? found.problems : []
    if (found.state === 'wrong') {
      const [first] = problems
      if (first !== undefined && version !== before) {
        logger.warn(
          { problem: describePriceProblem(name, first) },
          'the price list is wrong, the last good one stays in use',
        )
      }
    } else if (version !== before) {
      list = found.state === 'list' ? found.list : undefined
      logger.info({ prices: list?.entries.length ?? 0 }, 'the price list is in use')
    }
  }

  const reload = (): Promise<void> =>
    inTurn(async () => {
      const found = await readPriceFile(path)
      // A folder that went away, as a lost mount does, takes no prices with it.
      if (found.state !== 'absent' || list === undefined || (await isPresent(dirname(path)))) return take(found)
      problems = [{ reason: 'its folder is not there' }]
    })
  const watch = await watchFile(path, () => void reload(), { clock, pollIntervalMs })
  const found = await readPriceFile(path)
  if (found.state === 'wrong') {
    await watch.close()
    const lines = found.problems.map((problem) => describePriceProblem(path, problem))
    throw new StartRefused(`the price list is wrong: ${lines.join('; ')}`, { exitCode: 78 })
  }
  take(found)

  async function checkVersion(over: string | undefined): Promise<void> {
    if (over === undefined) return
    const now = await readFile(path).then(toVersion, () => '')
    if (now === over) return
    throw new SvcError('precondition_failed', 'the price list has changed meanwhile: read it again', {
      code: 'prices_changed',
    })
  }

  return {
    path,
    get list() {
      return list
    },
    get version() {
      return version
    },
    get problems() {
      return problems
    },
    reload,
    replace: (text, over) =>
      inTurn(async () => {
        const { readPriceList } = await loadReader()
        const reading = readPriceList(text)
        if (!reading.ok) throw new Error('a price list is checked before it is written')
        await checkVersion(over)
        await makeFileFolder(dirname(path), 0o700)
        await writeFileAtomic(path, text, { mode: 0o600 })
        take({ state: 'list', list: reading.list, version: toVersion(text) })
        return reading.list
      }),
    async close() {
      await watch.close()
      await last
    },
  }
}
