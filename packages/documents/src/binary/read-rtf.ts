import { DocumentError } from '../errors.ts'
import { createTextPieces } from '../extract/text-pieces.ts'
import { createPauses } from '../pauses.ts'
import { BINARY_LIMITS } from './limits.ts'

/** Groups whose text is not that of the document. */
const LEFT_OUT = new Set([
  ...['author', 'colortbl', 'comment', 'datastore', 'filetbl', 'fonttbl', 'footer', 'footerf', 'footerl', 'footerr'],
  ...['generator', 'header', 'headerf', 'headerl', 'headerr', 'info', 'listoverridetable', 'listtable', 'objdata'],
  ...['pict', 'revtbl', 'rsidtbl', 'stylesheet', 'themedata', 'xmlnstbl', 'fldinst', 'latentstyles'],
])
const SIGNS: ReadonlyMap<string, string> = new Map([
  ['par', '\n\n'],
  ['sect', '\n\n'],
  ['page', '\n\n'],
  ['line', '\n'],
  ['row', '\n'],
  ['cell', ' | '],
  ['tab', '\t'],
  ['emdash', '\u2014'],
  ['endash', '\u2013'],
  ['bullet', '\u2022'],
  ['lquote', '\u2018'],
  ['rquote', '\u2019'],
  ['ldblquote', '\u201c'],
  ['rdblquote', '\u201d'],
  ['~', '\u00a0'],
  ['_', '\u2011'],
])
/** A group, a control word with its number, a byte, a control sign, or text. */
const TOKEN = /([{}])|\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-f]{2})|\\([^a-z])|([^{}\\\r\n]{1,4096})|[\s\S]/giy

/** State of a group. */
interface Group {
  readonly isLeftOut: boolean
  /** Characters that stand for each Unicode character in readers that know none. */
  readonly unicodeSkip: number
}

/** Reads the text of an RTF document. Pictures, tables of fonts, heads and feet of pages are left out. */
export async function readRtf(bytes: Uint8Array, signal: AbortSignal): Promise<string> {
  const source = new TextDecoder('latin1').decode(bytes)
  const { pause } = createPauses(signal)
  const pieces = createTextPieces(BINARY_LIMITS.characters)
  const groups: Group[] = []
  let group: Group = { isLeftOut: false, unicodeSkip: 1 }
  let decoder = new TextDecoder('windows-1252')
  let bytesLeft: number[] = []
  let toSkip = 0
  let isStarred = false

  function flush(): void {
    if (bytesLeft.length > 0) pieces.add(decoder.decode(Uint8Array.from(bytesLeft)))
    bytesLeft = []
  }
  function write(text: string): void {
    if (group.isLeftOut) return
    const kept = text.slice(toSkip)
    toSkip = Math.max(0, toSkip - text.length)
    flush()
    if (kept !== '') pieces.add(kept)
  }
  function writeByte(byte: number): void {
    if (group.isLeftOut) return
    if (toSkip > 0) toSkip -= 1
    else bytesLeft.push(byte)
  }
  function openGroup(): void {
    if (groups.length >= BINARY_LIMITS.depth) {
      throw new DocumentError('document_limit', `the document has over ${BINARY_LIMITS.depth} nested groups`)
    }
    groups.push(group)
  }
  function obey(word: string, number: number | undefined): void {
    if (isStarred || LEFT_OUT.has(word)) group = { ...group, isLeftOut: true }
    isStarred = false
    if (word === 'u') {
      write(String.fromCharCode(((number ?? 0) + 65_536) % 65_536))
      toSkip = group.unicodeSkip
    } else if (word === 'uc') group = { ...group, unicodeSkip: Math.min(16, Math.max(0, number ?? 1)) }
    else if (word === 'ansicpg') decoder = createDecoder(number ?? 1252)
    else write(SIGNS.get(word) ?? '')
  }

  const tokens = new RegExp(TOKEN)
  let count = 0
  for (let found = tokens.exec(source); found !== null; found = tokens.exec(source)) {
    const [, brace, word, number, hex, sign, text] = found
    count += 1
    if (count % 4096 === 0) await pause()
    if (brace === '{') openGroup()
    else if (brace === '}') {
      flush()
      group = groups.pop() ?? group
      isStarred = false
      toSkip = 0
    } else if (word === 'bin') tokens.lastIndex += Math.max(0, Number(number))
    else if (word !== undefined) obey(word.toLowerCase(), number === undefined ? undefined : Number(number))
    else if (hex !== undefined) writeByte(Number.parseInt(hex, 16))
    else if (sign === '*') isStarred = true
    else if (sign !== undefined) write(SIGNS.get(sign) ?? (/[{}\\]/u.test(sign) ? sign : ''))
    else if (text !== undefined) write(text)
  }
  flush()
  return pieces.join().trim()
}

function createDecoder(page: number): InstanceType<typeof TextDecoder> {
  const label = page === 932 ? 'shift_jis' : page === 936 ? 'gbk' : page === 949 ? 'euc-kr' : page === 950 ? 'big5' : ''
  try {
    return new TextDecoder(label === '' ? `windows-${page}` : label)
  } catch {
    return new TextDecoder('windows-1252')
  }
}
