import type { ResolvedLimits } from '../limits.ts'
import { isSpace } from '../text/characters.ts'
import type {
  BlockNode,
  CallBlockNode,
  Expression,
  FilterNode,
  ForNode,
  IfNode,
  MacroNode,
  Parameter,
  Statement,
  Target,
  WithNode,
} from './ast.ts'
import { ExpressionParser } from './expression-parser.ts'
import { tokenize } from './lexer.ts'
import { TargetParser } from './target-parser.ts'
import { TokenStream } from './token-stream.ts'

/** Reads a template. @throws JinjaSyntaxError, JinjaLimitError */
export function parseTemplate(source: string, limits: ResolvedLimits): Statement[] {
  return new Parser(new TokenStream(tokenize(source)), limits).parse()
}

class Parser {
  readonly #stream: TokenStream
  readonly #expressions: ExpressionParser
  readonly #targets: TargetParser
  /** The tags that are open, from the outermost. */
  readonly #open: string[] = []
  /** The words that end the open bodies, from the outermost. */
  readonly #ends: (readonly string[])[] = []

  constructor(stream: TokenStream, limits: ResolvedLimits) {
    this.#stream = stream
    this.#expressions = new ExpressionParser(stream, limits.maxNesting)
    this.#targets = new TargetParser(stream, this.#expressions)
  }

  parse(): Statement[] {
    const body: Statement[] = []
    while (this.#stream.current.type !== 'end') this.#parseNext(body)
    return body
  }

  /** Reads text, a print tag or a block into a body; false where one of the words ends the body. */
  #parseNext(body: Statement[], ends: readonly string[] = []): boolean {
    const token = this.#stream.take()
    const { line } = token
    switch (token.type) {
      case 'text':
        body.push({ kind: 'text', text: token.text, line })
        return true
      case 'print-begin': {
        body.push({ kind: 'print', value: this.#expressions.parseTuple(), line })
        this.#stream.expectType('print-end')
        return true
      }
      default:
        if (ends.some((end) => this.#stream.isWord(end))) return false
        body.push(...this.#parseTag())
        this.#stream.expectType('block-end')
        return true
    }
  }

  /** Reads the body of a tag, up to one of the words, which becomes the current token. */
  #parseBody(ends: readonly string[]): Statement[] {
    this.#stream.skipOperator(':')
    this.#stream.expectType('block-end')
    this.#ends.push(ends)
    this.#expressions.enter()
    const body: Statement[] = []
    do {
      if (this.#stream.current.type === 'end') this.#failOpen('Unexpected end of template.')
    } while (this.#parseNext(body, ends))
    this.#expressions.leave()
    this.#ends.pop()
    return body
  }

  /** {@link #parseBody} up to the one word that ends it, which is taken. */
  #parseWholeBody(end: string): Statement[] {
    const body = this.#parseBody([end])
    this.#stream.take()
    return body
  }

  #parseTag(): Statement[] {
    const { current, line } = this.#stream
    if (current.type !== 'word') return this.#stream.fail('tag name expected')
    this.#open.push(current.text)
    const statements = this.#parseTagNamed(current.text, line)
    this.#open.pop()
    return statements
  }

  #parseTagNamed(tag: string, line: number): Statement[] {
    this.#stream.take()
    switch (tag) {
      case 'for':
        return [this.#parseFor(line)]
      case 'if':
        return [this.#parseIf(line)]
      case 'set':
        return [this.#parseSet(line)]
      case 'print':
        return this.#parsePrint(line)
      case 'macro':
        return [this.#parseMacro(line)]
      case 'call':
        return [this.#parseCallBlock(line)]
      case 'filter': {
        const filter = this.#parseBlockFilter(this.#expressions.parseFilter(undefined))
        return [{ kind: 'filter-block', filter, body: this.#parseWholeBody('endfilter'), line }]
      }
      case 'with':
        return [this.#parseWith(line)]
      case 'autoescape': {
        const value = this.#expressions.parse()
        return [{ kind: 'autoescape', value, body: this.#parseWholeBody('endautoescape'), line }]
      }
      case 'block':
        return [this.#parseBlock(line)]
      case 'generation':
        return [{ kind: 'generation', body: this.#parseWholeBody('endgeneration'), line }]
      case 'break':
      case 'continue':
        return [{ kind: tag, line }]
      case 'extends':
      case 'include':
      case 'import':
      case 'from':
        return [this.#parseLoad(tag, line)]
      default:
        this.#open.pop()
        return this.#failOpen(`Encountered unknown tag '${tag}'.`, { tag, line })
    }
  }

  #parseFor(line: number): ForNode {
    const target = this.#targets.parse({ endWord: 'in' })
    this.#stream.expectKeyword('in')
    const items = this.#expressions.parseTuple({ conditional: false, endWord: 'recursive' })
    const filter = this.#stream.skipWord('if') ? this.#expressions.parse() : undefined
    const recursive = this.#stream.skipWord('recursive')
    const body = this.#parseBody(['endfor', 'else'])
    const hasElse = this.#stream.isWord('else')
    this.#stream.take()
    const otherwise = hasElse ? this.#parseWholeBody('endfor') : []
    return { kind: 'for', target, items, filter, recursive, body, otherwise, line }
  }

  #parseIf(line: number): IfNode {
    const branches: { test: Expression; body: Statement[] }[] = []
    do {
      const test = this.#expressions.parseTuple({ conditional: false })
      branches.push({ test, body: this.#parseBody(['elif', 'else', 'endif']) })
    } while (this.#stream.skipWord('elif'))
    const hasElse = this.#stream.isWord('else')
    this.#stream.take()
    const otherwise = hasElse ? this.#parseWholeBody('endif') : []
    return { kind: 'if', branches, otherwise, line }
  }

  #parseSet(line: number): Statement {
    const target = this.#targets.parse({ withMembers: true })
    if (this.#stream.skipOperator('=')) {
      return { kind: 'set', target, value: this.#expressions.parseTuple(), line }
    }
    const first = this.#stream.skipOperator('|') ? this.#expressions.parseFilter(undefined) : undefined
    const filter = first === undefined ? undefined : this.#parseBlockFilter(first)
    return { kind: 'set-block', target, filter, body: this.#parseWholeBody('endset'), line }
  }

  /** Reads the filters behind the first one of a block. */
  #parseBlockFilter(first: FilterNode): FilterNode {
    let filter = first
    while (this.#stream.skipOperator('|')) filter = this.#expressions.parseFilter(filter)
    return filter
  }

  #parsePrint(line: number): Statement[] {
    const statements: Statement[] = []
    while (this.#stream.current.type !== 'block-end') {
      if (statements.length > 0) this.#stream.expectOperator(',')
      statements.push({ kind: 'print', value: this.#expressions.parse(), line })
    }
    return statements
  }

  #parseMacro(line: number): MacroNode {
    const name = this.#targets.parseName()
    const parameters = this.#parseParameters()
    return { kind: 'macro', name, parameters, body: this.#parseWholeBody('endmacro'), line }
  }

  #parseCallBlock(line: number): CallBlockNode {
    const parameters = this.#stream.isOperator('(') ? this.#parseParameters() : []
    const call = this.#expressions.parse()
    if (call.kind !== 'call') return this.#stream.fail('expected call', line)
    return { kind: 'call-block', parameters, call, body: this.#parseWholeBody('endcall'), line }
  }

  #parseParameters(): Parameter[] {
    const { line } = this.#stream.expectOperator('(')
    const parameters: Parameter[] = []
    const names = new Set<string>()
    while (!this.#stream.isOperator(')')) {
      if (parameters.length > 0) this.#stream.expectOperator(',')
      const name = this.#targets.parseName()
      const fallback = this.#stream.skipOperator('=') ? this.#expressions.parse() : undefined
      if (fallback === undefined && parameters.at(-1)?.fallback !== undefined) {
        this.#stream.fail('non-default argument follows default argument')
      }
      if (names.has(name)) this.#stream.fail(`duplicate argument '${name}' in function definition`, line)
      names.add(name)
      parameters.push({ name, fallback })
    }
    this.#stream.take()
    return parameters
  }

  #parseWith(line: number): WithNode {
    const bindings: { target: Target; value: Expression }[] = []
    while (this.#stream.current.type !== 'block-end') {
      if (bindings.length > 0) this.#stream.expectOperator(',')
      const target = this.#targets.parse()
      this.#stream.expectOperator('=')
      bindings.push({ target, value: this.#expressions.parse() })
    }
    return { kind: 'with', bindings, body: this.#parseWholeBody('endwith'), line }
  }

  #parseBlock(line: number): BlockNode {
    const name = this.#stream.expectWord()
    const scoped = this.#stream.skipWord('scoped')
    const required = this.#stream.skipWord('required')
    if (this.#stream.isOperator('-'))
      this.#stream.fail('Block names may not contain hyphens, use an underscore instead.')
    const body = this.#parseWholeBody('endblock')
    if (required && !body.every(isBlankText)) {
      this.#stream.fail('Required blocks can only contain comments or whitespace')
    }
    this.#stream.skipWord(name)
    return { kind: 'block', name, scoped, required, body, line }
  }

  /** Reads a tag that names another template; no template can be loaded, so only its form matters. */
  #parseLoad(tag: string, line: number): Statement {
    this.#expressions.parse()
    if (tag === 'import') {
      this.#stream.expectKeyword('as')
      this.#targets.parseName()
    }
    if (tag === 'from') this.#parseImportedNames()
    if (tag === 'include' && this.#stream.isWord('ignore') && this.#stream.isFollowedByWord('missing')) {
      this.#stream.take()
      this.#stream.take()
    }
    if (tag !== 'extends') this.#skipContextWords()
    return { kind: 'load', tag, line }
  }

  #parseImportedNames(): void {
    this.#stream.expectKeyword('import')
    do {
      if (this.#skipContextWords()) return
      this.#targets.parseName()
      if (this.#stream.skipWord('as')) this.#targets.parseName()
    } while (this.#stream.skipOperator(','))
  }

  #skipContextWords(): boolean {
    const found =
      (this.#stream.isWord('with') || this.#stream.isWord('without')) && this.#stream.isFollowedByWord('context')
    if (found) {
      this.#stream.take()
      this.#stream.take()
    }
    return found
  }

  /** Fails at an unknown tag, or at the end of the template, and names the expected tags. */
  #failOpen(problem: string, at?: { readonly tag: string; readonly line: number }): never {
    const wanted = this.#ends
      .at(-1)
      ?.map((end) => `'${end}'`)
      .join(' or ')
    const innermost = this.#open.at(-1)
    let message = problem
    if (wanted !== undefined) {
      const isMisplaced = at !== undefined && this.#ends.some((ends) => ends.includes(at.tag))
      message += isMisplaced
        ? ` You probably made a nesting mistake. Jinja is expecting this tag, but currently looking for ${wanted}.`
        : ` Jinja was looking for the following tags: ${wanted}.`
    }
    if (innermost !== undefined) message += ` The innermost block that needs to be closed is '${innermost}'.`
    return this.#stream.fail(message, at?.line)
  }
}

function isBlankText(statement: Statement): boolean {
  return statement.kind === 'text' && Array.from(statement.text).every((character) => isSpace(character.charCodeAt(0)))
}
