import { createTextFlow, type TextFlow } from '../extract/text-flow.ts'
import { createTextPieces } from '../extract/text-pieces.ts'
import { BINARY_LIMITS } from './limits.ts'
import { openZip, type ZipArchive } from './open-zip.ts'
import { findMainPart, readRelations } from './relations.ts'
import { walkXml, type XmlVisitor } from './walk-xml.ts'

/** How words of the Far East are read aloud. */
const LEFT_OUT = new Set(['rPh', 'f'])

/** Reads an Excel workbook: each sheet under its name, a line for each row. Dates are the numbers that the file has. */
export async function readXlsx(bytes: Uint8Array, signal: AbortSignal): Promise<string> {
  const zip = openZip(bytes)
  const main = await findMainPart(zip, 'xl/workbook.xml', signal)
  const relations = await readRelations(zip, main, signal)
  const shared = relations.find(({ type }) => type === 'sharedStrings')?.path
  const strings = shared !== undefined && zip.has(shared) ? await readStrings(zip, shared, signal) : []
  const sheets: { readonly name: string; readonly path: string }[] = []
  const visitor: XmlVisitor = {
    open(name, attributes) {
      if (name !== 'sheet') return
      const path = relations.find(({ id }) => id === attributes.get('id'))?.path
      if (path !== undefined && zip.has(path)) sheets.push({ name: attributes.get('name') ?? '', path })
    },
  }
  await walkXml(zip.read(main), visitor, { attributes: ['name', 'id'], signal })
  const flow = createTextFlow(BINARY_LIMITS.characters)
  for (const { name, path } of sheets) {
    flow.paragraph()
    flow.mark('# ')
    flow.write(name)
    flow.paragraph()
    await walkXml(zip.read(path), createVisitor(flow, strings), { attributes: ['t'], leftOut: LEFT_OUT, signal })
  }
  return flow.end()
}

async function readStrings(zip: ZipArchive, part: string, signal: AbortSignal): Promise<readonly string[]> {
  const strings: string[] = []
  const whole = createTextPieces(BINARY_LIMITS.characters)
  let [text, isText] = ['', false]
  const visitor: XmlVisitor = {
    open(name) {
      if (name === 'si') text = ''
      isText = name === 't'
    },
    text(piece) {
      if (!isText) return
      whole.add(piece)
      text += piece
    },
    close(name) {
      isText = false
      if (name === 'si') strings.push(text)
    },
  }
  await walkXml(zip.read(part), visitor, { leftOut: LEFT_OUT, signal })
  return strings
}

function createVisitor(flow: TextFlow, strings: readonly string[]): XmlVisitor {
  let [type, value, isValue, cells] = ['', '', false, 0]

  function writeCell(): void {
    const text =
      type === 's' ? (strings[Number(value)] ?? '') : type === 'b' ? (value === '1' ? 'true' : 'false') : value
    if (text.trim() === '') return
    if (cells > 0) flow.write(' | ')
    flow.write(text)
    cells += 1
  }

  return {
    open(name, attributes) {
      if (name === 'row') {
        cells = 0
        flow.line()
      } else if (name === 'c') {
        type = attributes.get('t') ?? 'n'
        value = ''
      } else isValue = name === 'v' || name === 't'
    },
    text(text) {
      if (isValue) value += text
    },
    close(name) {
      if (name === 'v' || name === 't') isValue = false
      if (name === 'c') writeCell()
    },
  }
}
