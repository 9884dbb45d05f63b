import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import path from 'node:path'
import { GgufError, type GgufHeader, readGgufHeader } from '@svc/gguf'
import { ModelFileError } from '../errors.ts'

const PART = /^(.*-)(\d{5})-of-(\d{5})(\.gguf)$/
const MAX_PARTS = 1024
/** Errors of the file system, in words that name no folder. */
const FILE_ERRORS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'no such file'],
  ['EACCES', 'permission denied'],
  ['EISDIR', 'is a folder'],
  ['ENOTDIR', 'no such file'],
])

/**
 * Checks a model file, including all parts of a split one, before the engine opens it.
 *
 * @returns the header of the named file @throws ModelFileError with the name of the file at fault, without its folder
 */
export function checkModelFiles(file: string): GgufHeader {
  const header = checkFile(file)
  for (const part of otherParts(file)) checkFile(part)
  return header
}

function checkFile(file: string): GgufHeader {
  try {
    return readHeader(file)
  } catch (error) {
    throw new ModelFileError(`${path.basename(file)}: ${describe(error)}`, { cause: error })
  }
}

function readHeader(file: string): GgufHeader {
  const descriptor = openSync(file, 'r')
  try {
    const sizeBytes = fstatSync(descriptor).size
    const read = (position: number, length: number): Uint8Array => {
      const bytes = Buffer.allocUnsafe(length)
      return bytes.subarray(0, readSync(descriptor, bytes, 0, length, position))
    }
    return readGgufHeader({ sizeBytes, read }, { strict: true })
  } finally {
    closeSync(descriptor)
  }
}

function describe(error: unknown): string {
  if (error instanceof GgufError) return error.message
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return FILE_ERRORS.get(code) ?? 'cannot be read'
}

/** Files `…-00002-of-00003.gguf` and so on; the engine opens them itself when given the first. */
function otherParts(file: string): string[] {
  const match = PART.exec(path.basename(file))
  if (match === null) return []
  const [, stem = '', own = '', total = '', extension = ''] = match
  if (Number(total) > MAX_PARTS) throw new ModelFileError(`${path.basename(file)}: too many parts`)
  const numbers = Array.from({ length: Number(total) }, (_, index) => String(index + 1).padStart(5, '0'))
  const names = numbers.filter((number) => number !== own).map((number) => `${stem}${number}-of-${total}${extension}`)
  return names.map((name) => path.join(path.dirname(file), name))
}
