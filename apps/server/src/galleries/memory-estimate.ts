import { type GgufHeader, readLeadingKeys } from '@svc/gguf'
import type { DownloadSource } from '../downloads/download-source.ts'
import { MAX_REDIRECTS, type OutboundClient } from '../outbound/client.ts'
import type { OutboundResponse } from '../outbound/response.ts'

/** The facts that decide the memory of a model. */
export interface ModelShape {
  /** Bytes of all its weights. */
  readonly weightsBytes: number
  /** Bytes of the cache for one token at 16 bits a value; undefined where the header does not say it. */
  readonly cacheBytesPerToken?: number | undefined
  /** Layers of the network. */
  readonly layers?: number | undefined
  /** Tokens that it was trained for. */
  readonly maxContext?: number | undefined
}

/** Settings with which a model is loaded. */
export interface LoadShape {
  readonly contextSize: number
  /** Layers on the graphics device. @default all */
  readonly gpuLayers?: number | undefined
  /** Bits of a cached value. @default 16 */
  readonly cacheBits?: number | undefined
}

/** Context of the choice between variants, in tokens. */
export const DEFAULT_CONTEXT = 8192
/** Buffers of the engine beside weights and cache, as a share of the weights, where nothing better is known. */
const OVERHEAD = 0.1
const MIN_OVERHEAD_BYTES = 64 * 1024 * 1024

/** The memory that a model takes in bytes: weights, cache, and buffers of the engine. */
export function estimateMemory(shape: ModelShape, load: LoadShape): number {
  const { weightsBytes, cacheBytesPerToken = 0, layers, maxContext } = shape
  const { gpuLayers, cacheBits = 16 } = load
  const contextSize = Math.min(load.contextSize, maxContext ?? load.contextSize)
  const cache = (cacheBytesPerToken * contextSize * cacheBits) / 16
  const onDevice =
    layers === undefined || gpuLayers === undefined || gpuLayers < 0 ? 1 : Math.min(1, gpuLayers / layers)
  return Math.ceil((weightsBytes + cache) * onDevice + Math.max(MIN_OVERHEAD_BYTES, weightsBytes * OVERHEAD))
}

/** The shape that the header of a GGUF file tells. */
export function toShape({ keys }: Pick<GgufHeader, 'keys'>, weightsBytes: number): ModelShape {
  const architecture = keys.get('general.architecture')
  const number = (name: string): number | undefined => {
    const value = keys.get(`${String(architecture)}.${name}`)
    return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : undefined
  }
  const layers = number('block_count')
  const heads = number('attention.head_count')
  const cacheHeads = number('attention.head_count_kv') ?? heads
  const width = number('embedding_length')
  const headWidth = width === undefined || heads === undefined ? undefined : width / heads
  const keyWidth = number('attention.key_length') ?? headWidth
  const valueWidth = number('attention.value_length') ?? headWidth
  const isKnown = layers !== undefined && cacheHeads !== undefined && keyWidth !== undefined && valueWidth !== undefined
  return {
    weightsBytes,
    layers,
    maxContext: number('context_length'),
    cacheBytesPerToken: isKnown ? layers * cacheHeads * (keyWidth + valueWidth) * 2 : undefined,
  }
}

/** Bytes of a remote file that are fetched: the facts of the network come before its vocabulary. */
const HEADER_BYTES = 256 * 1024
const FETCH_MS = 20_000

/** Reads the shape of a GGUF file on another machine from its first bytes. Undefined where they do not say it. */
export async function readRemoteShape(
  { url, trust, credentials }: DownloadSource,
  sizeBytes: number,
  { client, signal }: { readonly client: OutboundClient; readonly signal: AbortSignal },
): Promise<ModelShape | undefined> {
  try {
    await using reply = await client.fetch(url, {
      signal,
      trust,
      credentials,
      maxBytes: Math.max(sizeBytes, HEADER_BYTES),
      timeoutMs: FETCH_MS,
      redirects: MAX_REDIRECTS,
      decode: false,
      headers: { range: `bytes=0-${Math.max(1, Math.min(HEADER_BYTES, sizeBytes)) - 1}` },
    })
    // Without ranges the reply is the whole file, of which only the begin is read.
    if (reply.status !== 206 && reply.status !== 200) return undefined
    return toShape({ keys: readLeadingKeys(await readBegin(reply)) }, sizeBytes)
  } catch {
    signal.throwIfAborted()
    return undefined
  }
}

/** The first bytes of a reply, which may go on: not every origin serves ranges. */
async function readBegin({ body }: Pick<OutboundResponse, 'body'>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of body) {
    pieces.push(piece)
    length += piece.length
    if (length >= HEADER_BYTES) break
  }
  return Buffer.concat(pieces)
}

const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6, g: 1e9, t: 1e12 }

/** Gives the bytes of a size such as `4.7GB` or `512 MiB`. */
export function parseSize(text: string): number | undefined {
  const match = /^\s*(\d{1,15}(?:\.\d{1,6})?)\s*([kmgt]?)(i?)b?\s*$/i.exec(text)
  if (match === null) return undefined
  const [, number = '', unit = '', binary = ''] = match
  const power = UNITS[unit.toLowerCase()] ?? 1
  const exact = binary === '' ? power : 1024 ** (Math.log10(power) / 3)
  return Math.round(Number(number) * exact)
}

/** Bytes for people: `4.7 GB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  let value = bytes
  let unit = 0
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000
    unit += 1
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit] ?? ''}`
}
