import { type CST, Lexer, type LineCounter, Parser } from 'yaml'
import type { YamlLimits } from './limits.ts'
import { YamlFault } from './yaml-fault.ts'

/**
 * Gives the concrete syntax of a text's first document, with depth and sizes checked. Lexer and parser of the library
 * do not recurse, so this is safe for any text. Everything after it recurses and must not exceed the limits.
 *
 * @throws {YamlFault}
 */
export function readFirstDocument(
  text: string,
  options: { readonly limits: YamlLimits; readonly lines: LineCounter },
): CST.Token[] {
  const { limits, lines } = options
  const tokens: CST.Token[] = []
  let complete = false
  for (const token of tokenise(text, options)) {
    if (token.type === 'error') throw new YamlFault(firstLine(token.message), lines.linePos(token.offset).line)
    if (complete && (token.type === 'document' || token.type === 'doc-end' || token.type === 'directive')) break
    tokens.push(token)
    if (token.type === 'document') {
      complete = true
      guard(token, { limits, lines })
    }
  }
  return tokens
}

/** Gives the tokens of a text up to the limit; text after the first document does not matter. */
function* tokenise(
  text: string,
  options: { readonly limits: YamlLimits; readonly lines: LineCounter },
): Generator<CST.Token> {
  const parser = new Parser(options.lines.addNewLine)
  options.lines.addNewLine(0)
  let count = 0
  let complete = false
  for (const lexeme of new Lexer().lex(text)) {
    count += 1
    if (count > options.limits.lexemes) {
      if (complete) return
      throw new YamlFault(`has more than ${options.limits.lexemes} pieces`)
    }
    for (const token of parser.next(lexeme)) {
      complete ||= token.type === 'document'
      yield token
    }
  }
  yield* parser.end()
}

/** Walks the syntax tree without recursion and refuses content that is too deep or too large. */
function guard(document: CST.Document, options: { readonly limits: YamlLimits; readonly lines: LineCounter }): void {
  const { limits, lines } = options
  const open: { token: CST.Token; depth: number }[] = []
  const enter = (token: CST.Token | null | undefined, depth: number) => {
    if (token) open.push({ token, depth })
  }
  let aliases = 0
  enter(document.value, 0)
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { token, depth } = next
    const refuse = (reason: string) => new YamlFault(reason, lines.linePos(token.offset).line)
    if (token.type === 'alias') {
      aliases += 1
      if (aliases > limits.aliases) throw refuse(`has more than ${limits.aliases} aliases`)
    }
    if (token.type !== 'block-map' && token.type !== 'block-seq' && token.type !== 'flow-collection') continue
    if (depth >= limits.depth) throw refuse(`is nested deeper than ${limits.depth} levels`)
    if (token.type !== 'block-seq' && token.items.length > limits.keysPerMap && isMap(token)) {
      throw refuse(`has a map of more than ${limits.keysPerMap} keys`)
    }
    for (const item of token.items) {
      enter(item.key, depth + 1)
      enter(item.value, depth + 1)
    }
  }
}

function isMap(token: CST.BlockMap | CST.FlowCollection): boolean {
  return token.type === 'block-map' || token.start.source === '{'
}

function firstLine(text: string): string {
  const end = text.indexOf('\n')
  return (end < 0 ? text : text.slice(0, end)).slice(0, 200)
}
