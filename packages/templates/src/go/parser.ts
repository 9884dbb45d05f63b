import type { Body, Branch, Command, Definitions, Node, Operand, Pipeline } from './ast.ts'
import { GoTemplateLimitError, GoTemplateSyntaxError } from './errors.ts'
import type { Token, TokenKind } from './lexer.ts'
import { tokenize } from './lexer.ts'
import { parseNumber } from './literals.ts'
import { excerpt, unquote } from './quote.ts'
import { trimSpace } from './text.ts'

/** What the parser needs to know beside the source. */
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

/** How a body ended: the keyword, and for `else` whether `if` or `with` follows in the same action. */
type Ending = 'end' | 'else' | 'elseIf' | 'elseWith'

/** What is in force inside one template definition. */
class Scope {
  /** How many loops are open. */
  ranges = 0
  readonly #declared: string[] = []
  readonly #counts = new Map<string, number>()

  constructor() {
    this.declare('$')
  }

  /** How many variables are declared; {@link dropTo} goes back to it. */
  get size(): number {
    return this.#declared.length
  }

  has(name: string): boolean {
    return (this.#counts.get(name) ?? 0) > 0
  }

  declare(name: string): void {
    this.#declared.push(name)
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
  }

  dropTo(size: number): void {
    for (const name of this.#declared.splice(size)) this.#counts.set(name, (this.#counts.get(name) ?? 0) - 1)
  }
}

const OPERAND_STARTS: ReadonlySet<TokenKind> = new Set([
  'bool',
  'charConstant',
  'complex',
  'dot',
  'field',
  'identifier',
  'number',
  'nil',
  'rawString',
  'string',
  'variable',
  'leftParen',
])
const NOT_EXECUTABLE: ReadonlySet<Operand['kind']> = new Set(['bool', 'dot', 'nil', 'number', 'string'])

class Parser {
  readonly #tokens: readonly Token[]
  readonly #options: ParseOptions
  readonly #definitions = new Map<string, Body>()
  #at = 0
  #depth = 0
  #scope = new Scope()

  constructor(tokens: readonly Token[], options: ParseOptions) {
    this.#tokens = tokens
    this.#options = options
  }

  run(): Definitions {
    const body: Node[] = []
    while (this.#peek().kind !== 'eof') {
      if (this.#isDefine()) this.#define()
      else {
        const node = this.#node()
        if (typeof node === 'string') this.#fail(`unexpected {{${node === 'end' ? 'end' : 'else'}}}`)
        body.push(node)
      }
    }
    this.#add(this.#options.name, body)
    return this.#definitions
  }

  #isDefine(): boolean {
    if (this.#peek().kind !== 'left') return false
    let next = this.#at + 1
    while (this.#tokens[next]?.kind === 'space') next++
    const token = this.#tokens[next]
    if (token?.kind !== 'keyword' || token.text !== 'define') return false
    this.#at = next + 1
    return true
  }

  #define(): void {
    const name = this.#templateName('define clause')
    this.#expect('right', 'define clause')
    this.#add(name, this.#ownBody('define clause'))
  }

  /** A body with variables of its own, up to its `end`. */
  #ownBody(context: string): Body {
    const outer = this.#scope
    this.#scope = new Scope()
    const { body, ending } = this.#body()
    if (ending !== 'end') this.#fail(`unexpected {{else}} in ${context}`)
    this.#scope = outer
    return body
  }

  /** An empty definition neither replaces another nor keeps one out; two with content are an error. */
  #add(name: string, body: Body): void {
    const known = this.#definitions.get(name)
    if (known === undefined || isEmptyBody(known)) this.#definitions.set(name, body)
    else if (!isEmptyBody(body)) this.#fail(`multiple definition of template ${excerpt(name)}`)
  }

  #body(): { body: Body; ending: Ending } {
    return this.#nested(() => {
      const body: Node[] = []
      while (this.#peekNonSpace().kind !== 'eof') {
        const node = this.#node()
        if (typeof node === 'string') return { body, ending: node }
        body.push(node)
      }
      return this.#fail('unexpected EOF')
    })
  }

  #node(): Node | Ending {
    const token = this.#nextNonSpace()
    if (token.kind === 'text') return { kind: 'text', text: token.text }
    if (token.kind !== 'left') return this.#unexpected(token, 'input')
    return this.#action()
  }

  #action(): Node | Ending {
    const token = this.#peekNonSpace()
    if (token.kind !== 'keyword') {
      return { kind: 'action', line: token.line, pipeline: this.#pipeline('command', 'right') }
    }
    this.#at++
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
        this.#expect('right', 'end')
        return 'end'
    }
    return this.#unexpected(token, 'command')
  }

  #else(): Ending {
    const next = this.#peekNonSpace()
    if (next.kind === 'keyword' && (next.text === 'if' || next.text === 'with')) {
      return next.text === 'if' ? 'elseIf' : 'elseWith'
    }
    this.#expect('right', 'else')
    return 'else'
  }

  #loopExit(kind: 'break' | 'continue', line: number): Node {
    const token = this.#nextNonSpace()
    if (token.kind !== 'right') this.#unexpected(token, `{{${kind}}}`)
    if (this.#scope.ranges === 0) this.#fail(`{{${kind}}} outside {{range}}`)
    return { kind, line }
  }

  /** `if` and `with`: arms of the same keyword joined by `else`, then perhaps an `else` of its own. */
  #branches(kind: 'if' | 'with', line: number): Node {
    const declared = this.#scope.size
    const branches: Branch[] = []
    let otherwise: Body = []
    for (;;) {
      const pipeline = this.#pipeline(kind, 'right')
      const { body, ending } = this.#body()
      branches.push({ pipeline, body })
      if (ending === 'end') break
      if (ending === (kind === 'if' ? 'elseIf' : 'elseWith')) {
        this.#at = this.#indexOfNonSpace() + 1
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
    const pipeline = this.#pipeline('range', 'right')
    this.#scope.ranges++
    const { body, ending } = this.#body()
    this.#scope.ranges--
    const otherwise = ending === 'end' ? [] : this.#lastBody()
    this.#scope.dropTo(declared)
    return { kind: 'range', line, pipeline, body, otherwise }
  }

  #lastBody(): Body {
    const { body, ending } = this.#body()
    if (ending !== 'end') this.#fail('expected end; found {{else}}')
    return body
  }

  #template(line: number): Node {
    const name = this.#templateName('template clause')
    if (this.#peekNonSpace().kind === 'right') {
      this.#nextNonSpace()
      return { kind: 'template', line, name, pipeline: undefined }
    }
    return { kind: 'template', line, name, pipeline: this.#pipeline('template clause', 'right') }
  }

  #block(line: number): Node {
    const name = this.#templateName('block clause')
    const pipeline = this.#pipeline('block clause', 'right')
    this.#add(name, this.#ownBody('block clause'))
    return { kind: 'template', line, name, pipeline }
  }

  #templateName(context: string): string {
    const token = this.#nextNonSpace()
    if (token.kind !== 'string' && token.kind !== 'rawString') this.#unexpected(token, context)
    return this.#unquote(token)
  }

  #pipeline(context: string, end: 'right' | 'rightParen'): Pipeline {
    const { line } = this.#peekNonSpace()
    const { variables, isAssignment } = this.#declarations(context)
    const commands: Command[] = []
    for (;;) {
      const token = this.#peekNonSpace()
      if (token.kind === end) {
        this.#nextNonSpace()
        break
      }
      if (!OPERAND_STARTS.has(token.kind)) this.#unexpected(token, context)
      commands.push(this.#command())
    }
    this.#checkStages(commands, context)
    return { kind: 'pipeline', line, variables, isAssignment, commands }
  }

  #checkStages(commands: readonly Command[], context: string): void {
    if (commands.length === 0) this.#fail(`missing value for ${context}`)
    for (const [stage, command] of commands.entries()) {
      if (stage > 0 && NOT_EXECUTABLE.has(command.operands[0].kind)) {
        this.#fail(`non executable command in pipeline stage ${stage + 1}`)
      }
    }
  }

  /** `$x :=`, `$x =` and, for range, `$i, $v :=`. */
  #declarations(context: string): { variables: readonly string[]; isAssignment: boolean } {
    const variables: string[] = []
    for (;;) {
      const start = this.#indexOfNonSpace()
      const variable = this.#tokens[start]
      if (variable?.kind !== 'variable') return { variables, isAssignment: false }
      this.#at = start + 1
      const next = this.#peekNonSpace()
      const isComma = next.kind === 'char' && next.text === ','
      if (next.kind !== 'assign' && next.kind !== 'declare' && !isComma) {
        this.#at = start
        return { variables, isAssignment: false }
      }
      this.#nextNonSpace()
      variables.push(variable.text)
      this.#scope.declare(variable.text)
      if (!isComma) return { variables, isAssignment: next.kind === 'assign' }
      this.#checkSecond(context, variables.length)
    }
  }

  #checkSecond(context: string, declared: number): void {
    if (context !== 'range' || declared > 1) this.#fail(`too many declarations in ${context}`)
    const { kind } = this.#peekNonSpace()
    if (kind !== 'variable' && kind !== 'right' && kind !== 'rightParen') {
      this.#fail('range can only initialize variables')
    }
  }

  #command(): Command {
    const { line } = this.#peekNonSpace()
    const operands: Operand[] = []
    for (;;) {
      this.#peekNonSpace()
      const operand = this.#operand()
      if (operand !== undefined) operands.push(operand)
      const token = this.#next()
      if (token.kind === 'space') continue
      if (token.kind === 'right' || token.kind === 'rightParen') this.#at--
      else if (token.kind !== 'pipe') this.#unexpected(token, 'operand')
      break
    }
    const [first, ...rest] = operands
    if (first === undefined) return this.#fail('empty command')
    return { line, operands: [first, ...rest] }
  }

  /** A term and the fields that cling to it. */
  #operand(): Operand | undefined {
    const term = this.#term()
    if (term === undefined || this.#peek().kind !== 'field') return term
    const names: string[] = []
    while (this.#peek().kind === 'field') names.push(this.#next().text.slice(1))
    switch (term.kind) {
      case 'field':
        return { kind: 'field', names: [...term.names, ...names] }
      case 'variable':
        return { ...term, names }
      case 'bool':
      case 'string':
      case 'number':
      case 'nil':
      case 'dot':
        return this.#fail('unexpected . after term')
      case 'identifier':
      case 'pipeline':
      case 'chain':
        return { kind: 'chain', operand: term, names }
    }
  }

  #term(): Operand | undefined {
    const token = this.#nextNonSpace()
    switch (token.kind) {
      case 'identifier':
        if (!this.#options.hasFunction(token.text)) this.#fail(`function ${excerpt(token.text)} not defined`)
        return { kind: 'identifier', name: token.text }
      case 'dot':
        return { kind: 'dot' }
      case 'nil':
        return { kind: 'nil' }
      case 'bool':
        return { kind: 'bool', value: token.text === 'true' }
      case 'variable':
        if (!this.#scope.has(token.text)) this.#fail(`undefined variable ${excerpt(token.text)}`)
        return { kind: 'variable', name: token.text, names: [] }
      case 'field':
        return { kind: 'field', names: [token.text.slice(1)] }
      case 'string':
      case 'rawString':
        return { kind: 'string', value: this.#unquote(token) }
      case 'charConstant':
      case 'complex':
      case 'number':
        return this.#number(token.text, token.kind)
      case 'leftParen':
        return this.#nested(() => this.#pipeline('parenthesized pipeline', 'rightParen'))
      default:
        this.#at--
        return undefined
    }
  }

  #number(text: string, kind: 'number' | 'complex' | 'charConstant'): Operand {
    const literal = parseNumber(text, kind)
    if (typeof literal === 'string') return this.#fail(`${literal}: ${excerpt(text)}`)
    return { kind: 'number', literal, text }
  }

  #unquote(token: Token): string {
    return unquote(token.text) ?? this.#fail('invalid syntax in string')
  }

  #nested<T>(parse: () => T): T {
    const { maxDepth } = this.#options
    if (this.#depth >= maxDepth) throw new GoTemplateLimitError('maxParseDepth', maxDepth)
    this.#depth++
    const parsed = parse()
    this.#depth--
    return parsed
  }

  #peek(): Token {
    const token = this.#tokens[this.#at] ?? this.#tokens.at(-1)
    return token ?? { kind: 'eof', text: 'EOF', line: 1 }
  }

  #next(): Token {
    const token = this.#peek()
    this.#at++
    return token
  }

  #indexOfNonSpace(): number {
    let at = this.#at
    while (this.#tokens[at]?.kind === 'space') at++
    return at
  }

  #peekNonSpace(): Token {
    this.#at = this.#indexOfNonSpace()
    return this.#peek()
  }

  #nextNonSpace(): Token {
    this.#at = this.#indexOfNonSpace()
    return this.#next()
  }

  #expect(kind: TokenKind, context: string): void {
    const token = this.#nextNonSpace()
    if (token.kind !== kind) this.#unexpected(token, context)
  }

  #unexpected(token: Token, context: string): never {
    if (token.kind === 'error') throw new GoTemplateSyntaxError(token.text, token.line)
    const shown = token.kind === 'eof' ? 'EOF' : excerpt(token.text)
    throw new GoTemplateSyntaxError(`unexpected ${shown} in ${context}`, token.line)
  }

  #fail(message: string): never {
    const { line } = this.#tokens[this.#at - 1] ?? this.#peek()
    throw new GoTemplateSyntaxError(message, line)
  }
}

function isEmptyBody(body: Body): boolean {
  return body.every((node) => node.kind === 'text' && trimSpace(node.text) === '')
}
