import { DocumentError } from '../errors.ts'
import { createTextFlow, type TextFlow } from '../extract/text-flow.ts'
import { BINARY_LIMITS } from './limits.ts'
import { openZip, type ZipArchive } from './open-zip.ts'
import { walkXml, type XmlAttributes, type XmlVisitor } from './walk-xml.ts'

const MANIFEST = 'META-INF/manifest.xml'
const ATTRIBUTES = ['outline-level', 'c', 'name']
const LEFT_OUT = new Set(['annotation', 'tracked-changes', 'scripts', 'forms', 'note-citation'])

/** Reads an OpenDocument text, spreadsheet or presentation. Headings begin with `#`, items of lists with `-`. */
export async function readOpenDocument(bytes: Uint8Array, signal: AbortSignal): Promise<string> {
  const zip = openZip(bytes)
  if (zip.has(MANIFEST)) await refuseEncrypted(zip, signal)
  const flow = createTextFlow(BINARY_LIMITS.characters)
  const options = { attributes: ATTRIBUTES, leftOut: LEFT_OUT, signal }
  await walkXml(zip.read('content.xml'), createVisitor(flow), options)
  return flow.end()
}

async function refuseEncrypted(zip: ZipArchive, signal: AbortSignal): Promise<void> {
  const visitor: XmlVisitor = {
    open(name) {
      if (name === 'encryption-data') throw new DocumentError('invalid_document', 'the document is encrypted')
    },
  }
  await walkXml([zip.readWhole(MANIFEST)], visitor, { signal })
}

function createVisitor(flow: TextFlow): XmlVisitor {
  let [paragraphs, rows, cells] = [0, 0, 0]

  function openTable(name: string, attributes: XmlAttributes): void {
    if (name === 'table' || name === 'page') {
      flow.paragraph()
      const label = attributes.get('name')
      if (name === 'table' && label !== undefined && rows === 0) {
        flow.mark('# ')
        flow.write(label)
        flow.paragraph()
      }
    } else if (name === 'table-row') {
      rows += 1
      cells = 0
      flow.line()
    } else if (name === 'table-cell') cells += 1
  }

  function openParagraph(name: string, attributes: XmlAttributes): void {
    paragraphs += 1
    if (rows > 0) flow.write(cells > 1 ? ' | ' : ' ')
    else if (name === 'h') {
      flow.paragraph()
      const level = Math.min(6, Math.max(1, Number(attributes.get('outline-level')) || 1))
      flow.mark(`${'#'.repeat(level)} `)
    } else flow.paragraph()
    if (isItem && rows === 0) flow.mark('- ')
    isItem = false
  }
  /** Whether the next paragraph begins an item of a list. */
  let isItem = false

  return {
    open(name, attributes) {
      if (name === 'p' || name === 'h') openParagraph(name, attributes)
      else if (name === 'list-item') isItem = true
      else if (name === 's' || name === 'tab') flow.write(' ')
      else if (name === 'line-break') flow.line()
      else openTable(name, attributes)
    },
    text(text) {
      if (paragraphs > 0) flow.write(text)
    },
    close(name) {
      if (name === 'p' || name === 'h') paragraphs -= 1
      else if (name === 'table-row') rows -= 1
      else if (name === 'table') flow.paragraph()
    },
  }
}
