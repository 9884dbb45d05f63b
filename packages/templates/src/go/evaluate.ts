import { checkArgument, literalArgument } from './arguments.ts'
import type { Body, Branch, Command, Definitions, Node, Operand, Pipeline, RangeNode, TemplateNode } from './ast.ts'
import { fail, GoCallError, GoTemplateExecError, GoTemplateLimitError } from './errors.ts'
import { readField } from './fields.ts'
import { printable } from './format/print.ts'
import type { CallContext, GoFunction, ParameterType } from './function.ts'
import { rangeItems } from './iterate.ts'
import { type Budget, ByteSink } from './limits.ts'
import { GoMap, GoObject, GoSlice, type GoValue, indirect, isTrue } from './values.ts'
import { Variables } from './variables.ts'

/** Options of {@link evaluate}. */
export interface EvaluateOptions {
  readonly definitions: Definitions
  /** The name of the rendered definition. */
  readonly name: string
  readonly functions: ReadonlyMap<string, GoFunction>
  readonly budget: Budget
}

/** Runs a template on a value and returns its output, a byte string. */
export function evaluate(data: GoValue, options: EvaluateOptions): string {
  return new Evaluator(options).run(data)
}

/** The way a body ended. */
type Exit = 'end' | 'break' | 'continue'

/** The value of a pipeline stage that has no stage before it; differs from every value a stage can have. */
const NO_FINAL = Symbol('no final argument')
type Final = GoValue | typeof NO_FINAL

/** Deepest nesting of bodies, parentheses and templates together: keeps the runtime's own stack from running out. */
const MAX_NESTING = 400

class Evaluator {
  readonly #options: EvaluateOptions
  readonly #budget: Budget
  readonly #context: CallContext
  readonly #output: ByteSink
  #variables: Variables
  #templates = 0
  #nesting = 0
  #line = 1

  constructor(options: EvaluateOptions) {
    this.#options = options
    this.#budget = options.budget
    this.#context = { budget: options.budget }
    this.#output = new ByteSink(options.budget)
    this.#variables = new Variables(options.budget, undefined)
  }

  run(data: GoValue): string {
    try {
      this.#variables = new Variables(this.#budget, data)
      this.#body(this.#options.definitions.get(this.#options.name) ?? [], data)
    } catch (error) {
      if (error instanceof GoCallError) throw new GoTemplateExecError(error.message, this.#line)
      throw error
    }
    return this.#output.finish()
  }

  #body(body: Body, dot: GoValue): Exit {
    this.#enter()
    let exit: Exit = 'end'
    for (const node of body) {
      exit = this.#node(node, dot)
      if (exit !== 'end') break
    }
    this.#nesting--
    return exit
  }

  #enter(): void {
    if (this.#nesting >= MAX_NESTING) throw new GoTemplateLimitError('nesting', MAX_NESTING)
    this.#nesting++
  }

  #node(node: Node, dot: GoValue): Exit {
    this.#budget.spend(1)
    if (node.kind === 'text') {
      this.#output.write(node.text)
      return 'end'
    }
    this.#line = node.line
    switch (node.kind) {
      case 'action': {
        const value = this.#pipeline(node.pipeline, dot)
        if (node.pipeline.variables.length === 0) this.#output.write(printable(this.#budget, value))
        return 'end'
      }
      case 'if':
      case 'with':
        return this.#branches(node.kind, node.branches, node.otherwise, dot)
      case 'range':
        return this.#range(node, dot)
      case 'template':
        this.#template(node, dot)
        return 'end'
      case 'break':
      case 'continue':
        return node.kind
    }
  }

  #branches(kind: 'if' | 'with', branches: readonly Branch[], otherwise: Body, dot: GoValue): Exit {
    const mark = this.#variables.size
    let exit: Exit | undefined
    for (const { pipeline, body } of branches) {
      const value = this.#pipeline(pipeline, dot)
      if (!isTrue(value)) continue
      exit = this.#body(body, kind === 'with' ? value : dot)
      break
    }
    exit ??= this.#body(otherwise, dot)
    this.#variables.dropTo(mark)
    return exit
  }

  #range(node: RangeNode, dot: GoValue): Exit {
    const outer = this.#variables.size
    const value = indirect(this.#pipeline(node.pipeline, dot))
    const mark = this.#variables.size
    let rounds = 0
    let exit: Exit = 'end'
    const options = { variables: node.pipeline.variables.length, maxRounds: this.#budget.limits.maxListLength }
    for (const [index, item] of rangeItems(value, options)) {
      rounds++
      this.#budget.spend(1)
      this.#setLoopVariables(node.pipeline, index, item, mark)
      exit = this.#body(node.body, item)
      this.#variables.dropTo(mark)
      if (exit === 'break') break
    }
    // Go lets a `break` in the else part end there; a `continue` goes on to the range around it.
    if (rounds === 0) exit = this.#body(node.otherwise, dot)
    this.#variables.dropTo(outer)
    return rounds === 0 && exit === 'continue' ? exit : 'end'
  }

  #setLoopVariables(pipeline: Pipeline, index: GoValue, item: GoValue, mark: number): void {
    const [first, second] = pipeline.variables
    if (first === undefined) return
    if (pipeline.isAssignment) {
      this.#variables.set(first, second === undefined ? item : index)
      if (second !== undefined) this.#variables.set(second, item)
      return
    }
    this.#variables.setAt(mark - 1, item)
    if (second !== undefined) this.#variables.setAt(mark - 2, index)
  }

  #template(node: TemplateNode, dot: GoValue): void {
    const body = this.#options.definitions.get(node.name)
    if (body === undefined) fail('template not defined')
    const { maxTemplateDepth } = this.#budget.limits
    if (this.#templates >= maxTemplateDepth) throw new GoTemplateLimitError('maxTemplateDepth', maxTemplateDepth)
    const data = node.pipeline === undefined ? undefined : this.#pipeline(node.pipeline, dot)
    const outer = this.#variables
    this.#variables = new Variables(this.#budget, data)
    this.#templates++
    this.#body(body, data)
    this.#templates--
    this.#variables = outer
  }

  /** The value of a pipeline, or no value. Unwraps nil interfaces. */
  #pipeline(pipeline: Pipeline, dot: GoValue): GoValue {
    this.#enter()
    this.#line = pipeline.line
    let final: Final = NO_FINAL
    for (const command of pipeline.commands) {
      this.#budget.spend(1)
      final = this.#command(command, dot, final) ?? undefined
    }
    const value = final === NO_FINAL ? undefined : final
    for (const name of pipeline.variables) {
      if (pipeline.isAssignment) this.#variables.set(name, value)
      else this.#variables.push(name, value)
    }
    this.#nesting--
    return value
  }

  #command(command: Command, dot: GoValue, final: Final): GoValue {
    const [word, ...args] = command.operands
    this.#line = command.line
    switch (word.kind) {
      case 'identifier':
        return this.#call(word.name, args, dot, final)
      case 'field':
        return this.#chain(dot, word.names, dot, args, final)
      case 'variable':
        if (word.names.length > 0) return this.#chain(this.#variables.get(word.name), word.names, dot, args, final)
        break
      case 'chain':
        return this.#chain(this.#chainStart(word.operand, dot), word.names, dot, args, final)
      case 'nil':
        fail('nil is not a command')
        break
      default:
    }
    if (args.length > 0 || final !== NO_FINAL) fail("can't give argument to non-function")
    return this.#operand(word, dot, 'value')
  }

  /** The value of an operand as an argument of a type. */
  #operand(operand: Operand, dot: GoValue, type: ParameterType): GoValue {
    switch (operand.kind) {
      case 'dot':
        return checkArgument(type, dot)
      case 'field':
        return checkArgument(type, this.#chain(dot, operand.names, dot, [], NO_FINAL))
      case 'variable':
        return checkArgument(type, this.#chain(this.#variables.get(operand.name), operand.names, dot, [], NO_FINAL))
      case 'pipeline':
        return checkArgument(type, this.#pipeline(operand, dot))
      case 'identifier':
        return checkArgument(type, this.#call(operand.name, [], dot, NO_FINAL))
      case 'chain':
        return checkArgument(
          type,
          this.#chain(this.#chainStart(operand.operand, dot), operand.names, dot, [], NO_FINAL),
        )
      case 'bool':
      case 'string':
      case 'number':
      case 'nil':
        return literalArgument(type, operand)
    }
  }

  #chainStart(operand: Operand, dot: GoValue): GoValue {
    return operand.kind === 'nil' ? fail('indirection through explicit nil') : this.#operand(operand, dot, 'value')
  }

  /** `.A.B.C`: fields of fields; only the last one may be a method with arguments. */
  #chain(start: GoValue, names: readonly string[], dot: GoValue, args: readonly Operand[], final: Final): GoValue {
    let receiver = start
    const last = names.length - 1
    for (const [at, name] of names.entries()) {
      // A missing value gives no value, without a check for arguments.
      if (receiver === undefined) return undefined
      this.#budget.spend(1)
      const object = indirect(receiver)
      if (object instanceof GoObject) {
        const isLast = at === last
        receiver = object.call(name, isLast ? this.#methodArguments(args, dot, final) : [])
      } else {
        if (at === last && (args.length > 0 || final !== NO_FINAL)) fail(`${name} is not a method but has arguments`)
        receiver = readField(receiver, name)
      }
    }
    return receiver
  }

  #methodArguments(args: readonly Operand[], dot: GoValue, final: Final): GoValue[] {
    const values = args.map((arg) => this.#operand(arg, dot, 'any'))
    if (final !== NO_FINAL) values.push(checkArgument('any', final))
    return values
  }

  #call(name: string, args: readonly Operand[], dot: GoValue, final: Final): GoValue {
    const target = this.#options.functions.get(name) ?? fail(`${name} is not a defined function`)
    const count = args.length + (final === NO_FINAL ? 0 : 1)
    checkCount(name, target, count)
    if (name === 'and' || name === 'or') return this.#shortCircuit(name, args, dot, final)
    const line = this.#line
    const values = args.map((arg, at) => this.#operand(arg, dot, typeAt(target, at)))
    if (final !== NO_FINAL) values.push(checkArgument(typeAt(target, count - 1), final))
    this.#line = line
    this.#spendOn(values)
    const result = target.run(this.#context, values)
    if (typeof result === 'string') {
      this.#budget.checkBytes(result.length)
      this.#budget.spendBytes(result.length)
    }
    return result
  }

  #shortCircuit(name: 'and' | 'or', args: readonly Operand[], dot: GoValue, final: Final): GoValue {
    let value: GoValue
    for (const arg of args) {
      value = this.#operand(arg, dot, 'value')
      if (isTrue(value) === (name === 'or')) return value
    }
    return final === NO_FINAL ? value : final
  }

  /** Texts and lists cost by their size, so that a loop over a large one cannot run for free. */
  #spendOn(values: readonly GoValue[]): void {
    for (const value of values) {
      if (typeof value === 'string') this.#budget.spendBytes(value.length)
      else if (value instanceof GoSlice) this.#budget.spend(Math.ceil(value.items.length / 4))
      else if (value instanceof GoMap) this.#budget.spend(Math.ceil(value.entries.size / 4))
    }
  }
}

function checkCount(name: string, target: GoFunction, count: number): void {
  const least = target.parameters.length
  if (target.variadic !== undefined) {
    if (count < least) fail(`wrong number of args for ${name}: want at least ${least} got ${count}`)
  } else if (count !== least) {
    fail(`wrong number of args for ${name}: want ${least} got ${count}`)
  }
}

function typeAt(target: GoFunction, at: number): ParameterType {
  return target.parameters[at] ?? target.variadic ?? 'any'
}
