/** The parts of a page of instructions: paragraphs, headings and lists as text, and blocks of code. */
export type InstructionPart = { readonly kind: 'text' | 'code'; readonly text: string }

/** Parts a page of markdown at its empty lines; blocks of code stay whole. */
export function splitInstruction(markdown: string): readonly InstructionPart[] {
  const parts: InstructionPart[] = []
  let lines: string[] = []
  let isCode = false
  const end = (kind: InstructionPart['kind']) => {
    const text = lines.join('\n').trim()
    if (text !== '') parts.push({ kind, text })
    lines = []
  }
  for (const line of markdown.split('\n')) {
    if (line.startsWith('```')) {
      if (!isCode) end('text')
      lines.push(line)
      if (isCode) end('code')
      isCode = !isCode
    } else if (line.trim() === '' && !isCode) end('text')
    else lines.push(line)
  }
  end(isCode ? 'code' : 'text')
  return parts
}

/**
 * A page of instructions in the reader's language: its examples stay, its texts are replaced.
 *
 * @param translate the translation of a text by its place among the texts, counted from 0; undefined for none
 */
export function translateInstruction(markdown: string, translate: (index: number) => string | undefined): string {
  const parts = splitInstruction(markdown)
  const texts = parts.filter(({ kind }) => kind === 'text').map((_, index) => translate(index))
  // a page that has other parts than the catalogue stays as the server wrote it
  if (texts.some((text) => text === undefined) || translate(texts.length) !== undefined) return markdown
  let index = -1
  return parts
    .map(({ kind, text }) => {
      if (kind === 'code') return text
      index += 1
      return texts[index]
    })
    .join('\n\n')
}
