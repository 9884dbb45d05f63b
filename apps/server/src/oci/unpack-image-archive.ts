import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { toFileError } from '../files/file-error.ts'
import { makeFileFolder } from '../files/make-folder.ts'
import { createLayerTarget } from './apply-layer.ts'
import { readDecompressed } from './decompress.ts'
import { isDigest } from './image-reference.ts'
import { badArchive, readTar, type TarMember } from './tar-reader.ts'

/** An image in one file, as `docker save` and `skopeo copy … oci-archive:` write it. */
export interface ImageArchive {
  /** Absolute path. */
  readonly path: string
  /** Folder of the layers; emptied at the end. */
  readonly layersFolder: string
  /** Folder of the unpacked image; emptied first. */
  readonly root: string
  readonly signal: AbortSignal
}

const MAX_DOCUMENT_BYTES = 4 * 1024 * 1024
const MAX_LAYERS = 128
/** Unpacked bytes of a layer to which the ratio does not apply. */
const RATIO_FREE_BYTES = 1024 ** 3
const MAX_RATIO = 200

/**
 * Unpacks the layers of an image archive upon each other.
 *
 * @throws {SvcError} `archive_refused`, `disk_full`, `file_failed`; the signal's reason
 */
export async function unpackImageArchive({ path, layersFolder, root, signal }: ImageArchive): Promise<void> {
  const names = await findLayers(path, signal)
  await rm(root, { recursive: true, force: true })
  for (const folder of [root, layersFolder]) await makeFileFolder(folder, 0o755)
  const target = createLayerTarget(root)
  try {
    for (const [index, name] of names.entries()) {
      const layer = join(layersFolder, `${index}.layer`)
      const compressedBytes = await copyMember(path, name, { layer, signal })
      await target.apply(readDecompressed(layer, { signal }), { compressedBytes, signal })
      await rm(layer, { force: true })
    }
  } finally {
    await rm(layersFolder, { recursive: true, force: true })
  }
}

/** The members that hold the layers, the lowest first. */
async function findLayers(path: string, signal: AbortSignal): Promise<readonly string[]> {
  const saved = await readDocument(path, 'manifest.json', signal)
  const [image]: readonly unknown[] = Array.isArray(saved) ? saved : []
  const layers = saved === undefined ? await findLayersOfLayout(path, signal) : readList(image, 'Layers')
  if (layers === undefined || layers.length === 0 || layers.length > MAX_LAYERS) throw badArchive('it holds no image')
  return layers.map((layer) => {
    if (typeof layer !== 'string') throw badArchive('it holds no image')
    return layer
  })
}

/** Layers of the first image of an OCI layout. */
async function findLayersOfLayout(path: string, signal: AbortSignal): Promise<readonly unknown[] | undefined> {
  const [first] = readList(await readDocument(path, 'index.json', signal), 'manifests') ?? []
  const manifest = await readDocument(path, toBlobName(first), signal)
  return readList(manifest, 'layers')?.map(toBlobName)
}

function toBlobName(descriptor: unknown): string {
  const digest = readField(descriptor, 'digest')
  if (!isDigest(digest)) throw badArchive('it holds no image')
  return `blobs/sha256/${digest.slice('sha256:'.length)}`
}

function readField(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? new Map(Object.entries(value)).get(key) : undefined
}

function readList(value: unknown, key: string): readonly unknown[] | undefined {
  const list = readField(value, key)
  return Array.isArray(list) ? list : undefined
}

/** A JSON document of the archive; undefined where it has none of this name. */
async function readDocument(path: string, name: string, signal: AbortSignal): Promise<unknown> {
  for await (const member of readMembers(path, signal)) {
    if (!isMember(member, name)) continue
    if (member.sizeBytes > MAX_DOCUMENT_BYTES) throw badArchive('its manifest is too large')
    const pieces: Uint8Array[] = []
    for await (const piece of member.content) pieces.push(piece)
    try {
      return JSON.parse(Buffer.concat(pieces).toString('utf8'))
    } catch {
      throw badArchive('its manifest is not JSON')
    }
  }
  return undefined
}

/** Copies a member to a file of its own, and checks it where its name is its digest. @returns its size */
async function copyMember(
  path: string,
  name: string,
  { layer, signal }: { readonly layer: string; readonly signal: AbortSignal },
): Promise<number> {
  for await (const member of readMembers(path, signal)) {
    if (!isMember(member, name)) continue
    const { size } = await stat(path)
    if (member.sizeBytes > Math.max(RATIO_FREE_BYTES, size * MAX_RATIO))
      throw badArchive('it unpacks to far more than it is')
    const hash = createHash('sha256')
    const hashed = async function* (): AsyncGenerator<Uint8Array> {
      for await (const piece of member.content) {
        hash.update(piece)
        yield piece
      }
    }
    try {
      await pipeline(Readable.from(hashed(), { objectMode: false }), createWriteStream(layer), { signal })
    } catch (error) {
      signal.throwIfAborted()
      throw error instanceof Error && 'kind' in error ? error : toFileError(error, 'written', layer)
    }
    const expected = /^blobs\/sha256\/([0-9a-f]{64})$/.exec(name)?.[1]
    if (expected !== undefined && hash.digest('hex') !== expected) throw badArchive('a layer does not have its digest')
    return member.sizeBytes
  }
  throw badArchive('a layer of its image is missing')
}

function readMembers(path: string, signal: AbortSignal): AsyncIterable<TarMember> {
  return readTar(readDecompressed(path, { signal }))
}

function isMember({ name, kind }: TarMember, wanted: string): boolean {
  return kind === 'file' && name.replace(/^\.\//, '') === wanted
}
