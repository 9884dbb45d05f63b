import { constants, createReadStream, type Dirent } from 'node:fs'
import { type FileHandle, open, readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { readSystemCode, toFileError } from '../../files/file-error.ts'
import type { ServerReply } from '../../http/messages.ts'
import { waitForDrain } from '../../http/reply-writer.ts'
import { parseRange } from './content-range.ts'
import type { FilePlace } from './file-keys.ts'
import { checkInside } from './file-keys.ts'
import { badRequest, notFound, tooLarge } from './refusals.ts'
import { SIDECARS } from './stored-files.ts'

const PIECE_BYTES = 256 * 1024
const STALL_MS = 60_000
const MAX_LISTED = 20_000
const HIDDEN = [SIDECARS.part, SIDECARS.target]

/** Sends a file, or one piece of it. */
export async function sendFile(
  place: FilePlace,
  outgoing: ServerReply,
  { range: header }: { readonly range: string | undefined },
): Promise<void> {
  await checkInside(place)
  const file = await openFile(place.path)
  try {
    const found = await file.stat()
    if (!found.isFile()) throw badRequest('the key names a directory')
    const range = parseRange(header, found.size)
    if (range === 'outside') {
      outgoing.writeHead(416, { 'Content-Range': `bytes */${found.size}`, 'Content-Length': 0 }).end()
      return
    }
    const { start, end } = range ?? { start: 0, end: found.size - 1 }
    outgoing.writeHead(range === undefined ? 200 : 206, {
      'Content-Type': 'application/octet-stream',
      'Content-Length': end - start + 1,
      'Accept-Ranges': 'bytes',
      ...(range === undefined ? {} : { 'Content-Range': `bytes ${start}-${end}/${found.size}` }),
    })
    if (end < start) outgoing.end()
    else await sendPieces(file, outgoing, { start, end })
  } finally {
    await file.close()
  }
}

async function sendPieces(
  file: FileHandle,
  outgoing: ServerReply,
  { start, end }: { readonly start: number; readonly end: number },
): Promise<void> {
  let sent = 0
  const options = { start, end, highWaterMark: PIECE_BYTES, autoClose: false, fd: file }
  for await (const piece of createReadStream('', options)) {
    if (outgoing.destroyed) return
    sent += (piece as Buffer).length
    if (!outgoing.write(piece as Buffer)) await waitForDrain(outgoing, STALL_MS)
  }
  // A file that has become shorter: the client must not take it for whole.
  if (sent === end - start + 1) outgoing.end()
  else outgoing.destroy()
}

async function openFile(path: string): Promise<FileHandle> {
  return open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch((error: unknown) => {
    const code = readSystemCode(error) ?? ''
    if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(code)) throw notFound()
    throw toFileError(error, 'read', path)
  })
}

/** Lists the regular files below a folder, relative to it, with `/`. @throws {SvcError} `not_found`, `too_large` */
export async function listFolder(place: FilePlace): Promise<readonly string[]> {
  await checkInside(place)
  const files: string[] = []
  const waiting = [place.path]
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const entries: Dirent[] = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
      if (folder === place.path)
        throw readSystemCode(error) === 'EACCES' ? toFileError(error, 'read', folder) : notFound()
      return []
    })
    for (const entry of entries) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) waiting.push(path)
      else if (entry.isFile() && !HIDDEN.some((end) => entry.name.endsWith(end))) {
        files.push(relative(place.path, path).split(sep).join('/'))
      }
    }
    if (files.length + waiting.length > MAX_LISTED) throw tooLarge('the folder has too many files')
  }
  return files.sort()
}
