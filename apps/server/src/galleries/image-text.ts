import { hash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { SvcError } from '@svc/errors'
import type { Credentials } from '../downloads/credentials.ts'
import { writeFileAtomic } from '../files/write-file-atomic.ts'
import { readDecompressed } from '../oci/decompress.ts'
import { type ImageReference, parseImageReference } from '../oci/image-reference.ts'
import { createRegistryClient, findRawLayer, type ImageLayer, type RegistryClient } from '../oci/registry-client.ts'
import { readTar } from '../oci/tar-reader.ts'
import { MAX_REDIRECTS, type OutboundClient } from '../outbound/client.ts'
import type { Trust } from '../outbound/failures.ts'

/** Parts of a read of an image. */
export interface ImageTextOptions {
  readonly client: OutboundClient
  readonly credentials: Credentials
  /** Whether the operator or somebody else chose the registry. */
  readonly trust: Trust
  /** Largest size of the text, and of all layers together as they are sent. */
  readonly maxBytes: number
  readonly timeoutMs: number
  /** Name of the text, for messages. */
  readonly what: string
  readonly signal: AbortSignal
}

/** Unpacked bytes that are looked through for the text. */
const MAX_UNPACKED_BYTES = 64 * 1024 * 1024
const MAX_MEMBERS = 10_000
const PREFERRED = /^\/index\.ya?ml$/i
const TEXT_NAME = /\.(?:ya?ml|json)$/i

/**
 * Reads the text that an image carries: its largest layer that is a file of its own, or `index.yaml` in its layers, or the
 * only YAML file in them.
 *
 * @throws {SvcError} `upstream_failed` (`image_failed`, `gallery_refused`), `too_large`, `unprocessable` (`archive_refused`)
 */
export async function readImageText(reference: string, options: ImageTextOptions): Promise<Uint8Array> {
  const { credentials, maxBytes, what, signal } = options
  const image = parseImageReference(reference)
  const registry = createRegistryClient({ client: trusting(options, image), credentials })
  const { layers } = await registry.readManifest(image, { signal })
  const largest = findRawLayer(layers)
  const wanted = largest === undefined ? layers : [largest]
  if (wanted.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) > maxBytes) {
    throw new SvcError('too_large', `${what} has an image of more than ${maxBytes} bytes`, { code: 'gallery_refused' })
  }
  if (largest !== undefined) return fetchLayer(image, largest, registry, options)
  const texts = new Map<string, Uint8Array>()
  for (const layer of layers) await readLayer(await fetchLayer(image, layer, registry, options), texts, options)
  const preferred = [...texts].find(([name]) => PREFERRED.test(name))
  const [only, another] = texts.values()
  const found = preferred?.[1] ?? (another === undefined ? only : undefined)
  if (found !== undefined) return found
  throw new SvcError('upstream_failed', `${what}: its image holds no index.yaml`, { code: 'gallery_refused' })
}

/** A registry that the operator chose may be private; everything that it leads to may not. */
function trusting({ client, trust }: ImageTextOptions, { registry }: ImageReference): OutboundClient {
  return {
    fetch: (url, request) => client.fetch(url, { ...request, ...(new URL(url).host === registry ? { trust } : {}) }),
  }
}

/** A layer as it is sent, checked by its digest. */
async function fetchLayer(
  image: ImageReference,
  layer: ImageLayer,
  registry: RegistryClient,
  options: ImageTextOptions,
): Promise<Uint8Array> {
  const { what, maxBytes, timeoutMs, signal } = options
  const { url, credentials } = registry.layerSource(image, layer)
  const limits = { maxBytes, timeoutMs, redirects: MAX_REDIRECTS, decode: false, credentials } as const
  await using reply = await trusting(options, image).fetch(url, { signal, trust: 'public', ...limits })
  if (reply.status !== 200) {
    throw new SvcError('upstream_failed', `${what}: its registry answers with status ${reply.status}`, {
      code: 'gallery_refused',
    })
  }
  const bytes = await reply.bytes()
  if (`sha256:${hash('sha256', bytes, 'hex')}` === layer.digest) return bytes
  throw new SvcError('upstream_failed', `${what}: a layer of its image does not have its digest`, {
    code: 'image_failed',
  })
}

/** Adds the texts of a layer to those of the layers below. */
async function readLayer(
  bytes: Uint8Array,
  texts: Map<string, Uint8Array>,
  { maxBytes, what, signal }: ImageTextOptions,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-image-'))
  try {
    const path = join(folder, 'layer')
    await writeFileAtomic(path, bytes, { mode: 0o600 })
    let members = 0
    for await (const { name, kind, sizeBytes, content } of readTar(bounded(readDecompressed(path, { signal }), what))) {
      members += 1
      if (members > MAX_MEMBERS) throw tooMuch(what)
      if (kind !== 'file' || !TEXT_NAME.test(name)) continue
      if (sizeBytes > maxBytes) throw tooMuch(what)
      const pieces: Uint8Array[] = []
      for await (const piece of content) pieces.push(piece)
      texts.set(posix.normalize(`/${name}`), Buffer.concat(pieces))
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function* bounded(source: AsyncIterable<Uint8Array>, what: string): AsyncGenerator<Uint8Array> {
  let total = 0
  for await (const piece of source) {
    total += piece.length
    if (total > MAX_UNPACKED_BYTES) throw tooMuch(what)
    yield piece
  }
}

function tooMuch(what: string): SvcError {
  return new SvcError('unprocessable', `${what}: its image unpacks to too much`, { code: 'archive_refused' })
}
