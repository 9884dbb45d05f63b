import { randomUUID } from 'node:crypto'
import { open, readFile, rename, rm, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { SvcError } from '@svc/errors'
import type { FormFile } from './service/multipart.ts'

/** The largest file that is sent, in bytes. */
const MAX_INPUT_BYTES = 256 * 1024 * 1024

/**
 * A file of the host's.
 *
 * @throws {SvcError} `invalid_request`, code `input_file`, when it is not there, no file or too large; the message names no path
 */
export async function readInput(path: string): Promise<FormFile> {
  try {
    const found = await stat(path)
    if (!found.isFile()) throw badInput('the input is no file')
    if (found.size > MAX_INPUT_BYTES) throw badInput(`the input file is larger than ${MAX_INPUT_BYTES} bytes`)
    return { bytes: await readFile(path), name: basename(path) }
  } catch (error) {
    if (SvcError.is(error)) throw error
    throw badInput('the input file cannot be read', error)
  }
}

/** Text of the contract that is base64 or the path of a file, as base64. */
export async function toBase64(text: string): Promise<string> {
  if (text === '') return ''
  const data = /^data:[^,]*;base64,/.exec(text)
  if (data !== null) return text.slice(data[0].length)
  return isPath(text) ? Buffer.from((await readInput(text)).bytes).toString('base64') : text
}

/** How the bytes of pictures begin, as base64. */
const MEDIA_TYPES = [
  ['/9j/', 'image/jpeg'],
  ['R0lG', 'image/gif'],
  ['UklG', 'image/webp'],
] as const

/** The same as a data URI. */
export async function toDataUrl(text: string): Promise<string> {
  if (text.startsWith('data:')) return text
  const data = await toBase64(text)
  const type = MEDIA_TYPES.find(([head]) => data.startsWith(head))?.[1] ?? 'image/png'
  return `data:${type};base64,${data}`
}

/** Base64 of a JPEG begins with a slash too, but is long and has no dot. */
function isPath(text: string): boolean {
  if (text.length > 4096) return false
  return /^(?:\/(?!9j\/)|\.{1,2}\/|[A-Za-z]:[\\/])/.test(text) || text.includes('.')
}

/** The part of an open file that an output needs. */
interface OutputFile {
  writeFile(piece: Uint8Array): Promise<void>
  close(): Promise<void>
}

/** The calls that writing an output makes, so that a test can fail each of them. */
export interface OutputDisk {
  open(path: string, flags: string, mode: number): Promise<OutputFile>
  rename(from: string, to: string): Promise<void>
}

/**
 * Writes a file of the host's: whole, or not at all.
 *
 * @throws {SvcError} `invalid_request`, code `input_file`, without a path; `insufficient_storage`, code `disk_full`;
 *   `internal`, code `file_failed`, for a folder that cannot be written to and the like; what the body fails with
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
      for await (const piece of body) await written(file.writeFile(piece))
    } finally {
      // Some file systems tell only here that there is no room.
      await written(file.close())
    }
    await written(disk.rename(partial, path))
  } catch (error) {
    await rm(partial, { force: true }).catch(() => undefined)
    throw error
  }
}

/** What a call to the system gives; its failure is the host's, and never that of who asked. */
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

function badInput(message: string, cause?: unknown): SvcError {
  return new SvcError('invalid_request', message, { code: 'input_file', cause })
}
