import { createTextFlow, type TextFlow } from '../extract/text-flow.ts'
import { BINARY_LIMITS } from './limits.ts'
import { openZip, type ZipArchive } from './open-zip.ts'
import { findMainPart, readRelations } from './relations.ts'
import { walkXml, type XmlAttributes, type XmlVisitor } from './walk-xml.ts'

const NOTES = ['footnotes', 'endnotes']
/** Second forms of what stands beside them, and text that was moved away. */
const LEFT_OUT = new Set(['Fallback', 'moveFrom', 'del'])

/** Reads a Word document: its text, then its notes. Headings begin with `#`, items of lists with `-`, rows are lines. */
export async function readDocx(bytes: Uint8Array, signal: AbortSignal): Promise<string> {
  const zip = openZip(bytes)
  const main = await findMainPart(zip, 'word/document.xml', signal)
  const relations = await readRelations(zip, main, signal)
  const styles = relations.find(({ type }) => type === 'styles')?.path
  const levels = styles !== undefined && zip.has(styles) ? await readHeadings(zip, styles, signal) : new Map()
  const flow = createTextFlow(BINARY_LIMITS.characters)
  const parts = [
    main,
    ...relations.filter(({ type, path }) => NOTES.includes(type) && zip.has(path)).map((r) => r.path),
  ]
  for (const part of parts) {
    await walkXml(zip.read(part), createVisitor(flow, levels), { attributes: ['val'], leftOut: LEFT_OUT, signal })
    flow.paragraph()
  }
  return flow.end()
}

/** Reads which styles are headings, and their levels. */
async function readHeadings(zip: ZipArchive, part: string, signal: AbortSignal): Promise<Map<string, number>> {
  const levels = new Map<string, number>()
  let style = ''
  const visitor: XmlVisitor = {
    open(name, attributes) {
      if (name === 'style') style = attributes.get('styleId') ?? ''
      if (name !== 'name') return
      const label = attributes.get('val')?.toLowerCase() ?? ''
      const level = label === 'title' ? 1 : Number(/^heading ([1-9])$/u.exec(label)?.[1] ?? 0)
      if (level > 0) levels.set(style, Math.min(level, 6))
    },
  }
  await walkXml(zip.read(part), visitor, { attributes: ['styleId', 'val'], signal })
  return levels
}

function createVisitor(flow: TextFlow, levels: ReadonlyMap<string, number>): XmlVisitor {
  let [textDepth, tables, cells] = [0, 0, 0]

  function openMark(name: string, attributes: XmlAttributes): void {
    if (name === 'pStyle') {
      const level = levels.get(attributes.get('val') ?? '')
      if (level !== undefined && tables === 0) flow.mark(`${'#'.repeat(level)} `)
    } else if (name === 'numPr' && tables === 0) flow.mark('- ')
  }

  return {
    open(name, attributes) {
      if (name === 't') textDepth += 1
      else if (name === 'tab') flow.write(' ')
      else if (name === 'tbl') {
        tables += 1
        flow.paragraph()
      } else if (name === 'tr') {
        cells = 0
        flow.line()
      } else if (name === 'tc') {
        if (cells > 0) flow.write(' | ')
        cells += 1
      } else if (name === 'p') tables > 0 ? flow.write(' ') : flow.paragraph()
      else if (name === 'br' || name === 'cr') tables > 0 ? flow.write(' ') : flow.line()
      else openMark(name, attributes)
    },
    text(text) {
      if (textDepth > 0) flow.write(text)
    },
    close(name) {
      if (name === 't') textDepth -= 1
      if (name !== 'tbl') return
      tables -= 1
      flow.paragraph()
    },
  }
}
