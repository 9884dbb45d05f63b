import { type FileHandle, open } from 'node:fs/promises'
import type { Header } from '@svc/http-client'
import { mapConcurrently } from '../../inference/operations/map-concurrently.ts'
import { type PersistOptions, persist } from './persist.ts'
import type { SendToStorage, StorageCall } from './storage-call.ts'
import { readHeader, readTag, readText, storageAway, storageRefused, toFailure } from './storage-errors.ts'

/** A storage takes no more parts than these. */
const MAX_PARTS = 10_000
const PART_BYTES = 8 * 1024 * 1024
/** Parts are held in memory: 256 MiB at most. */
const MAX_PART_BYTES = 64 * 1024 * 1024
const PARTS_AT_ONCE = 4
/** For one part, milliseconds: 70 KB/s of 8 MiB. */
const PART_MS = 120_000
const CALL_MS = 60_000
const ABORT_MS = 10_000
/** The name under which an object keeps its hash. */
export const HASH_HEADER = 'x-amz-meta-sha256'

/** A file to store. */
export interface ObjectSource {
  readonly path: string
  readonly sizeBytes: number
  /** 64 hexadecimal digits; kept with the object. */
  readonly sha256: string
}

/** Options of {@link putObject}. */
export interface PutOptions extends PersistOptions {
  readonly send: SendToStorage
  /** Called with the bytes that are stored. */
  readonly onProgress: (bytes: number) => void
}

/** Stores a file, in parts where it is large. An upload that fails leaves nothing. @throws as `ObjectStorage.put` */
export async function putObject(key: string, source: ObjectSource, options: PutOptions): Promise<void> {
  const file = await open(source.path, 'r').catch((error: unknown) => {
    throw storageRefused('the file cannot be read', error)
  })
  try {
    if (source.sizeBytes <= PART_BYTES) await putWhole(key, source, file, options)
    else await putParts(key, source, file, options)
    const { size } = await file.stat()
    if (size !== source.sizeBytes) throw storageRefused('the file changed while it was stored')
  } finally {
    await file.close()
  }
}

const toMetadata = ({ sha256 }: ObjectSource): readonly Header[] => [
  ['content-type', 'application/octet-stream'],
  [HASH_HEADER, sha256],
]

async function putWhole(key: string, source: ObjectSource, file: FileHandle, options: PutOptions): Promise<void> {
  const body = await readPart(file, 0, source.sizeBytes)
  const call = { method: 'PUT', key, headers: toMetadata(source), body, timeoutMs: PART_MS } as const
  await persist(() => sendOnce(call, options), options)
  options.onProgress(source.sizeBytes)
}

/** @returns the text of the reply, and a header */
async function sendOnce(
  call: StorageCall,
  { send, signal }: Pick<PutOptions, 'send' | 'signal'>,
  header = 'etag',
): Promise<{ readonly text: string; readonly header: string | undefined }> {
  const outcome = await send(call, signal)
  if (!outcome.isSuccess) throw outcome.error
  return { text: await readText(outcome.reply), header: readHeader(outcome.reply, header) }
}

async function putParts(key: string, source: ObjectSource, file: FileHandle, options: PutOptions): Promise<void> {
  const partBytes = Math.max(PART_BYTES, Math.ceil(source.sizeBytes / MAX_PARTS))
  if (partBytes > MAX_PART_BYTES) throw storageRefused('the file is larger than 625 GiB')
  const begin = { method: 'POST', key, query: 'uploads=', headers: toMetadata(source), timeoutMs: CALL_MS } as const
  const id = readTag((await persist(() => sendOnce(begin, options), options)).text, 'UploadId')
  if (id === undefined) throw storageRefused('it gave no id of an upload')
  const upload = `uploadId=${encodeURIComponent(id)}`
  try {
    const tags = await sendParts({ key, upload, source, file, partBytes }, options)
    await persist(() => complete({ key, upload, tags, source }, options), options)
  } catch (error) {
    await abortUpload({ key, upload }, options)
    throw error
  }
}

interface Upload {
  readonly key: string
  /** The query that names it. */
  readonly upload: string
}

async function sendParts(
  { key, upload, source, file, partBytes }: Upload & { source: ObjectSource; file: FileHandle; partBytes: number },
  options: PutOptions,
): Promise<readonly string[]> {
  const numbers = Array.from({ length: Math.ceil(source.sizeBytes / partBytes) }, (_, index) => index)
  const limit = partBytes > PART_BYTES ? 2 : PARTS_AT_ONCE
  let stored = 0
  return mapConcurrently(numbers, { limit, signal: options.signal }, async (index, { signal }) => {
    const start = index * partBytes
    const body = await readPart(file, start, Math.min(partBytes, source.sizeBytes - start))
    const query = `partNumber=${index + 1}&${upload}`
    const call = { method: 'PUT', key, query, body, timeoutMs: PART_MS } as const
    const { header: tag } = await persist(() => sendOnce(call, { ...options, signal }), { ...options, signal })
    if (tag === undefined) throw storageRefused('it gave no tag of a part')
    stored += body.length
    options.onProgress(stored)
    return tag
  })
}

/** A reply of status 200 may tell a failure, because it began before the end of the work. */
async function complete(
  { key, upload, tags, source }: Upload & { tags: readonly string[]; source: ObjectSource },
  options: PutOptions,
): Promise<void> {
  const parts = tags.map((tag, index) => {
    const text = tag.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
    return `<Part><PartNumber>${index + 1}</PartNumber><ETag>${text}</ETag></Part>`
  })
  const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`)
  const outcome = await options.send(
    { method: 'POST', key, query: upload, headers: [['content-type', 'application/xml']], body, timeoutMs: PART_MS },
    options.signal,
  )
  // Either the reply of an earlier try was lost and the upload is complete, or a rule of the bucket has ended it.
  if (!outcome.isSuccess && outcome.code === 'NoSuchUpload' && (await isStored(key, source, options))) return
  if (!outcome.isSuccess) throw outcome.error
  const text = await readText(outcome.reply)
  if (/<Error[\s>]/.test(text)) throw toFailure(200, text).error
  if (!text.includes('<CompleteMultipartUploadResult')) throw storageAway('its reply ended before it was complete')
}

async function isStored(key: string, { sha256, sizeBytes }: ObjectSource, { send, signal }: PutOptions) {
  const outcome = await send({ method: 'HEAD', key, timeoutMs: CALL_MS }, signal)
  if (!outcome.isSuccess) return false
  const { reply } = outcome
  await readText(reply)
  return readHeader(reply, HASH_HEADER) === sha256 && Number(readHeader(reply, 'content-length')) === sizeBytes
}

/** Parts of an upload that is given up would be kept, and cost. */
async function abortUpload({ key, upload }: Upload, { send }: PutOptions): Promise<void> {
  try {
    const call = { method: 'DELETE', key, query: upload, timeoutMs: ABORT_MS } as const
    await sendOnce(call, { send, signal: AbortSignal.timeout(ABORT_MS) })
  } catch {
    // A rule of the bucket for incomplete uploads removes it.
  }
}

async function readPart(file: FileHandle, start: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length)
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(buffer, done, length - done, start + done)
    if (bytesRead === 0) throw storageRefused('the file became shorter while it was stored')
    done += bytesRead
  }
  return buffer
}
