import { DocumentError } from '../errors.ts'
import { createTextFlow, type TextFlow } from '../extract/text-flow.ts'
import { BINARY_LIMITS } from './limits.ts'
import { openZip, type ZipArchive } from './open-zip.ts'
import { findMainPart, readRelations } from './relations.ts'
import { walkXml, type XmlVisitor } from './walk-xml.ts'

/** Second forms of what stands beside them, and numbers of slides. */
const LEFT_OUT = new Set(['Fallback', 'fld'])

/** Reads a PowerPoint presentation: the slides in their order, each with its notes. */
export async function readPptx(bytes: Uint8Array, signal: AbortSignal): Promise<string> {
  const zip = openZip(bytes)
  const slides = await listSlides(zip, signal)
  const flow = createTextFlow(BINARY_LIMITS.characters)
  for (const slide of slides) {
    await walkXml(zip.read(slide), createVisitor(flow), { leftOut: LEFT_OUT, signal })
    const notes = (await readRelations(zip, slide, signal)).find(({ type }) => type === 'notesSlide')?.path
    if (notes !== undefined && zip.has(notes)) {
      await walkXml(zip.read(notes), createVisitor(flow), { leftOut: LEFT_OUT, signal })
    }
    flow.paragraph()
  }
  return flow.end()
}

async function listSlides(zip: ZipArchive, signal: AbortSignal): Promise<readonly string[]> {
  const main = await findMainPart(zip, 'ppt/presentation.xml', signal)
  const relations = new Map((await readRelations(zip, main, signal)).map(({ id, path }) => [id, path]))
  const slides: string[] = []
  const visitor: XmlVisitor = {
    open(name, attributes) {
      if (name !== 'sldId') return
      const path = relations.get(attributes.get('id') ?? '')
      if (path !== undefined && zip.has(path)) slides.push(path)
    },
  }
  await walkXml(zip.read(main), visitor, { attributes: ['id'], signal })
  if (slides.length === 0) throw new DocumentError('invalid_document', 'the presentation has no slides')
  return slides
}

function createVisitor(flow: TextFlow): XmlVisitor {
  let [textDepth, tables, cells] = [0, 0, 0]
  return {
    open(name) {
      if (name === 't') textDepth += 1
      else if (name === 'tbl') tables += 1
      else if (name === 'tr') {
        cells = 0
        flow.line()
      } else if (name === 'tc') {
        if (cells > 0) flow.write(' | ')
        cells += 1
      } else if (name === 'txBody') tables > 0 ? flow.write(' ') : flow.paragraph()
      else if (name === 'p' || name === 'br') tables > 0 ? flow.write(' ') : flow.line()
    },
    text(text) {
      if (textDepth > 0) flow.write(text)
    },
    close(name) {
      if (name === 't') textDepth -= 1
      else if (name === 'tbl') tables -= 1
    },
  }
}
