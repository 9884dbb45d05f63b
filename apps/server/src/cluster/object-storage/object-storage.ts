import type { Upstream } from '@svc/http-client'
import type { Clock } from '../../ports.ts'
import { type FetchedObject, getObject, type ObjectTarget, readHash } from './get-object.ts'
import { encode } from './object-key.ts'
import { persist } from './persist.ts'
import { type ObjectSource, putObject } from './put-object.ts'
import { createStorageCalls, type StorageCall } from './storage-call.ts'
import { readHeader, readTag, readTags, readText, storageRefused, toStorageError } from './storage-errors.ts'
import type { StorageSettings } from './storage-settings.ts'

const CALL_MS = 15_000
const BUDGET_MS = 60_000
/** Of one list of names: with the longest keys it fits into a reply. */
const PAGE = 100
const CHECK_MS = 5000

/** Options of a call. */
export interface StorageOptions {
  readonly signal: AbortSignal
  /** Longest time to go on after failures without progress, milliseconds. @default 60000 */
  readonly budgetMs?: number | undefined
}

/** Options of a transfer. */
export interface TransferOptions extends StorageOptions {
  /** Called with the bytes so far. */
  readonly onProgress?: ((bytes: number) => void) | undefined
}

/**
 * The objects of a bucket. All calls fail with {@link SvcError} `unavailable`: code `storage_away` where the storage did
 * not answer, or not well, for as long as the budget; `storage_refused` for what another try does not change. A key that
 * no server takes is `invalid_request`, code `bad_object_key`.
 */
export interface ObjectStorage {
  /** The size of an object and the hash that it keeps; undefined where there is none. */
  find(
    key: string,
    options: StorageOptions,
  ): Promise<{ readonly sizeBytes: number; readonly sha256: string | undefined } | undefined>
  /** Stores a file with its hash, in place of what is there. */
  put(key: string, source: ObjectSource, options: TransferOptions): Promise<void>
  /**
   * Fetches an object into a file and goes on where it broke off. @returns undefined where there is no such object
   *
   * @throws {SvcError} also `unavailable`, code `storage_wrong_hash`: the file is empty then; `insufficient_storage`
   */
  get(key: string, target: ObjectTarget, options: TransferOptions): Promise<FetchedObject | undefined>
  /** Removes an object, if it is there. */
  remove(key: string, options: StorageOptions): Promise<void>
  /** Lists keys with a prefix, 100 at most at a time. */
  list(prefix: string, options: StorageOptions): AsyncGenerator<readonly string[]>
  /** Asks for the bucket once. @throws as the calls */
  check(signal: AbortSignal): Promise<void>
}

/** Creates the client of a bucket. */
export function createObjectStorage(
  settings: StorageSettings,
  { client, clock }: { readonly client: Pick<Upstream, 'send'>; readonly clock: Pick<Clock, 'monotonic' | 'sleep'> },
): ObjectStorage {
  const send = createStorageCalls(settings, client)
  const toOptions = <T extends StorageOptions>({ budgetMs = BUDGET_MS, ...options }: T) => ({
    ...options,
    budgetMs,
    clock,
    send,
  })

  /** Sends a call until it succeeds. @returns the text; undefined where what is meant is not there */
  async function ask(call: StorageCall, options: StorageOptions): Promise<string | undefined> {
    return persist(async () => {
      const outcome = await send({ timeoutMs: CALL_MS, ...call }, options.signal)
      if (outcome.isSuccess) return readText(outcome.reply)
      if (outcome.status === 404 && outcome.code !== 'NoSuchBucket') return undefined
      throw outcome.error
    }, toOptions(options))
  }

  return {
    find: (key, options) =>
      persist(async () => {
        const outcome = await send({ method: 'HEAD', key, timeoutMs: CALL_MS }, options.signal)
        if (outcome.isSuccess) {
          await readText(outcome.reply)
          return {
            sizeBytes: Number(readHeader(outcome.reply, 'content-length') ?? 0),
            sha256: readHash(outcome.reply),
          }
        }
        if (outcome.status === 404) return undefined
        throw outcome.error
      }, toOptions(options)),
    put: (key, source, options) =>
      putObject(key, source, { ...toOptions(options), onProgress: options.onProgress ?? ignore }),
    get: (key, target, options) =>
      getObject(key, target, { ...toOptions(options), onProgress: options.onProgress ?? ignore }),
    async remove(key, options) {
      await ask({ method: 'DELETE', key }, options)
    },
    async *list(prefix, options) {
      let from = ''
      for (;;) {
        const parts = [`list-type=2`, `max-keys=${PAGE}`, `prefix=${encode(prefix)}`]
        if (from !== '') parts.push(`continuation-token=${encode(from)}`)
        const text = await ask({ method: 'GET', query: parts.join('&') }, options)
        if (text === undefined) throw storageRefused('it lists no objects')
        const keys = readTags(text, 'Key')
        if (keys.length > 0) yield keys
        const next = readTag(text, 'NextContinuationToken') ?? ''
        if (readTag(text, 'IsTruncated') !== 'true' || next === '' || next === from) return
        from = next
      }
    },
    async check(signal) {
      const within = AbortSignal.any([signal, AbortSignal.timeout(CHECK_MS)])
      try {
        const outcome = await send({ method: 'HEAD', timeoutMs: CHECK_MS }, within)
        if (outcome.isSuccess) await readText(outcome.reply)
        else if (outcome.status === 404) throw storageRefused('the bucket does not exist; see SVC_STORAGE_BUCKET')
        else throw outcome.error
      } catch (error) {
        signal.throwIfAborted()
        throw toStorageError(error)
      }
    },
  }
}

const ignore = (): void => undefined
