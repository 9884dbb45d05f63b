import { randomUUID } from 'node:crypto'
import { open, readFile, rename, rm, stat } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { SvcError } from '@svc/errors'
import { toFields, tryParseJson } from '@svc/proxy/replies'
import type { ImageEdit } from './service/images.ts'
import type { FormFile } from './service/multipart.ts'

/** The largest output file, in bytes. A body without an end would fill the disk. */
const MAX_OUTPUT_BYTES = 4 * 1024 ** 3

/** The largest input file, in bytes. */
const MAX_INPUT_BYTES = 256 * 1024 * 1024

/**
 * Reads a file of the host.
 *
 * @throws {SvcError} `invalid_request`, code `input_file`, when it is missing, not a regular file, or too large; the
 *   message names no path
 */
export async function readInput(path: string): Promise<FormFile> {
  try {
    const found = await stat(path)
    if (!found.isFile()) throw badInput('the input is not a file')
    if (found.size > MAX_INPUT_BYTES) throw badInput(`the input file is larger than ${MAX_INPUT_BYTES} bytes`)
    return { bytes: await readFile(path), name: basename(path) }
  } catch (error) {
    if (SvcError.is(error)) throw error
    throw badInput('the input file cannot be read', error)
  }
}

/** Converts text of the contract, base64 or the path of a file, to base64. */
export async function toBase64(text: string): Promise<string> {
  if (text === '') return ''
  const data = /^data:[^,]*;base64,/.exec(text)
  if (data !== null) return text.slice(data[0].length)
  return isPath(text) ? Buffer.from((await readInput(text)).bytes).toString('base64') : text
}

/**
 * Reads the file of an edit: JSON with an image and its mask in base64. Undefined for any other file, and for text that
 * is not a path.
 */
export async function readEdit(text: string): Promise<ImageEdit | undefined> {
  if (!isPath(text) || extname(text) !== '.json') return undefined
  const { bytes } = await readInput(text)
  const { image, mask_image: mask } = toFields(tryParseJson(Buffer.from(bytes).toString()))
  if (typeof image !== 'string' || typeof mask !== 'string') throw badInput('the file of the edit cannot be read')
  return { image: Buffer.from(image, 'base64'), mask: Buffer.from(mask, 'base64') }
}

/** Media types by the first base64 characters of an image. */
const MEDIA_TYPES = [
  ['/9j/', 'image/jpeg'],
  ['R0lG', 'image/gif'],
  ['UklG', 'image/webp'],
] as const

/** Converts the same to a data URI. */
export async function toDataUrl(text: string): Promise<string> {
  if (text.startsWith('data:')) return text
  const data = await toBase64(text)
  const type = MEDIA_TYPES.find(([head]) => data.startsWith(head))?.[1] ?? 'image/png'
  return `data:${type};base64,${data}`
}

/** The base64 of a JPEG begins with a slash too, but it is long and has no dot. */
function isPath(text: string): boolean {
  if (text.length > 4096) return false
  return /^(?:\/(?!9j\/)|\.{1,2}\/|[A-Za-z]:[\\/])/.test(text) || text.includes('.')
}

/** The part of an open file that writing an output uses. */
interface OutputFile {
  writeFile(piece: Uint8Array): Promise<void>
  close(): Promise<void>
}

/** The file calls of writing an output, so that a test can fail each of them. */
export interface OutputDisk {
  open(path: string, flags: string, mode: number): Promise<OutputFile>
  rename(from: string, to: string): Promise<void>
  /** @default 4 GiB */
  readonly maxBytes?: number | undefined
}

/**
 * Writes a file of the host completely, or not at all.
 *
 * @throws {SvcError} `invalid_request`, code `input_file`, without a path; `insufficient_storage`, code `disk_full`;
 *   `internal`, code `file_failed`, for an unwritable folder and the like, or `upstream_too_large`; errors of the body
 */
export async function writeOutput(
  path: string,
  body: AsyncIterable<Uint8Array>,
  disk: OutputDisk = { open, rename },
): Promise<void> {
  if (path === '') throw badInput('the path of the output file is missing')
  const partial = `${path}.${randomUUID()}.partial`
  const file = await written(disk.open(partial, 'wx', 0o600))
  try {
    try {
      let bytes = 0
      for await (const piece of body) {
        bytes += piece.length
        if (bytes > (disk.maxBytes ?? MAX_OUTPUT_BYTES)) throw tooLarge()
        await written(file.writeFile(piece))
      }
    } finally {
      // Some file systems report a full disk only here.
      await written(file.close())
    }
    await written(disk.rename(partial, path))
  } catch (error) {
    await rm(partial, { force: true }).catch(() => undefined)
    throw error
  }
}

/** Awaits a file call. A failure is the host's fault, never the caller's. */
async function written<Value>(call: Promise<Value>): Promise<Value> {
  try {
    return await call
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOSPC' || code === 'EDQUOT') {
      throw new SvcError('insufficient_storage', 'the output file cannot be written: the disk is full', {
        code: 'disk_full',
        cause: error,
      })
    }
    throw new SvcError('internal', 'the output file cannot be written', { code: 'file_failed', cause: error })
  }
}

function tooLarge(): SvcError {
  return new SvcError('internal', "the upstream's reply is too large", { code: 'upstream_too_large' })
}

function badInput(message: string, cause?: unknown): SvcError {
  return new SvcError('invalid_request', message, { code: 'input_file', cause })
}
