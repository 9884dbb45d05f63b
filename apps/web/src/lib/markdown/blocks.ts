import type { Links } from 'marked'
import { markdownReader } from './reader.ts'

/** A text cut into its blocks. */
export interface SplitText {
  /** Paragraphs, lists, code and the like; joined they are the text. */
  readonly blocks: readonly string[]
  /** Definitions of links, which any block may use. */
  readonly links: Links
}

/** Blocks at the end that later text may still change: a list goes on after a blank line, a line becomes a heading. */
const OPEN_BLOCKS = 2

/** Cuts a text into blocks. @param text with `\n` as its only line break, see {@link normalizeBreaks} */
export function splitBlocks(text: string): SplitText {
  const tokens = markdownReader.lexer(text)
  const blocks: string[] = []
  for (const { type, raw } of tokens) {
    const last = blocks.length - 1
    // blank lines belong to the block above them
    if (type === 'space' && last >= 0) blocks[last] += raw
    else if (raw !== '') blocks.push(raw)
  }
  // the lexer rewrites a few texts; such a text is one block
  return { blocks: blocks.join('') === text ? blocks : text === '' ? [] : [text], links: tokens.links }
}

/** Splits a text that grows: only the blocks at its end are read again. */
export class BlockSplitter {
  #text = ''
  #split: SplitText = { blocks: [], links: {} }

  /** @param text the previous text with more at its end; any other text is read from its begin */
  update(text: string): SplitText {
    if (text === this.#text) return this.#split
    const closed = text.startsWith(this.#text) ? this.#split.blocks.slice(0, -OPEN_BLOCKS) : []
    const start = closed.reduce((length, block) => length + block.length, 0)
    const { blocks, links } = splitBlocks(text.slice(start))
    this.#text = text
    this.#split = {
      blocks: [...closed, ...blocks],
      links: closed.length === 0 ? links : { ...links, ...this.#split.links },
    }
    return this.#split
  }
}

/** Makes every line break `\n`, as the lexer reads them. */
export function normalizeBreaks(text: string): string {
  return text.replace(/\r\n?/g, '\n')
}
