import { basename } from 'node:path'
import { SvcError } from '@svc/errors'
import { type JsonNode, parseJson } from '@svc/json'
import { readSystemCode, toReason } from './file-error.ts'
import { readRegularFile } from './read-regular-file.ts'

/** A problem of a file, without its content and folder. */
export interface FileProblem {
  /** Name without folder. */
  readonly file: string
  /** Counted from 1; absent when the whole file is at fault. */
  readonly line?: number | undefined
  readonly message: string
}

/** Result of reading a file. */
export type JsonFile =
  | { readonly state: 'absent' }
  | { readonly state: 'read'; readonly root: JsonNode }
  | { readonly state: 'unreadable'; readonly problem: FileProblem }

/** Maximum size of a file, 1 MiB. */
export const MAX_JSON_FILE_BYTES = 1024 * 1024
const MAX_DEPTH = 64

/** Formats a problem as one line of a log: `settings.json:3: …`. */
export function describeProblem({ file, line, message }: FileProblem): string {
  return `${file}${line === undefined ? '' : `:${line}`}: ${message}`
}

/** Gives the line of a byte, counted from 1. */
function countLines(bytes: Uint8Array, offset: number): number {
  let line = 1
  for (const byte of bytes.subarray(0, offset)) if (byte === 0x0a) line += 1
  return line
}

/** Gives the line in which a part of a file begins, counted from 1. */
export function findLine(node: JsonNode): number {
  return countLines(node.document.bytes, node.start)
}

/** Reads the content of a small JSON file. @param file its name, for problems */
export function parseJsonFile(bytes: Uint8Array, file: string): JsonFile {
  try {
    return { state: 'read', root: parseJson(bytes, { maxDepth: MAX_DEPTH }).root }
  } catch (error) {
    if (!SvcError.is(error)) throw error
    const offset = error.details?.offset
    const line = typeof offset === 'number' ? countLines(bytes, offset) : undefined
    return { state: 'unreadable', problem: { file, line, message: error.message } }
  }
}

/**
 * Reads a small JSON file of the operator. It follows symbolic links, because orchestrators mount configuration that
 * way. A problem is a value, not a throw: the caller keeps the last good content (REL-13), and nothing is moved or
 * deleted.
 */
export async function readJsonFile(path: string): Promise<JsonFile> {
  const file = basename(path)
  try {
    const bytes = await readRegularFile(path, { maxBytes: MAX_JSON_FILE_BYTES, followsLink: true })
    return typeof bytes === 'string'
      ? { state: 'unreadable', problem: { file, message: bytes } }
      : parseJsonFile(bytes, file)
  } catch (error) {
    if (readSystemCode(error) === 'ENOENT') return { state: 'absent' }
    return { state: 'unreadable', problem: { file, message: `it cannot be read: ${toReason(error)}` } }
  }
}
