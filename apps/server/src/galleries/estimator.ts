import { join } from 'node:path'
import { SvcError } from '@svc/errors'
import { isGgufName } from '../catalog/to-model-config.ts'
import { createTaskQueue } from '../concurrency/task-queue.ts'
import { untilAborted } from '../concurrency/until-aborted.ts'
import type { Downloader } from '../downloads/downloader.ts'
import { resolveUri, type UriServices } from '../downloads/resolve-uri.ts'
import { writeFileAtomic } from '../files/write-file-atomic.ts'
import type { OutboundClient } from '../outbound/client.ts'
import type { Clock, Logger } from '../ports.ts'
import type { ModelEntry } from './gallery.ts'
import { readKnownShapes } from './known-shapes.ts'
import { type ModelShape, parseSize, readRemoteShape } from './memory-estimate.ts'

/** The parts of an entry that its size depends on. */
export type SizedEntry = Pick<ModelEntry, 'files' | 'size'>

/** Finds out how large models of galleries are before they are fetched. */
export interface ShapeReader {
  /** Asks the origins where nothing is known yet. Undefined where neither the gallery nor the origins tell. */
  read(entry: SizedEntry, options: { readonly signal: AbortSignal }): Promise<ModelShape | undefined>
  /** Gives the shape that is known now: measured before, or from the gallery. */
  peek(entry: SizedEntry): Promise<ModelShape | undefined>
  /** Ends measurements that run. */
  close(): Promise<void>
}

/** Options of {@link createShapeReader}. */
export interface ShapeReaderOptions {
  readonly client: OutboundClient
  readonly downloader: Pick<Downloader, 'measureSize'>
  readonly services: () => UriServices
  /** Where shapes are remembered; undefined for nowhere. */
  readonly folder: string | undefined
  readonly clock: Clock
  readonly logger: Logger
}

const MAX_KNOWN = 2000
/** Weights by the ends of their names; other files of a model are small. */
const WEIGHTS = /\.(gguf|safetensors|bin|onnx|pt|pth|ggml)$/i
const FILE = 'model-shapes.json'
/** Entries that are measured at a time, and that may wait for it. */
const CONCURRENCY = 8
const MAX_WAITING = 1000
/** Files of one entry that are asked for their size. */
const MAX_FILES = 64
const MEASURE_MS = 30_000
/** Time before an entry that could not be measured is asked for again. */
const REST_MS = 10 * 60 * 1000

/** A reader that remembers the shapes that it saw, by the addresses of the files. */
export function createShapeReader(options: ShapeReaderOptions): ShapeReader {
  const { client, downloader, services, folder, clock, logger } = options
  const refuse = (code: string): SvcError => new SvcError('unavailable', 'the size of the model is not known', { code })
  const queue = createTaskQueue({
    concurrency: CONCURRENCY,
    limit: MAX_WAITING,
    refusals: { busy: () => refuse('too_many_measurements'), closed: () => refuse('stopping') },
  })
  /** Measurements that run, for all who ask meanwhile. */
  const running = new Map<string, Promise<ModelShape | undefined>>()
  /** When an entry that could not be measured is tried again, monotonic. */
  const resting = new Map<string, number>()
  let known: Promise<Map<string, ModelShape>> | undefined

  function remembered(): Promise<Map<string, ModelShape>> {
    known ??=
      folder === undefined ? Promise.resolve(new Map<string, ModelShape>()) : readKnownShapes(join(folder, FILE))
    return known
  }

  async function remember(key: string, shape: ModelShape): Promise<void> {
    const shapes = await remembered()
    shapes.set(key, shape)
    forgetOldest(shapes)
    if (folder === undefined) return
    await writeFileAtomic(join(folder, FILE), JSON.stringify(Object.fromEntries(shapes)), { mode: 0o600 }).catch(
      (error: unknown) => logger.warn({ err: error }, 'the sizes of models could not be remembered'),
    )
  }

  async function measure({ files }: SizedEntry, signal: AbortSignal): Promise<ModelShape | undefined> {
    const weights = files.filter(({ filename }) => WEIGHTS.test(filename))
    if (weights.length === 0 || weights.length > MAX_FILES) return undefined
    const sized = await Promise.all(
      weights.map(async (file) => {
        const resolved = resolveUri(file.uri, 'public', services())
        if (resolved.kind !== 'http') return undefined
        const sizeBytes = await downloader.measureSize(resolved.source, { signal })
        return sizeBytes === undefined ? undefined : { file, source: resolved.source, sizeBytes }
      }),
    )
    const all = sized.filter((one) => one !== undefined)
    if (all.length < weights.length) return undefined
    const weightsBytes = all.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
    const main = all.find(({ file }) => isGgufName(file.filename))
    const shape = main && (await readRemoteShape(main.source, main.sizeBytes, { client, signal }))
    return { ...shape, weightsBytes }
  }

  /** The first caller's abort does not end the measurement: other callers wait for it too. */
  async function startMeasuring(key: string, entry: SizedEntry): Promise<ModelShape | undefined> {
    try {
      const shape = await queue.run((signal) => measure(entry, signal), { signal: AbortSignal.timeout(MEASURE_MS) })
      if (shape !== undefined) {
        await remember(key, shape)
        return shape
      }
    } catch (error) {
      logger.debug({ err: error }, 'the size of a model could not be measured')
    } finally {
      running.delete(key)
    }
    resting.set(key, clock.monotonic() + REST_MS)
    forgetOldest(resting)
    return undefined
  }

  return {
    async read(entry, { signal }) {
      signal.throwIfAborted()
      const key = toKey(entry)
      const before = (await remembered()).get(key)
      if (before !== undefined) return before
      if (key !== '' && clock.monotonic() >= (resting.get(key) ?? 0)) {
        const measuring = running.get(key) ?? startMeasuring(key, entry)
        running.set(key, measuring)
        const shape = await untilAborted(measuring, signal)
        if (shape !== undefined) return shape
      }
      return toDeclaredShape(entry)
    },
    async peek(entry) {
      return (await remembered()).get(toKey(entry)) ?? toDeclaredShape(entry)
    },
    close: () => queue.close(),
  }
}

/** The addresses of an entry; empty for one that names none. */
function toKey({ files }: SizedEntry): string {
  return files.map(({ uri }) => uri).join(' ')
}

function toDeclaredShape({ size }: SizedEntry): ModelShape | undefined {
  const weightsBytes = parseSize(size)
  return weightsBytes === undefined ? undefined : { weightsBytes }
}

function forgetOldest(map: Map<string, unknown>): void {
  for (const oldest of [...map.keys()].slice(0, -MAX_KNOWN)) map.delete(oldest)
}
