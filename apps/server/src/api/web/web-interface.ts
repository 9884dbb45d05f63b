import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import { SvcError } from '@svc/errors'
import { type Call, pathPrefix } from '../../http/call.ts'
import type { CompressionPolicy } from '../../http/compression.ts'
import { computeTag, hasCopy, toEntityTag } from '../../http/entity-tag.ts'
import { HttpReply } from '../../http/http-reply.ts'
import { chooseCoding } from './negotiate.ts'
import { WEB_HEADERS } from './web-headers.ts'
import { BASE_TAG, CODED_NAMES, CODINGS, type Coding, LIST_FILE, type WebFile, type WebList } from './web-list.ts'

/** Largest number of prefixes with a kept page. A server has fewer prefixes at a time. */
const MAX_PAGES = 16

/** A text in the forms in which it is sent. */
interface Page {
  readonly etag: string
  readonly bodies: Readonly<Record<Coding | 'plain', Buffer>>
}

/** A packed web interface. */
export interface WebInterface {
  /** Answers with the page, for the prefix under which the client sees the server. */
  servePage(call: Call): Promise<HttpReply>
  /** Answers with the file of a path below the root; undefined where the list has none. */
  serveFile(call: Call, path: string): Promise<HttpReply | undefined>
}

/**
 * Opens a folder that was packed. A request is answered by a look into its list: no path of a client reaches the disk.
 *
 * @throws {SvcError} `internal` when the list or the page cannot be read
 */
export async function openWebInterface(folder: string, compression: CompressionPolicy): Promise<WebInterface> {
  const { files, index } = await readFolder(folder)
  const pages = new Map<string, Promise<Page>>()
  /** Every client gets the same bytes; the list bounds them. */
  const contents = new Map<string, Promise<Buffer>>()

  function findPage(prefix: string): Promise<Page> {
    const known = pages.get(prefix)
    if (known !== undefined) return known
    const [oldest] = pages.keys()
    if (pages.size >= MAX_PAGES && oldest !== undefined) pages.delete(oldest)
    const page = makePage(index, prefix)
    pages.set(prefix, page)
    return page
  }

  function readContent(name: string): Promise<Buffer> {
    const known = contents.get(name)
    if (known !== undefined) return known
    const content = readFile(join(folder, name))
    contents.set(name, content)
    content.catch(() => contents.delete(name))
    return content
  }

  const choose = (call: Call, stored: readonly Coding[]): Coding | undefined =>
    compression.enabled ? chooseCoding(call.header('accept-encoding'), stored) : undefined

  return {
    async servePage(call) {
      const page = await findPage(`${pathPrefix(call)}/`.replace(/\/{2,}/g, '/'))
      const caching = { etag: page.etag, 'cache-control': 'no-cache' }
      if (hasCopy(call.header('if-none-match'), page.etag)) return notModified(call, caching)
      const coding = choose(call, CODINGS)
      return reply(page.bodies[coding ?? 'plain'], { type: 'text/html; charset=utf-8', coding, caching })
    },
    async serveFile(call, path) {
      const file = Object.hasOwn(files, path) ? files[path] : undefined
      if (file === undefined || path === 'index.html') return undefined
      const caching = {
        etag: toEntityTag(file.tag),
        'cache-control': file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
      }
      if (hasCopy(call.header('if-none-match'), caching.etag)) return notModified(call, caching)
      const coding = choose(call, file.codings)
      const body = await readContent(coding === undefined ? path : `${path}${CODED_NAMES[coding]}`)
      return reply(body, { type: file.type, coding, caching })
    },
  }
}

interface Caching extends Readonly<Record<string, string>> {
  readonly etag: string
  readonly 'cache-control': string
}

function reply(
  body: Buffer,
  { type, coding, caching }: { readonly type: string; readonly coding: Coding | undefined; readonly caching: Caching },
): HttpReply {
  const headers = { 'content-type': type, ...caching, ...WEB_HEADERS }
  return new HttpReply(body, { headers: coding === undefined ? headers : { ...headers, 'content-encoding': coding } })
}

function notModified(call: Call, caching: Caching): HttpReply {
  call.outgoing.appendHeader('Vary', 'Accept-Encoding')
  return new HttpReply(null, { status: 304, headers: { ...caching, ...WEB_HEADERS } })
}

async function readFolder(folder: string): Promise<{ readonly files: WebList; readonly index: string }> {
  try {
    const [list, index] = await Promise.all(
      [LIST_FILE, 'index.html'].map((name) => readFile(join(folder, name), 'utf8')),
    )
    const files = new Map<string, WebFile>(Object.entries(JSON.parse(list ?? '')))
    return { files: Object.fromEntries(files), index: index ?? '' }
  } catch (cause) {
    throw new SvcError('internal', 'the web interface cannot be read', { code: 'web_interface_unreadable', cause })
  }
}

/** Makes the page for a prefix with a slash at its end. */
async function makePage(index: string, prefix: string): Promise<Page> {
  const escaped = prefix.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
  const plain = Buffer.from(index.replace(BASE_TAG, () => `<base href="${escaped}">`))
  const [br, zipped] = await Promise.all([promisify(brotliCompress)(plain), promisify(gzip)(plain)])
  return { etag: toEntityTag(computeTag(plain)), bodies: { plain, br, gzip: zipped } }
}
