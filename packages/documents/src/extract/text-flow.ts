import { createTextPieces, MAX_TEXT_CHARACTERS } from './text-pieces.ts'

/** Gathers the text of a page: blanks become one, blocks are set apart by an empty line. */
export interface TextFlow {
  /** @param isKept whether blanks and line breaks stay as they are. @default false */
  write(text: string, isKept?: boolean): void
  /** Adds a mark such as `# ` before the next text of the line. */
  mark(text: string): void
  /** Begins a line. */
  line(): void
  /** Begins a paragraph. */
  paragraph(): void
  /** Gives the text. */
  end(): string
}

/** Creates a flow without text. */
export function createTextFlow(maxCharacters: number = MAX_TEXT_CHARACTERS): TextFlow {
  const pieces = createTextPieces(maxCharacters)
  /** Line breaks that come before the next text. */
  let breaks = 0
  let mark = ''
  /** Whether a blank comes before the next text of the line. */
  let hasBlank = false

  function startText(): void {
    if (!pieces.isEmpty && breaks > 0) pieces.add('\n'.repeat(breaks))
    else if (hasBlank && !pieces.isEmpty) pieces.add(' ')
    if (mark !== '') pieces.add(mark)
    breaks = 0
    mark = ''
    hasBlank = false
  }

  return {
    write(text, isKept = false) {
      const flat = isKept ? text : text.replaceAll(/\s+/gu, ' ')
      if (flat === '') return
      if (flat.trim() === '' && (!isKept || breaks > 0)) {
        hasBlank = true
        return
      }
      if (!isKept && flat.startsWith(' ')) hasBlank = true
      startText()
      pieces.add(isKept ? flat : flat.trim())
      hasBlank = !isKept && flat.endsWith(' ')
    },
    mark(text) {
      mark = text
    },
    line() {
      breaks = Math.max(breaks, 1)
    },
    paragraph() {
      breaks = 2
      mark = ''
    },
    end: () => pieces.join().trim(),
  }
}
