import type { Command, Operand, Pipeline } from './ast.ts'
import type { Token, TokenKind } from './lexer.ts'
import { parseNumber } from './literals.ts'
import { excerpt, unquote } from './quote.ts'
import type { Scope } from './scope.ts'
import type { TokenCursor } from './token-cursor.ts'

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

/** The place of a pipeline. */
export interface PipelinePlace {
  /** The purpose of the pipeline, in the words of error messages; `range` may declare two variables. */
  readonly context: string
  readonly scope: Scope
}

/** Reads pipelines: declarations, commands, operands. */
export class PipelineParser {
  readonly #cursor: TokenCursor
  readonly #hasFunction: (name: string) => boolean
  #scope: Scope | undefined

  constructor(cursor: TokenCursor, hasFunction: (name: string) => boolean) {
    this.#cursor = cursor
    this.#hasFunction = hasFunction
  }

  /** A pipeline up to the end of its action. Variables it declares go to the scope. */
  parse({ context, scope }: PipelinePlace): Pipeline {
    this.#scope = scope
    return this.#pipeline(context, 'right')
  }

  #pipeline(context: string, end: 'right' | 'rightParen'): Pipeline {
    const { line } = this.#cursor.peekNonSpace()
    const { variables, isAssignment } = this.#declarations(context)
    const commands: Command[] = []
    for (;;) {
      const token = this.#cursor.peekNonSpace()
      if (token.kind === end) {
        this.#cursor.nextNonSpace()
        break
      }
      if (!OPERAND_STARTS.has(token.kind)) this.#cursor.unexpected(token, context)
      commands.push(this.#command())
    }
    this.#checkStages(commands, context)
    return { kind: 'pipeline', line, variables, isAssignment, commands }
  }

  #checkStages(commands: readonly Command[], context: string): void {
    if (commands.length === 0) this.#cursor.fail(`missing value for ${context}`)
    for (const [stage, command] of commands.entries()) {
      if (stage > 0 && NOT_EXECUTABLE.has(command.operands[0].kind)) {
        this.#cursor.fail(`non executable command in pipeline stage ${stage + 1}`)
      }
    }
  }

  /** `$x :=`, `$x =` and, for range, `$i, $v :=`. */
  #declarations(context: string): { variables: readonly string[]; isAssignment: boolean } {
    const variables: string[] = []
    let operator: Token | undefined
    do {
      operator = this.#declaration(variables)
      if (operator?.kind === 'char') this.#checkSecond(context, variables.length)
    } while (operator?.kind === 'char')
    return { variables, isAssignment: operator?.kind === 'assign' }
  }

  /** Reads a variable and the token that declares it: `:=`, `=` or a comma. Takes nothing without such a token. */
  #declaration(variables: string[]): Token | undefined {
    let operator: Token | undefined
    this.#cursor.attempt(() => {
      const variable = this.#cursor.nextNonSpace()
      const next = this.#cursor.nextNonSpace()
      const isOperator =
        next.kind === 'assign' || next.kind === 'declare' || (next.kind === 'char' && next.text === ',')
      if (variable.kind !== 'variable' || !isOperator) return false
      operator = next
      variables.push(variable.text)
      this.#scope?.declare(variable.text)
      return true
    })
    return operator
  }

  #checkSecond(context: string, declared: number): void {
    if (context !== 'range' || declared > 1) this.#cursor.fail(`too many declarations in ${context}`)
    const { kind } = this.#cursor.peekNonSpace()
    if (kind !== 'variable' && kind !== 'right' && kind !== 'rightParen') {
      this.#cursor.fail('range can only initialize variables')
    }
  }

  #command(): Command {
    const { line } = this.#cursor.peekNonSpace()
    const operands: Operand[] = []
    for (;;) {
      this.#cursor.peekNonSpace()
      const operand = this.#operand()
      if (operand !== undefined) operands.push(operand)
      const token = this.#cursor.next()
      if (token.kind === 'space') continue
      if (token.kind === 'right' || token.kind === 'rightParen') this.#cursor.back()
      else if (token.kind !== 'pipe') this.#cursor.unexpected(token, 'operand')
      break
    }
    const [first, ...rest] = operands
    if (first === undefined) return this.#cursor.fail('empty command')
    return { line, operands: [first, ...rest] }
  }

  /** A term with its attached fields. */
  #operand(): Operand | undefined {
    const term = this.#term()
    if (term === undefined || this.#cursor.peek().kind !== 'field') return term
    const names: string[] = []
    while (this.#cursor.peek().kind === 'field') names.push(this.#cursor.next().text.slice(1))
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
        return this.#cursor.fail('unexpected . after term')
      case 'identifier':
      case 'pipeline':
      case 'chain':
        return { kind: 'chain', operand: term, names }
    }
  }

  #term(): Operand | undefined {
    const token = this.#cursor.nextNonSpace()
    switch (token.kind) {
      case 'identifier':
        if (!this.#hasFunction(token.text)) this.#cursor.fail(`function ${excerpt(token.text)} not defined`)
        return { kind: 'identifier', name: token.text }
      case 'dot':
        return { kind: 'dot' }
      case 'nil':
        return { kind: 'nil' }
      case 'bool':
        return { kind: 'bool', value: token.text === 'true' }
      case 'variable':
        if (this.#scope?.has(token.text) !== true) this.#cursor.fail(`undefined variable ${excerpt(token.text)}`)
        return { kind: 'variable', name: token.text, names: [] }
      case 'field':
        return { kind: 'field', names: [token.text.slice(1)] }
      case 'string':
      case 'rawString':
        return { kind: 'string', value: unquoteToken(this.#cursor, token) }
      case 'charConstant':
      case 'complex':
      case 'number':
        return this.#number(token.text, token.kind)
      case 'leftParen':
        return this.#cursor.nested(() => this.#pipeline('parenthesized pipeline', 'rightParen'))
      default:
        this.#cursor.back()
        return undefined
    }
  }

  #number(text: string, kind: 'number' | 'complex' | 'charConstant'): Operand {
    const literal = parseNumber(text, kind)
    if (typeof literal === 'string') return this.#cursor.fail(`${literal}: ${excerpt(text)}`)
    return { kind: 'number', literal, text }
  }
}

/** The text of a string token. */
export function unquoteToken(cursor: TokenCursor, token: Token): string {
  return unquote(token.text) ?? cursor.fail('invalid syntax in string')
}
