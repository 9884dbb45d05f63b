import { join } from 'node:path'
import { isGgufName } from '../catalog/to-model-config.ts'
import type { Downloader } from '../downloads/downloader.ts'
import { resolveUri, type UriServices } from '../downloads/resolve-uri.ts'
import { readJsonFile } from '../files/read-json-file.ts'
import { writeFileAtomic } from '../files/write-file-atomic.ts'
import type { OutboundClient } from '../outbound/client.ts'
import type { Logger } from '../ports.ts'
import type { ModelEntry } from './gallery.ts'
import { type ModelShape, parseSize, readRemoteShape } from './memory-estimate.ts'
import { isFields } from './to-entry.ts'

/** Finds out how large models of galleries are before they are fetched. */
export interface ShapeReader {
  /** Undefined where neither the gallery nor the origins tell. */
  read(
    entry: Pick<ModelEntry, 'files' | 'size'>,
    options: { readonly signal: AbortSignal },
  ): Promise<ModelShape | undefined>
}

/** What {@link createShapeReader} needs. */
export interface ShapeReaderOptions {
  readonly client: OutboundClient
  readonly downloader: Downloader
  readonly services: () => UriServices
  /** Where shapes are remembered; undefined for nowhere. */
  readonly folder: string | undefined
  readonly logger: Logger
}

const MAX_KNOWN = 2000
/** Weights by the ends of their names; other files of a model are small. */
const WEIGHTS = /\.(gguf|safetensors|bin|onnx|pt|pth|ggml)$/i
const FILE = 'model-shapes.json'

/** A reader that remembers what it saw by the addresses of the files. */
export function createShapeReader(options: ShapeReaderOptions): ShapeReader {
  const { client, downloader, services, folder, logger } = options
  let known: Map<string, ModelShape> | undefined

  async function remembered(): Promise<Map<string, ModelShape>> {
    if (known !== undefined) return known
    const found = folder === undefined ? new Map<string, ModelShape>() : await readKnown(join(folder, FILE))
    known ??= found
    return known
  }

  async function remember(key: string, shape: ModelShape): Promise<void> {
    const shapes = await remembered()
    shapes.set(key, shape)
    for (const oldest of [...shapes.keys()].slice(0, -MAX_KNOWN)) shapes.delete(oldest)
    if (folder === undefined) return
    await writeFileAtomic(join(folder, FILE), JSON.stringify(Object.fromEntries(shapes)), { mode: 0o600 }).catch(
      (error: unknown) => logger.warn({ err: error }, 'the sizes of models could not be remembered'),
    )
  }

  async function measure(entry: Pick<ModelEntry, 'files'>, signal: AbortSignal): Promise<ModelShape | undefined> {
    const files = entry.files.filter(({ filename }) => WEIGHTS.test(filename))
    const sized = await Promise.all(
      files.map(async (file) => {
        const resolved = resolveUri(file.uri, 'public', services())
        if (resolved.kind !== 'http') return undefined
        const sizeBytes = await downloader.measureSize(resolved.source, { signal })
        return sizeBytes === undefined ? undefined : { file, source: resolved.source, sizeBytes }
      }),
    )
    const all = sized.filter((one) => one !== undefined)
    if (all.length === 0 || all.length < files.length) return undefined
    const weightsBytes = all.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
    const main = all.find(({ file }) => isGgufName(file.filename))
    const shape = main && (await readRemoteShape(main.source, main.sizeBytes, { client, signal }))
    return { ...shape, weightsBytes }
  }

  return {
    async read(entry, { signal }) {
      const key = entry.files.map(({ uri }) => uri).join(' ')
      const before = (await remembered()).get(key)
      if (before !== undefined && key !== '') return before
      const shape = await measure(entry, signal).catch(() => undefined)
      signal.throwIfAborted()
      if (shape !== undefined) {
        await remember(key, shape)
        return shape
      }
      const weightsBytes = parseSize(entry.size)
      return weightsBytes === undefined ? undefined : { weightsBytes }
    },
  }
}

async function readKnown(path: string): Promise<Map<string, ModelShape>> {
  const read = await readJsonFile(path)
  const value: unknown = read.state === 'read' ? read.root.toValue() : undefined
  const shapes = Object.entries(isFields(value) ? value : {}).flatMap(([key, shape]) => {
    if (!isFields(shape) || typeof shape.weightsBytes !== 'number') return []
    const number = (name: string): number | undefined => {
      const found = shape[name]
      return typeof found === 'number' ? found : undefined
    }
    const rest = { layers: number('layers'), maxContext: number('maxContext') }
    const one = { weightsBytes: shape.weightsBytes, cacheBytesPerToken: number('cacheBytesPerToken'), ...rest }
    return [[key, one] as const]
  })
  return new Map(shapes)
}
