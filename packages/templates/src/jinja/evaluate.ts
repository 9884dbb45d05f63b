import { getAttribute, getItem } from './attributes.ts'
import { callValue } from './call.ts'
import { contains, isEqual, isOrdered } from './compare.ts'
import { raise } from './errors.ts'
import { failOnUndefined } from './fail-on-undefined.ts'
import { escapeText } from './html.ts'
import { toItems } from './iterate.ts'
import { FILTERS, TESTS } from './library.ts'
import { applyOperator, applySign } from './operators.ts'
import { printValue } from './print.ts'
import type { Rendering } from './rendering.ts'
import type { Scope } from './scope.ts'
import { sliceValue } from './slice.ts'
import type {
  CallArguments,
  CallNode,
  Comparison,
  ComparisonOperator,
  ConcatenationNode,
  ConditionalNode,
  DictNode,
  Expression,
  FilterNode,
  SliceNode,
  TestNode,
} from './syntax/ast.ts'
import { isTrue } from './truth.ts'
import { type Arguments, type Implementation, NO_NAMES } from './values/callable.ts'
import { Dict, payForKey } from './values/dict.ts'
import { typeName } from './values/type-name.ts'
import { Markup, Tuple, Undefined, type Value } from './values/value.ts'

/** Computes expressions for one rendering. */
export class Evaluator {
  readonly #run: Rendering

  constructor(run: Rendering) {
    this.#run = run
  }

  /** The value of an expression. */
  evaluate(node: Expression, scope: Scope): Value {
    const run = this.#run
    run.spend()
    switch (node.kind) {
      case 'constant':
        return node.value
      case 'name':
        return scope.get(node.name)
      default:
    }
    run.enter()
    const value = this.#evaluateNested(node, scope)
    run.leave()
    return value
  }

  #evaluateNested(node: Exclude<Expression, { kind: 'constant' | 'name' }>, scope: Scope): Value {
    switch (node.kind) {
      case 'attribute': {
        const object = this.evaluate(node.object, scope)
        this.#run.line = node.line
        return getAttribute(this.#run, object, node.name)
      }
      case 'item': {
        const object = this.evaluate(node.object, scope)
        const key = this.evaluate(node.key, scope)
        this.#run.line = node.line
        return getItem(this.#run, object, key)
      }
      case 'arithmetic': {
        const left = this.evaluate(node.left, scope)
        const right = this.evaluate(node.right, scope)
        this.#run.line = node.line
        return applyOperator(this.#run, node.operator, left, right)
      }
      case 'concatenation':
        return this.#concatenate(node, scope)
      case 'comparison':
        return this.#compare(node, scope)
      case 'call':
        return this.call(node, scope)
      case 'filter':
        return this.filter(node, scope)
      case 'test':
        return this.#test(node, scope)
      case 'and': {
        const left = this.evaluate(node.left, scope)
        return isTrue(left) ? this.evaluate(node.right, scope) : left
      }
      case 'or': {
        const left = this.evaluate(node.left, scope)
        return isTrue(left) ? left : this.evaluate(node.right, scope)
      }
      case 'not':
        return !isTrue(this.evaluate(node.operand, scope))
      case 'positive':
        return applySign('+', this.evaluate(node.operand, scope))
      case 'negative':
        return applySign('-', this.evaluate(node.operand, scope))
      case 'conditional':
        return this.#choose(node, scope)
      case 'list':
        return this.#evaluateAll(node.items, scope)
      case 'tuple':
        return new Tuple(this.#evaluateAll(node.items, scope))
      case 'dict':
        return this.#makeDict(node, scope)
      case 'slice':
        return this.#slice(node, scope)
    }
  }

  #evaluateAll(nodes: readonly Expression[], scope: Scope): Value[] {
    const values: Value[] = []
    for (const node of nodes) values.push(this.evaluate(node, scope))
    return values
  }

  #makeDict(node: DictNode, scope: Scope): Dict {
    const dict = new Dict()
    for (const { key, value } of node.entries) {
      const name = this.evaluate(key, scope)
      this.#run.line = node.line
      payForKey(this.#run, name)
      dict.set(name, this.evaluate(value, scope))
    }
    return dict
  }

  #slice(node: SliceNode, scope: Scope): Value {
    const object = this.evaluate(node.object, scope)
    const bound = (part: Expression | undefined): Value => (part === undefined ? null : this.evaluate(part, scope))
    const bounds = { start: bound(node.start), stop: bound(node.stop), step: bound(node.step) }
    this.#run.line = node.line
    return sliceValue(this.#run, object, bounds)
  }

  #choose(node: ConditionalNode, scope: Scope): Value {
    if (isTrue(this.evaluate(node.test, scope))) return this.evaluate(node.whenTrue, scope)
    if (node.whenFalse !== undefined) return this.evaluate(node.whenFalse, scope)
    return new Undefined(
      `the inline if-expression on line ${node.line} evaluated to false and no else section was defined.`,
    )
  }

  /** Joins the parts as text; with escaping on, a safe part makes the result safe. */
  #concatenate(node: ConcatenationNode, scope: Scope): Value {
    const run = this.#run
    const values = this.#evaluateAll(node.parts, scope)
    run.line = node.line
    if (run.autoescape && values.some((value) => value instanceof Markup)) {
      const parts = values.map((value) =>
        value instanceof Markup ? value.text : escapeText(run, printValue(run, value)),
      )
      return new Markup(run.built(parts.join('')))
    }
    let text = ''
    for (const value of values) text += printValue(run, value)
    return run.built(text)
  }

  #compare(node: Comparison, scope: Scope): Value {
    let left = this.evaluate(node.first, scope)
    for (const { operator, operand } of node.rest) {
      const right = this.evaluate(operand, scope)
      this.#run.line = node.line
      if (!this.#holds(operator, left, right)) return false
      left = right
    }
    return true
  }

  #holds(operator: ComparisonOperator, left: Value, right: Value): boolean {
    const run = this.#run
    switch (operator) {
      case '==':
        return isEqual(run, left, right)
      case '!=':
        return !isEqual(run, left, right)
      case 'in':
        return contains(run, right, left)
      case 'not in':
        return !contains(run, right, left)
      default:
        return isOrdered(run, operator, left, right)
    }
  }

  /** The result of a call; `caller` is passed along by a call block. */
  call(node: CallNode, scope: Scope, caller?: Value): Value {
    const callee = this.evaluate(node.callee, scope)
    const given = this.#evaluateArguments(node.given, scope, { caller })
    this.#run.line = node.line
    return callValue(this.#run, callee, given)
  }

  /** The result of a filter; a filter of a block passes `input`. */
  filter(node: FilterNode, scope: Scope, input: Value = ''): Value {
    const value = this.#evaluateInput(node, scope, input)
    const filter = FILTERS.get(node.name) ?? this.#failUnknown('filter', node.name)
    return this.#apply(filter, node, { value, scope })
  }

  #evaluateInput(node: FilterNode, scope: Scope, input: Value): Value {
    if (node.input === undefined) return input
    // Only the innermost filter of a block lacks its input, so the one of the block goes down the chain.
    return node.input.kind === 'filter' ? this.filter(node.input, scope, input) : this.evaluate(node.input, scope)
  }

  #test(node: TestNode, scope: Scope): boolean {
    const value = this.evaluate(node.input, scope)
    const test = TESTS.get(node.name) ?? this.#failUnknown('test', node.name)
    return isTrue(this.#apply(test, node, { value, scope }))
  }

  #apply(
    implementation: Implementation,
    node: FilterNode | TestNode,
    { value, scope }: { readonly value: Value; readonly scope: Scope },
  ): Value {
    const given = this.#evaluateArguments(node.given, scope, { first: value })
    this.#run.line = node.line
    return implementation(this.#run, given)
  }

  /** Compiling finds unknown names, except for names that an `if` may skip. */
  #failUnknown(kind: 'filter' | 'test', name: string): never {
    return raise('TemplateRuntimeError', `No ${kind} named '${name}' found.`)
  }

  #evaluateArguments(
    given: CallArguments,
    scope: Scope,
    extra: { readonly first?: Value; readonly caller?: Value | undefined },
  ): Arguments {
    const positional: Value[] = extra.first === undefined ? [] : [extra.first]
    for (const node of given.positional) positional.push(this.evaluate(node, scope))
    if (given.spread !== undefined) {
      for (const item of toItems(this.#run, this.evaluate(given.spread, scope))) positional.push(item)
    }
    if (given.named.length === 0 && given.spreadNamed === undefined && extra.caller === undefined) {
      return { positional, named: NO_NAMES }
    }
    const named = new Map<string, Value>()
    for (const { name, value } of given.named) named.set(name, this.evaluate(value, scope))
    if (extra.caller !== undefined) named.set('caller', extra.caller)
    if (given.spreadNamed !== undefined) this.#spreadNamed(this.evaluate(given.spreadNamed, scope), named)
    return { positional, named }
  }

  #spreadNamed(value: Value, named: Map<string, Value>): void {
    failOnUndefined(value)
    if (!(value instanceof Dict)) raise('TypeError', `argument after ** must be a mapping, not ${typeName(value)}`)
    for (const [key, item] of value.entries()) {
      this.#run.spend()
      if (typeof key !== 'string') raise('TypeError', 'keywords must be strings')
      if (named.has(key)) raise('TypeError', `got multiple values for keyword argument '${key}'`)
      named.set(key, item)
    }
  }
}
