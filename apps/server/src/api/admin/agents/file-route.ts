import { constants } from 'node:fs'
import { type FileHandle, lstat, open as openFile, readdir, realpath } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import { SvcError } from '@svc/errors'
import { readSystemCode } from '../../../files/file-error.ts'
import { toFileName } from '../../../files/safe-path.ts'
import type { CompressionPolicy } from '../../../http/compression.ts'
import { ALREADY_SENT } from '../../../http/http-reply.ts'
import { json } from '../../../http/json.ts'
import { createReplyWriter } from '../../../http/reply-writer.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import { writeContent } from '../../../inference/replies/content.ts'
import { AGENT_ROUTE } from './read-form.ts'
import type { AgentRouteParts } from './task-routes.ts'

const MAX_ENTRIES = 1000

/** `GET /api/agents/:name/files`: the folder of an agent, and the files in it (§4.7). */
export function fileRoute({
  open,
  folder,
  compression,
}: Pick<AgentRouteParts, 'open'> & { readonly folder: string; readonly compression: CompressionPolicy }): Route {
  return defineRoute({
    ...AGENT_ROUTE,
    method: 'GET',
    path: '/api/agents/:name/files',
    summary: 'A file of the folder of an agent, or the list of a folder in it',
    query: async () => (await import('./schemas.ts')).fileQuery,
    responses: {
      200: { description: 'The file, or the list of the folder.', contentType: '*/*' },
      403: { description: 'The path leads out of the folder.' },
      404: { description: 'There is no such agent or file.' },
    },
    async handler(call) {
      const { name } = await (await open()).agents.get(call.param('name'))
      const path = call.query('path') ?? ''
      const target = await findInside(join(folder, toFileName(name)), path)
      if (target === undefined) {
        if (path === '') return json({ files: [] })
        throw noFile()
      }
      if ((await lstat(target)).isDirectory()) return json({ files: await listFolder(target) })
      const file = await openFile(target, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
      try {
        // Tools may have put a link on the way meanwhile.
        if ((await realpath(target).catch(() => '')) !== target) throw outside()
        await writeContent(createReplyWriter(call, { compression }), await toContent(file), { request: call })
      } finally {
        await file.close().catch(() => undefined)
      }
      return ALREADY_SENT
    },
  })
}

async function toContent(file: FileHandle) {
  const facts = await file.stat()
  if (!facts.isFile()) throw outside()
  return {
    mediaType: 'application/octet-stream',
    length: facts.size,
    headers: { 'content-disposition': 'attachment', 'x-content-type-options': 'nosniff' },
    read: () => file.createReadStream({ autoClose: false, end: Math.max(0, facts.size - 1) }),
  }
}

/**
 * Gives the real place of a path; undefined when there is nothing.
 *
 * @throws {SvcError} `forbidden` when the path, or a link on it, leads out of the folder
 */
async function findInside(root: string, path: string): Promise<string | undefined> {
  if (path.includes('\0')) throw outside()
  const named = resolve(root, path)
  if (!isInside(root, named)) throw outside()
  try {
    const [realRoot, real] = [await realpath(root), await realpath(named)]
    if (!isInside(realRoot, real)) throw outside()
    return real
  } catch (error) {
    const code = readSystemCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw code === undefined ? error : outside()
  }
}

function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep)
}

async function listFolder(folder: string): Promise<object[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const shown = entries.filter((entry) => entry.isFile() || entry.isDirectory()).slice(0, MAX_ENTRIES)
  return Promise.all(
    shown.map(async (entry) => ({
      name: entry.name,
      type: entry.isDirectory() ? 'folder' : 'file',
      // Tools may remove files meanwhile.
      size: entry.isFile()
        ? await lstat(join(folder, entry.name)).then(
            ({ size }) => size,
            () => 0,
          )
        : 0,
    })),
  )
}

function outside(): SvcError {
  return new SvcError('forbidden', 'the path leads out of the folder of the agent', { code: 'outside_folder' })
}

function noFile(): SvcError {
  return new SvcError('not_found', 'there is no such file', { code: 'file_not_found' })
}
