import type { TokenizerAndRendererExtension, Tokens } from 'marked'

/** Formulas on lines of their own, `$$…$$` and `\[…\]`. No formula spans a blank line, so an open one ends with its paragraph. */
const DISPLAY =
  /^(?:\$\$((?:[^$\\\n]|\$(?!\$)|\\[^\n]|\\?\n(?![ \t]*\n))+?)\$\$|\\\[((?:[^\\\n]|\\(?![[\]])[^\n]|\\?\n(?![ \t]*\n))+?)\\\])/
/** Formulas in a line of text, `$…$` and `\(…\)`. */
const INLINE =
  /^(?:\$(?![\s$])((?:[^$\\`\n]|\\[^\n]|\\?\n(?![ \t]*\n))+?)(?<!\s)\$(?![\w$])|\\\(((?:[^\\\n]|\\(?![()])[^\n]|\\?\n(?![ \t]*\n))+?)\\\))/
const INDENT = /^ {0,3}/
const REST_OF_LINE = /^[ \t]*(?:\n|$)/

/** An amount of money before a word, as in "$5 and 10$". */
const AMOUNT = /^\d[\d.,]*\S?\s+[a-z]{2,}/i
const WORDS = /^[a-z]{2,}\s+[a-z]{2,}/i
/** Signs that formulas in brackets have and texts with escaped brackets, such as `\[1\]`, lack. */
const FORMULA_SIGN = /[\\^_={}<>+|]/

/**
 * The class of the elements that hold a formula; their text is the formula as it was written, with its marks.
 * No text of a model can set a class, so no code can pass for a formula.
 */
export const MATHS_CLASSES = { inline: 'maths-inline', display: 'maths-display' } as const

/** Formulas that are paragraphs of their own. */
const mathsBlock: TokenizerAndRendererExtension = {
  name: 'mathsBlock',
  level: 'block',
  start: (text) => /\n {0,3}(?:\$\$|\\\[)/.exec(text)?.index,
  tokenizer(text) {
    const indent = INDENT.exec(text)?.[0] ?? ''
    const found = DISPLAY.exec(text.slice(indent.length))
    if (found === null) return undefined
    const length = indent.length + found[0].length
    const rest = REST_OF_LINE.exec(text.slice(length))
    return rest === null ? undefined : { type: 'mathsBlock', raw: text.slice(0, length) + rest[0], text: found[0] }
  },
  renderer: ({ text }: Tokens.Generic) => `<p>${mark(String(text), MATHS_CLASSES.display)}</p>`,
}

/** Formulas within a paragraph. Prices such as "$5 and $10" are not formulas. */
const mathsInline: TokenizerAndRendererExtension = {
  name: 'mathsInline',
  level: 'inline',
  // rows of many dollars are not formulas, and looking at each would take long
  start: (text) => /(?<!\$)\$\$?(?!\$)|\\[([]/.exec(text)?.index,
  tokenizer(text, before) {
    if (/\w$/.test(before.at(-1)?.raw ?? '')) return undefined
    const display = DISPLAY.exec(text)
    if (display !== null) {
      const isFormula = display[1] !== undefined || FORMULA_SIGN.test(display[2] ?? '')
      return isFormula ? { type: 'mathsInline', raw: display[0], isDisplay: true } : undefined
    }
    const found = INLINE.exec(text)
    const formula = found?.[1] ?? found?.[2]
    if (found === null || formula === undefined || AMOUNT.test(formula) || WORDS.test(formula)) return undefined
    return { type: 'mathsInline', raw: found[0], isDisplay: false }
  },
  renderer: ({ raw, isDisplay }: Tokens.Generic) =>
    mark(raw, isDisplay === true ? MATHS_CLASSES.display : MATHS_CLASSES.inline),
}

/** The maths syntax of markdown. */
export const mathsExtensions: TokenizerAndRendererExtension[] = [mathsBlock, mathsInline]

function mark(text: string, name: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return `<code class="${name}">${escaped}</code>`
}
