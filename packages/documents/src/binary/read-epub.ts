import { DocumentError } from '../errors.ts'
import { decodeText } from '../extract/decode-text.ts'
import { readHtml } from '../extract/read-html.ts'
import { createTextPieces } from '../extract/text-pieces.ts'
import { BINARY_LIMITS } from './limits.ts'
import { openZip, type ZipArchive } from './open-zip.ts'
import { resolvePath } from './relations.ts'
import { walkXml } from './walk-xml.ts'

/** Reads an EPUB book: its chapters in the order of reading. */
export async function readEpub(bytes: Uint8Array, signal: AbortSignal): Promise<string> {
  const zip = openZip(bytes)
  const chapters = await listChapters(zip, signal)
  const encrypted = await listEncrypted(zip, signal)
  const pieces = createTextPieces(BINARY_LIMITS.characters)
  for (const chapter of chapters) {
    if (encrypted.has(chapter)) throw new DocumentError('invalid_document', 'the book is encrypted')
    const text = await readHtml(await decodeText(zip.readWhole(chapter), signal), signal)
    if (text !== '') pieces.add(pieces.isEmpty ? text : `\n\n${text}`)
  }
  return pieces.join()
}

async function listChapters(zip: ZipArchive, signal: AbortSignal): Promise<readonly string[]> {
  let main: string | undefined
  const findMain = {
    open(name: string, attributes: ReadonlyMap<string, string>) {
      if (name === 'rootfile') main ??= attributes.get('full-path')
    },
  }
  const container = [zip.readWhole('META-INF/container.xml')]
  await walkXml(container, findMain, { attributes: ['full-path'], signal })
  if (main === undefined) throw new DocumentError('invalid_document', 'the book names no package document')
  const folder = main.slice(0, main.lastIndexOf('/') + 1)
  const items = new Map<string, string>()
  const chapters: string[] = []
  const readPackage = {
    open(name: string, attributes: ReadonlyMap<string, string>) {
      if (name === 'item') {
        const path = resolvePath(folder, decodePath(attributes.get('href') ?? ''))
        const isPage = /html/iu.test(attributes.get('media-type') ?? '')
        if (isPage) items.set(attributes.get('id') ?? '', path)
      }
      const path = name === 'itemref' ? items.get(attributes.get('idref') ?? '') : undefined
      if (path !== undefined && zip.has(path)) chapters.push(path)
    },
  }
  const attributes = ['id', 'href', 'media-type', 'idref']
  await walkXml([zip.readWhole(main)], readPackage, { attributes, signal })
  if (chapters.length === 0) throw new DocumentError('invalid_document', 'the book has no chapters')
  return chapters
}

/** Lists the parts that are encrypted. Fonts often are, in books that can be read. */
async function listEncrypted(zip: ZipArchive, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const list = 'META-INF/encryption.xml'
  const paths = new Set<string>()
  if (!zip.has(list)) return paths
  const visitor = {
    open(name: string, attributes: ReadonlyMap<string, string>) {
      if (name === 'CipherReference') paths.add(resolvePath('', decodePath(attributes.get('URI') ?? '')))
    },
  }
  await walkXml([zip.readWhole(list)], visitor, { attributes: ['URI'], signal })
  return paths
}

function decodePath(path: string): string {
  const [place = ''] = path.split('#')
  try {
    return decodeURIComponent(place)
  } catch {
    return place
  }
}
