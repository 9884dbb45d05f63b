/**
 * Corpora as files: the only entry of the package that needs Node.
 *
 * @module
 */
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { checkArgument } from '@svc/errors'
import type { CorpusLine, CorpusStore } from './corpus/ports.ts'
import { hashText } from './sha256.ts'

/** The longest line that is read, in bytes. */
const MAX_LINE_BYTES = 16 * 1024 * 1024
const READ_BYTES = 256 * 1024
const LINES_PER_WRITE = 64
const LINE_FEED = 0x0a
const FILE_MODE = 0o640
const FOLDER_MODE = 0o750
/** Characters of a name that can be read in the name of its file. */
const READABLE_LENGTH = 80

/**
 * Keeps each corpus in one file of a folder, which is made when something is written. Files are named by the corpus,
 * with a hash that keeps apart names which a file system would take for one.
 */
export function createCorpusFiles(options: { readonly folder: string }): CorpusStore {
  const { folder } = options ?? {}
  // The path '' would be the working folder.
  checkArgument(
    typeof folder === 'string' && folder !== '',
    'createCorpusFiles: folder',
    'the path of a folder',
    folder,
  )
  const find = (name: string) => join(folder, writeFileName(name))
  return {
    async *read(name, { signal }) {
      const file = await openToRead(find(name))
      if (file === undefined) return
      try {
        yield* readLines(file, signal)
      } finally {
        await file.close()
      }
    },
    async append(name, lines, { signal }) {
      signal.throwIfAborted()
      await mkdir(folder, { recursive: true, mode: FOLDER_MODE })
      // Appending mode would write behind a torn line; this one makes the file where there is none.
      const path = find(name)
      const present = await openToRead(path)
      await present?.close()
      const file = await open(path, present === undefined ? 'w+' : 'r+', FILE_MODE)
      try {
        await appendLines(file, lines)
      } finally {
        await file.close()
      }
      if (present === undefined) await syncFolder(folder)
    },
    async replace(name, lines, { signal }) {
      signal.throwIfAborted()
      await mkdir(folder, { recursive: true, mode: FOLDER_MODE })
      const path = find(name)
      const temporary = `${path}.new`
      try {
        await writeLines(temporary, lines, signal)
        await rename(temporary, path)
      } catch (error) {
        await rm(temporary, { force: true })
        throw error
      }
      await syncFolder(folder)
    },
    async remove(name, { signal }) {
      signal.throwIfAborted()
      await rm(find(name), { force: true })
      await rm(`${find(name)}.new`, { force: true })
    },
  }
}

function writeFileName(name: string): string {
  const readable = name.slice(0, READABLE_LENGTH).replace(/[^A-Za-z0-9._-]/g, '_')
  return `${readable}-${hashText(name).slice(0, 32)}.jsonl`
}

async function openToRead(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

async function* readLines(file: FileHandle, signal: AbortSignal): AsyncGenerator<CorpusLine, void, undefined> {
  const decoder = new TextDecoder()
  let pieces: Uint8Array[] = []
  let size = 0
  let number = 1
  const keep = (piece: Uint8Array) => {
    size += piece.length
    if (size <= MAX_LINE_BYTES) pieces.push(piece)
    else pieces = []
  }
  const take = (isTorn: boolean): CorpusLine => {
    const text = size > MAX_LINE_BYTES ? undefined : decoder.decode(Buffer.concat(pieces))
    pieces = []
    size = 0
    return { number: number++, text, isTorn }
  }
  for (;;) {
    signal.throwIfAborted()
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(READ_BYTES), 0, READ_BYTES)
    if (bytesRead === 0) break
    let start = 0
    for (;;) {
      const end = buffer.subarray(0, bytesRead).indexOf(LINE_FEED, start)
      if (end < 0) break
      keep(buffer.subarray(start, end))
      yield take(false)
      start = end + 1
    }
    if (start < bytesRead) keep(buffer.subarray(start, bytesRead))
  }
  if (size > 0) yield take(true)
}

async function writeLines(path: string, lines: AsyncIterable<string>, signal: AbortSignal): Promise<void> {
  const file = await open(path, 'w', FILE_MODE)
  try {
    for await (const line of lines) {
      signal.throwIfAborted()
      await file.appendFile(`${line}\n`)
    }
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Writes behind the last whole line. Nothing of a write that fails stays. */
async function appendLines(file: FileHandle, lines: readonly string[]): Promise<void> {
  const end = await findEnd(file)
  try {
    await file.truncate(end)
    let position = end
    for (let first = 0; first < lines.length; first += LINES_PER_WRITE) {
      const batch = lines.slice(first, first + LINES_PER_WRITE)
      position += await writeWhole(file, Buffer.from(batch.map((line) => `${line}\n`).join('')), position)
    }
    await file.sync()
  } catch (error) {
    await file.truncate(end)
    throw error
  }
}

async function writeWhole(file: FileHandle, bytes: Buffer, position: number): Promise<number> {
  for (let written = 0; written < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, written, bytes.length - written, position + written)
    written += bytesWritten
  }
  return bytes.length
}

/** The offset behind the last line end. */
async function findEnd(file: FileHandle): Promise<number> {
  const buffer = Buffer.allocUnsafe(READ_BYTES)
  for (let end = (await file.stat()).size; end > 0; ) {
    const start = Math.max(0, end - READ_BYTES)
    const { bytesRead } = await file.read(buffer, 0, end - start, start)
    const last = buffer.subarray(0, bytesRead).lastIndexOf(LINE_FEED)
    if (last >= 0) return start + last + 1
    end = start
  }
  return 0
}

/** Makes the names of new files outlive a crash. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
