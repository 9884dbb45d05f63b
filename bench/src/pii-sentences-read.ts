/** A labelled range of a text, half-open, in UTF-16 units. */
export interface Label {
  readonly kind: string
  readonly start: number
  readonly end: number
  /** False where the value's check digit or range is wrong. */
  readonly checked: boolean
}

/** A text with its labels. `line` is where it begins in the file, from 1. */
export interface Sentence {
  readonly language: string
  readonly genre: string
  readonly line: number
  readonly text: string
  readonly labels: readonly Label[]
}

/** The label of values that a detector may find or pass over. */
export const OPTIONAL = 'OPTIONAL'

const HEAD = /^@([a-z]{2}) ([a-z]+)$/
/** A number of a character, a sign after a backslash, the begin of a label, its end, nothing, any other character. */
const PART = /\\u\{([0-9a-f]{1,6})\}|\\([\\@#[\]{nrt])|\[\[([A-Z_]+)(!?)\||(\]\])|(\{\+\})|(.)/gsu
const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

/** What one part of the marked form adds to the text. Throws where a backslash says nothing. */
function readCharacter([part, code, sign]: readonly string[]): string {
  if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16))
  if (sign !== undefined) return CONTROLS[sign] ?? sign
  if (part === '\\') throw new Error('a backslash stands before a sign that needs none; write \\\\')
  return part ?? ''
}

/**
 * The text and the labels of one marked text. Throws an `Error` where a label is empty, stands in another one or has no
 * end, and where a backslash says nothing.
 */
export function readMarked(marked: string): { text: string; labels: Label[] } {
  const labels: Label[] = []
  let text = ''
  let open: Omit<Label, 'end'> | undefined
  for (const match of marked.matchAll(PART)) {
    const [, , , kind, bang, close, nothing] = match
    if (nothing !== undefined) continue
    if (kind !== undefined) {
      if (open !== undefined) throw new Error(`${kind} begins inside of ${open.kind}`)
      open = { kind, start: text.length, checked: bang === '' }
    } else if (close !== undefined && open !== undefined) {
      if (text.length === open.start) throw new Error(`${open.kind} is empty`)
      labels.push({ ...open, end: text.length })
      open = undefined
    } else {
      text += readCharacter(match)
    }
  }
  if (open !== undefined) throw new Error(`${open.kind} has no end`)
  return { text, labels }
}

/** The labelled texts of a file. Throws an `Error` with the line of a text that cannot be read. */
export function readSentences(file: string): Sentence[] {
  const sentences: Sentence[] = []
  const lines = file.split('\n')
  const heads = lines.flatMap((line, at) => (HEAD.test(line) ? [at] : []))
  const comments = lines.slice(0, heads[0] ?? lines.length)
  const stray = comments.findIndex((line) => line !== '' && !line.startsWith('#'))
  if (stray !== -1) throw new Error(`line ${stray + 1}: a text needs a line "@language genre" before it`)
  for (const [index, at] of heads.entries()) {
    const [, language = '', genre = ''] = HEAD.exec(lines[at] ?? '') ?? []
    const marked = lines
      .slice(at + 1, heads[index + 1])
      .join('\n')
      .replace(/\n+$/, '')
    try {
      if (marked === '') throw new Error('the text is empty')
      sentences.push({ language, genre, line: at + 1, ...readMarked(marked) })
    } catch (error) {
      throw new Error(`line ${at + 1}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return sentences
}
