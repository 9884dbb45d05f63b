import type { Body, Branch, Definitions, Node, Pipeline } from './ast.ts'
import type { Token } from './lexer.ts'
import { tokenize } from './lexer.ts'
import { PipelineParser, unquoteToken } from './pipeline-parser.ts'
import { excerpt } from './quote.ts'
import { Scope } from './scope.ts'
import { trimSpace } from './text.ts'
import { TokenCursor } from './token-cursor.ts'

/** Options of the parser. */
export interface ParseOptions {
  /** The name of the template that runs; a `define` of that name is one with it. */
  readonly name: string
  readonly maxDepth: number
  hasFunction(name: string): boolean
}

/** Parses a template, a byte string, into its definitions. */
export function parseTemplate(source: string, options: ParseOptions): Definitions {
  return new Parser(tokenize(source), options).run()
}

/** The way a body ended: the keyword, and for `else` whether `if` or `with` follows in the same action. */
type BodyEnd = 'end' | 'else' | 'elseIf' | 'elseWith'

class Parser {
  readonly #cursor: TokenCursor
  readonly #pipelines: PipelineParser
  readonly #name: string
  readonly #definitions = new Map<string, Body>()
  #scope = new Scope()

  constructor(tokens: readonly Token[], options: ParseOptions) {
    this.#cursor = new TokenCursor(tokens, options.maxDepth)
    this.#pipelines = new PipelineParser(this.#cursor, (name) => options.hasFunction(name))
    this.#name = options.name
  }

  run(): Definitions {
    const body: Node[] = []
    while (this.#cursor.peek().kind !== 'eof') {
      if (this.#isDefine()) this.#define()
      else {
        const node = this.#node()
        if (typeof node === 'string') this.#cursor.fail(`unexpected {{${node === 'end' ? 'end' : 'else'}}}`)
        body.push(node)
      }
    }
    this.#add(this.#name, body)
    return this.#definitions
  }

  /** Takes `{{define` when it is next. */
  #isDefine(): boolean {
    return this.#cursor.attempt(() => {
      if (this.#cursor.next().kind !== 'left') return false
      const token = this.#cursor.nextNonSpace()
      return token.kind === 'keyword' && token.text === 'define'
    })
  }

  #define(): void {
    const name = this.#templateName('define clause')
    this.#cursor.expect('right', 'define clause')
    this.#add(name, this.#ownBody('define clause'))
  }

  /** A body with variables of its own, up to its `end`. */
  #ownBody(context: string): Body {
    const outer = this.#scope
    this.#scope = new Scope()
    const { body, ending } = this.#body()
    if (ending !== 'end') this.#cursor.fail(`unexpected {{else}} in ${context}`)
    this.#scope = outer
    return body
  }

  /** An empty definition neither replaces another nor prevents one; two with content are an error. */
  #add(name: string, body: Body): void {
    const known = this.#definitions.get(name)
    if (known === undefined || isEmptyBody(known)) this.#definitions.set(name, body)
    else if (!isEmptyBody(body)) this.#cursor.fail(`multiple definition of template ${excerpt(name)}`)
  }

  #body(): { body: Body; ending: BodyEnd } {
    return this.#cursor.nested(() => {
      const body: Node[] = []
      while (this.#cursor.peekNonSpace().kind !== 'eof') {
        const node = this.#node()
        if (typeof node === 'string') return { body, ending: node }
        body.push(node)
      }
      return this.#cursor.fail('unexpected EOF')
    })
  }

  #node(): Node | BodyEnd {
    const token = this.#cursor.nextNonSpace()
    if (token.kind === 'text') return { kind: 'text', text: token.text }
    if (token.kind !== 'left') return this.#cursor.unexpected(token, 'input')
    return this.#action()
  }

  #action(): Node | BodyEnd {
    const token = this.#cursor.peekNonSpace()
    if (token.kind !== 'keyword') {
      return { kind: 'action', line: token.line, pipeline: this.#pipeline('command') }
    }
    this.#cursor.next()
    switch (token.text) {
      case 'if':
      case 'with':
        return this.#branches(token.text, token.line)
      case 'range':
        return this.#range(token.line)
      case 'template':
        return this.#template(token.line)
      case 'block':
        return this.#block(token.line)
      case 'break':
      case 'continue':
        return this.#loopExit(token.text, token.line)
      case 'else':
        return this.#else()
      case 'end':
        this.#cursor.expect('right', 'end')
        return 'end'
    }
    return this.#cursor.unexpected(token, 'command')
  }

  #else(): BodyEnd {
    const next = this.#cursor.peekNonSpace()
    if (next.kind === 'keyword' && (next.text === 'if' || next.text === 'with')) {
      return next.text === 'if' ? 'elseIf' : 'elseWith'
    }
    this.#cursor.expect('right', 'else')
    return 'else'
  }

  #loopExit(kind: 'break' | 'continue', line: number): Node {
    const token = this.#cursor.nextNonSpace()
    if (token.kind !== 'right') this.#cursor.unexpected(token, `{{${kind}}}`)
    if (this.#scope.ranges === 0) this.#cursor.fail(`{{${kind}}} outside {{range}}`)
    return { kind, line }
  }

  /** `if` and `with`: arms of the same keyword joined by `else`, then perhaps an `else` of its own. */
  #branches(kind: 'if' | 'with', line: number): Node {
    const declared = this.#scope.size
    const branches: Branch[] = []
    let otherwise: Body = []
    for (;;) {
      const pipeline = this.#pipeline(kind)
      const { body, ending } = this.#body()
      branches.push({ pipeline, body })
      if (ending === 'end') break
      if (ending === (kind === 'if' ? 'elseIf' : 'elseWith')) {
        this.#cursor.nextNonSpace()
        continue
      }
      otherwise = this.#lastBody()
      break
    }
    this.#scope.dropTo(declared)
    return { kind, line, branches, otherwise }
  }

  #range(line: number): Node {
    const declared = this.#scope.size
    const pipeline = this.#pipeline('range')
    this.#scope.ranges++
    const { body, ending } = this.#body()
    this.#scope.ranges--
    const otherwise = ending === 'end' ? [] : this.#lastBody()
    this.#scope.dropTo(declared)
    return { kind: 'range', line, pipeline, body, otherwise }
  }

  #lastBody(): Body {
    const { body, ending } = this.#body()
    if (ending !== 'end') this.#cursor.fail('expected end; found {{else}}')
    return body
  }

  #template(line: number): Node {
    const name = this.#templateName('template clause')
    if (this.#cursor.peekNonSpace().kind === 'right') {
      this.#cursor.nextNonSpace()
      return { kind: 'template', line, name, pipeline: undefined }
    }
    return { kind: 'template', line, name, pipeline: this.#pipeline('template clause') }
  }

  #block(line: number): Node {
    const name = this.#templateName('block clause')
    const pipeline = this.#pipeline('block clause')
    this.#add(name, this.#ownBody('block clause'))
    return { kind: 'template', line, name, pipeline }
  }

  #templateName(context: string): string {
    const token = this.#cursor.nextNonSpace()
    if (token.kind !== 'string' && token.kind !== 'rawString') this.#cursor.unexpected(token, context)
    return unquoteToken(this.#cursor, token)
  }

  #pipeline(context: string): Pipeline {
    return this.#pipelines.parse({ context, scope: this.#scope })
  }
}

function isEmptyBody(body: Body): boolean {
  return body.every((node) => node.kind === 'text' && trimSpace(node.text) === '')
}
