import { type CST, Lexer, type LineCounter, Parser } from 'yaml'
import { eachToken } from './each-token.ts'
import type { YamlLimits } from './limits.ts'
import { toStandardEscapes } from './standard-escapes.ts'
import { YamlFault } from './yaml-fault.ts'

/** Options of {@link readDocuments}. */
export interface TokenOptions {
  readonly limits: YamlLimits
  readonly lines: LineCounter
}

/**
 * Gives the concrete syntax of a text's documents, with depth and sizes checked. Lexer and parser of the library do not
 * recurse, so this is safe for any text. Everything after it recurses and must not exceed the limits. A document with a
 * fault comes as the fault, and the next one is read.
 */
export function* readDocuments(text: string, options: TokenOptions): Generator<CST.Token[] | YamlFault> {
  const { lines } = options
  let tokens: CST.Token[] = []
  let fault: YamlFault | undefined
  let isComplete = false
  try {
    for (const token of tokenise(text, options)) {
      const isNext = token.type === 'document' || token.type === 'doc-end' || token.type === 'directive'
      if (isComplete && isNext) {
        yield fault ?? tokens
        tokens = []
        fault = undefined
        isComplete = false
      }
      // The mark belongs to the document that it ends.
      if (token.type === 'doc-end') continue
      if (token.type === 'error') fault ??= new YamlFault(firstLine(token.message), lines.linePos(token.offset).line)
      tokens.push(token)
      if (token.type === 'document') {
        isComplete = true
        fault ??= guard(token, options)
      }
    }
  } catch (error) {
    if (!(error instanceof YamlFault)) throw error
    if (isComplete) yield fault ?? tokens
    yield error
    return
  }
  yield fault ?? tokens
}

/** Gives the tokens of a text up to the limit. @throws {YamlFault} */
function* tokenise(text: string, { limits, lines }: TokenOptions): Generator<CST.Token> {
  const parser = new Parser(lines.addNewLine)
  lines.addNewLine(0)
  let count = 0
  for (const lexeme of new Lexer().lex(text)) {
    count += 1
    if (count > limits.lexemes) throw new YamlFault(`has more than ${limits.lexemes} pieces`)
    yield* parser.next(lexeme)
  }
  yield* parser.end()
}

/** Gives the fault of content that is too deep or too large. */
function guard(document: CST.Document, { limits, lines }: TokenOptions): YamlFault | undefined {
  let aliases = 0
  for (const { token, depth } of eachToken(document)) {
    const refuse = (reason: string) => new YamlFault(reason, lines.linePos(token.offset).line)
    if (token.type === 'alias') {
      aliases += 1
      if (aliases > limits.aliases) return refuse(`has more than ${limits.aliases} aliases`)
    }
    if (token.type === 'double-quoted-scalar') token.source = toStandardEscapes(token.source)
    if (token.type !== 'block-map' && token.type !== 'block-seq' && token.type !== 'flow-collection') continue
    if (depth >= limits.depth) return refuse(`is nested deeper than ${limits.depth} levels`)
    if (token.type !== 'block-seq' && token.items.length > limits.keysPerMap && isMap(token)) {
      return refuse(`has a map of more than ${limits.keysPerMap} keys`)
    }
  }
  return undefined
}

function isMap(token: CST.BlockMap | CST.FlowCollection): boolean {
  return token.type === 'block-map' || token.start.source === '{'
}

function firstLine(text: string): string {
  const end = text.indexOf('\n')
  return (end < 0 ? text : text.slice(0, end)).slice(0, 200)
}
