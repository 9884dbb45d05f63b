import { Parser } from 'htmlparser2'
import { DocumentError } from '../errors.ts'
import { createPauses } from '../pauses.ts'
import { createTextFlow } from './text-flow.ts'

const PIECE_CHARACTERS = 16_384
/** No page has more elements inside of each other; the parser takes longer with each. */
const MAX_DEPTH = 1000
const LEFT_OUT = new Set(['script', 'style', 'noscript', 'template', 'svg', 'math', 'iframe', 'object', 'canvas'])
const BLOCKS = new Set([
  ...['address', 'article', 'aside', 'blockquote', 'body', 'caption', 'dd', 'details', 'dialog', 'div', 'dl', 'dt'],
  ...['fieldset', 'figcaption', 'figure', 'footer', 'form', 'head', 'header', 'hgroup', 'hr', 'html', 'legend', 'main'],
  ...['menu', 'nav', 'ol', 'option', 'p', 'pre', 'search', 'section', 'select', 'summary', 'table', 'tbody', 'tfoot'],
  ...['thead', 'title', 'ul'],
])
const LINES = new Set(['li', 'tr', 'br'])
const CELLS = new Set(['td', 'th'])
const HEADING = /^h([1-6])$/u

/**
 * Reads the text of an HTML page, without scripts and styles. Headings begin with `#`, items of lists with `-`; blocks
 * are paragraphs.
 *
 * @throws {DocumentError} `document_limit` for elements that are too deep inside of each other
 */
export async function readHtml(html: string, signal: AbortSignal): Promise<string> {
  const flow = createTextFlow()
  const { pause } = createPauses(signal)
  let depth = 0
  /** Depth of the outermost element that is left out; 0 outside of such elements. */
  let leftOutAt = 0
  let preDepth = 0
  /** Whether the text of an image may follow. */
  let isImage = false

  const parser = new Parser({
    onopentagname(name) {
      depth += 1
      if (depth > MAX_DEPTH) throw new DocumentError('document_limit', `the page has over ${MAX_DEPTH} nested elements`)
      isImage = name === 'img'
      if (leftOutAt > 0) return
      if (LEFT_OUT.has(name)) leftOutAt = depth
      else openElement(name)
    },
    // Attributes are not gathered: a tag may have millions.
    onattribute(name, value) {
      if (!isImage || leftOutAt > 0 || name !== 'alt') return
      flow.write(value)
      isImage = false
    },
    ontext(text) {
      if (leftOutAt === 0) flow.write(text, preDepth > 0)
    },
    onclosetag(name) {
      if (leftOutAt === depth) leftOutAt = 0
      else if (leftOutAt === 0) closeElement(name)
      depth -= 1
    },
  })

  function openElement(name: string): void {
    const level = HEADING.exec(name)?.[1]
    if (level !== undefined) {
      flow.paragraph()
      flow.mark(`${'#'.repeat(Number(level))} `)
    } else if (BLOCKS.has(name)) flow.paragraph()
    else if (LINES.has(name)) flow.line()
    if (name === 'li') flow.mark('- ')
    if (name === 'pre') preDepth += 1
  }

  function closeElement(name: string): void {
    if (name === 'pre') preDepth = Math.max(0, preDepth - 1)
    if (HEADING.test(name) || BLOCKS.has(name)) flow.paragraph()
    else if (LINES.has(name)) flow.line()
    else if (CELLS.has(name)) flow.write(' ')
  }

  for (let at = 0; at < html.length; at += PIECE_CHARACTERS) {
    parser.write(html.slice(at, at + PIECE_CHARACTERS))
    await pause()
  }
  parser.end()
  return flow.end()
}
