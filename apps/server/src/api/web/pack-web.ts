import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { computeTag } from '../../http/entity-tag.ts'
import { BASE_TAG, CODED_NAMES, type Coding, LIST_FILE, type WebFile, type WebList } from './web-list.ts'

/** Media types by the ends of names. Files of other types are not packed. */
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
}
const COMPRESSIBLE = new Set(['.css', '.html', '.js', '.json', '.svg', '.txt', '.wasm', '.webmanifest'])
/** Least size of a file that is coded: a smaller coded file saves no packet. */
const MIN_BYTES_TO_COMPRESS = 512
/** The server keeps the files that it has sent in memory. */
const MAX_TOTAL_BYTES = 16 * 1024 * 1024

const FOLDERS = ['assets', 'locales', 'static'] as const
/** Files that a build leaves beside the interface. */
const LEFT_OUT = /(?:\.map$)|^(?:\.vite|licences\.json|THIRD-PARTY-LICENSES\.txt)(?:\/|$)/
const SAFE_PATH = /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*\/)*[A-Za-z0-9_-][A-Za-z0-9._-]*$/
/** The hash that a build puts into a name. */
const HASHED = /-[A-Za-z0-9_-]{8,}\.[a-z0-9]+$/

const coders: Readonly<Record<Coding, (bytes: Uint8Array) => Promise<Buffer>>> = {
  br: (bytes) =>
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION }),
}

/**
 * Packs a built web interface: copies its files, stores texts compressed beside themselves, and writes the list of the
 * files that the server serves. The folder `to` is emptied first.
 *
 * @returns the list
 * @throws {Error} naming a file that cannot be served, or a page without the tag that takes the prefix
 */
export async function packWeb({ from, to }: { readonly from: string; readonly to: string }): Promise<WebList> {
  const names = (await listFiles(from)).filter((name) => !LEFT_OUT.test(name))
  for (const name of names) refuse(name)
  await rm(to, { recursive: true, force: true })
  const files: [string, WebFile][] = []
  let total = 0
  for (const name of names) {
    const bytes = await readFile(join(from, name))
    if (name === 'index.html') checkPage(bytes.toString('utf8'))
    const { file, storedBytes } = await store(name, bytes, to)
    files.push([name, file])
    total += storedBytes
  }
  if (!names.includes('index.html')) throw new Error(`${from} has no index.html`)
  if (total > MAX_TOTAL_BYTES) throw new Error(`the web interface has ${total} bytes, more than ${MAX_TOTAL_BYTES}`)
  const list = Object.fromEntries(files)
  await writeFile(join(to, LIST_FILE), JSON.stringify(list))
  return list
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length).replaceAll('\\', '/').replace(/^\/+/, ''))
    .sort()
}

function refuse(name: string): void {
  const [folder = '', ...rest] = name.split('/')
  const isRoot = rest.length === 0
  const hasPlace = isRoot ? ['index.html', 'favicon.svg'].includes(name) : FOLDERS.some((one) => one === folder)
  if (!hasPlace)
    throw new Error(`${name} has no address: the root serves index.html, favicon.svg, ${FOLDERS.join(', ')}`)
  if (!SAFE_PATH.test(name)) throw new Error(`${name} has characters beyond letters, digits, dot, dash and underscore`)
  if (TYPES[extname(name)] === undefined) throw new Error(`${name} has no media type`)
}

function checkPage(text: string): void {
  if (text.split(BASE_TAG).length !== 2) throw new Error(`index.html must have ${BASE_TAG} once`)
}

async function store(name: string, bytes: Buffer, to: string): Promise<{ file: WebFile; storedBytes: number }> {
  const path = join(to, name)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, bytes)
  let storedBytes = bytes.length
  const codings: Coding[] = []
  // The server writes the prefix into the page and compresses it itself.
  const isCoded = name !== 'index.html' && COMPRESSIBLE.has(extname(name)) && bytes.length >= MIN_BYTES_TO_COMPRESS
  for (const coding of isCoded ? (['br', 'gzip'] as const) : []) {
    const coded = await coders[coding](bytes)
    if (coded.length >= bytes.length) continue
    await writeFile(`${path}${CODED_NAMES[coding]}`, coded)
    codings.push(coding)
    storedBytes += coded.length
  }
  const file: WebFile = {
    type: TYPES[extname(name)] ?? '',
    codings,
    tag: computeTag(bytes),
    immutable: HASHED.test(name) && !name.startsWith('static/'),
  }
  return { file, storedBytes }
}
