import type { TemplateFloat } from '../../number.ts'

/** A token of a template. Words are names and keywords alike; the parser distinguishes them. */
export type Token =
  | { readonly type: 'text'; readonly text: string; readonly line: number }
  | { readonly type: 'word' | 'string' | 'operator'; readonly text: string; readonly line: number }
  | { readonly type: 'integer'; readonly value: number | bigint; readonly line: number }
  | { readonly type: 'float'; readonly value: TemplateFloat; readonly line: number }
  | { readonly type: 'block-begin' | 'block-end' | 'print-begin' | 'print-end' | 'end'; readonly line: number }

/** The name of a token in messages. */
export function describeToken(token: Token): string {
  switch (token.type) {
    case 'word':
    case 'operator':
      return token.text
    case 'text':
      return 'template data'
    case 'block-begin':
      return 'begin of statement block'
    case 'block-end':
      return 'end of statement block'
    case 'print-begin':
      return 'begin of print statement'
    case 'print-end':
      return 'end of print statement'
    case 'end':
      return 'end of template'
    default:
      return token.type
  }
}
