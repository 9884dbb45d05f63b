import { callValue } from './call.ts'
import { raise } from './errors.ts'
import { Evaluator } from './evaluate.ts'
import { escapeText } from './html.ts'
import { toItems, toIterator } from './iterate.ts'
import { Loop } from './loop.ts'
import { Macro } from './macro.ts'
import { Output } from './output.ts'
import { printValue } from './print.ts'
import type { Rendering } from './rendering.ts'
import { Scope } from './scope.ts'
import type {
  AutoescapeNode,
  BlockNode,
  CallBlockNode,
  FilterBlockNode,
  ForNode,
  IfNode,
  SetBlockNode,
  Statement,
  Target,
  WithNode,
} from './syntax/ast.ts'
import { NO_TRAITS } from './syntax/macro-traits.ts'
import type { MacroLike, Template } from './syntax/template.ts'
import { isTrue, measureSize } from './truth.ts'
import { BlockReference } from './values/block-reference.ts'
import { NO_ARGUMENTS } from './values/callable.ts'
import { Namespace } from './values/namespace.ts'
import { typeName } from './values/type-name.ts'
import { isText, Markup, Tuple, toPlainText, Undefined, type Value } from './values/value.ts'

/** The way a body ended: at its end, or by a tag that leaves it. */
type Completion = 'end' | 'break' | 'continue'

/** Runs the tags of one rendering. */
export class Executor {
  readonly #run: Rendering
  readonly #template: Template
  readonly #evaluator: Evaluator
  /** The scope of the template itself, which blocks see. */
  #root = new Scope()

  constructor(run: Rendering, template: Template) {
    this.#run = run
    this.#template = template
    this.#evaluator = new Evaluator(run)
  }

  /** Renders the whole template. */
  render(context: Scope): string {
    const scope = this.#open(this.#template.body, context)
    this.#root = scope
    const blocks = [...this.#template.blocks.values()].map(
      (block) => [block.name, this.#toFunction(block, scope)] as const,
    )
    scope.set('self', new BlockReference(new Map(blocks)))
    return this.#capture(this.#template.body, scope)
  }

  /** A scope for the variables of a body. */
  #open(body: readonly Statement[], parent: Scope, seesHidden = false): Scope {
    return new Scope(parent, { hidden: this.#template.hidden.get(body), seesHidden })
  }

  /** The text of a body that no loop control can leave. */
  #capture(body: readonly Statement[], scope: Scope): string {
    const output = new Output(this.#run)
    this.#executeAll(body, scope, output)
    return output.text
  }

  #executeAll(body: readonly Statement[], scope: Scope, output: Output): Completion {
    const run = this.#run
    run.enter()
    for (const statement of body) {
      run.spend()
      run.line = statement.line
      const completion = this.#execute(statement, scope, output)
      if (completion !== 'end') {
        run.leave()
        return completion
      }
    }
    run.leave()
    return 'end'
  }

  #execute(statement: Statement, scope: Scope, output: Output): Completion {
    switch (statement.kind) {
      case 'text':
        output.write(statement.text)
        return 'end'
      case 'print':
        this.#print(this.#evaluator.evaluate(statement.value, scope), output)
        return 'end'
      case 'if':
        return this.#executeIf(statement, scope, output)
      case 'for':
        return this.#executeFor(statement, scope, output)
      case 'set':
        this.#checkMembers(statement.target, scope)
        this.#assign(statement.target, this.#evaluator.evaluate(statement.value, scope), scope)
        return 'end'
      case 'set-block':
        return this.#executeSetBlock(statement, scope)
      case 'macro':
        scope.set(statement.name, this.#toMacro(statement, scope))
        return 'end'
      case 'call-block':
        this.#executeCallBlock(statement, scope, output)
        return 'end'
      case 'filter-block':
        return this.#executeFilterBlock(statement, scope, output)
      case 'with':
        return this.#executeWith(statement, scope, output)
      case 'autoescape':
        return this.#executeAutoescape(statement, scope, output)
      case 'block':
        this.#executeBlock(statement, scope, output)
        return 'end'
      case 'generation':
        output.write(toWritten(callValue(this.#run, this.#toMacro(statement, scope), NO_ARGUMENTS)))
        return 'end'
      case 'load':
        return raise('TypeError', 'no loader for this environment specified')
      case 'break':
      case 'continue':
        return statement.kind
    }
  }

  #print(value: Value, output: Output): void {
    const text = printValue(this.#run, value)
    output.write(this.#run.autoescape && !(value instanceof Markup) ? escapeText(this.#run, text) : text)
  }

  #executeIf(node: IfNode, scope: Scope, output: Output): Completion {
    for (const { test, body } of node.branches) {
      if (isTrue(this.#evaluator.evaluate(test, scope))) return this.#executeAll(body, scope, output)
    }
    return this.#executeAll(node.otherwise, scope, output)
  }

  #executeFor(node: ForNode, scope: Scope, output: Output): Completion {
    const items = this.#evaluator.evaluate(node.items, scope)
    if (!node.recursive) return this.#loop(node, items, { scope, output, depth: 0 })
    output.write(this.#loopRecursively(node, items, { scope, depth: 0 }))
    return 'end'
  }

  #loopRecursively(node: ForNode, items: Value, at: { readonly scope: Scope; readonly depth: number }): string {
    const output = new Output(this.#run)
    this.#run.enter()
    this.#loop(node, items, { ...at, output })
    this.#run.leave()
    return output.text
  }

  #loop(
    node: ForNode,
    items: Value,
    { scope, output, depth }: { readonly scope: Scope; readonly output: Output; readonly depth: number },
  ): Completion {
    const run = this.#run
    const loop = this.#toLoop(node, items, { scope, depth })
    let isPassed = false
    for (let item = loop.next(); item !== undefined; item = loop.next()) {
      run.spend()
      const inner = this.#open(node.body, scope)
      inner.set('loop', loop)
      this.#assign(node.target, item, inner)
      const completion = this.#executeAll(node.body, inner, output)
      if (completion === 'break') break
      isPassed ||= completion === 'end'
    }
    // As in the reference, `else` runs for loops without a completed round, and a `break` in it belongs to the outer
    // loop.
    return isPassed ? 'end' : this.#executeAll(node.otherwise, this.#open(node.otherwise, scope), output)
  }

  #toLoop(node: ForNode, items: Value, { scope, depth }: { readonly scope: Scope; readonly depth: number }): Loop {
    const iterator = toIterator(this.#run, items)
    const isFiltered = node.filter !== undefined
    return new Loop(this.#run, {
      iterator: isFiltered ? this.#filterItems(node, iterator, scope) : iterator,
      length: isFiltered ? undefined : measureSize(this.#run, items),
      depth,
      recurse: node.recursive
        ? (inner, innerDepth) => {
            const text = this.#loopRecursively(node, inner, { scope, depth: innerDepth })
            return this.#run.autoescape ? new Markup(text) : text
          }
        : undefined,
    })
  }

  /**
   * The items that pass the condition of the loop. It sees the variables of the loop's target, and none of its body.
   */
  *#filterItems(node: ForNode, iterator: Iterator<Value>, scope: Scope): Iterator<Value> {
    for (let next = iterator.next(); next.done !== true; next = iterator.next()) {
      this.#run.spend()
      const inner = new Scope(scope)
      this.#assign(node.target, next.value, inner)
      if (node.filter === undefined || isTrue(this.#evaluator.evaluate(node.filter, inner))) {
        yield toTargetValue(node.target, next.value, inner)
      }
    }
  }

  #executeSetBlock(node: SetBlockNode, scope: Scope): Completion {
    const inner = this.#open(node.body, scope)
    const output = new Output(this.#run)
    const completion = this.#executeAll(node.body, inner, output)
    if (completion !== 'end') return completion
    const captured = this.#toCaptured(output.text)
    this.#assign(
      node.target,
      node.filter === undefined ? captured : this.#evaluator.filter(node.filter, inner, captured),
      scope,
    )
    return 'end'
  }

  #executeFilterBlock(node: FilterBlockNode, scope: Scope, output: Output): Completion {
    const inner = this.#open(node.body, scope)
    const captured = new Output(this.#run)
    const completion = this.#executeAll(node.body, inner, captured)
    if (completion !== 'end') return completion
    output.write(toWritten(this.#evaluator.filter(node.filter, inner, this.#toCaptured(captured.text))))
    return 'end'
  }

  #toCaptured(text: string): Value {
    return this.#run.autoescape ? new Markup(text) : text
  }

  #executeCallBlock(node: CallBlockNode, scope: Scope, output: Output): void {
    output.write(toWritten(this.#evaluator.call(node.call, scope, this.#toMacro(node, scope))))
  }

  #executeWith(node: WithNode, scope: Scope, output: Output): Completion {
    const inner = this.#open(node.body, scope)
    for (const { target, value } of node.bindings) this.#assign(target, this.#evaluator.evaluate(value, scope), inner)
    return this.#executeAll(node.body, inner, output)
  }

  #executeAutoescape(node: AutoescapeNode, scope: Scope, output: Output): Completion {
    const before = this.#run.autoescape
    this.#run.autoescape = isTrue(this.#evaluator.evaluate(node.value, scope))
    const completion = this.#executeAll(node.body, this.#open(node.body, scope), output)
    this.#run.autoescape = before
    return completion
  }

  #executeBlock(node: BlockNode, scope: Scope, output: Output): void {
    if (node.required) raise('TemplateRuntimeError', `Required block '${node.name}' not found`)
    output.write(this.#capture(node.body, this.#open(node.body, node.scoped ? scope : this.#root, true)))
  }

  /** The function behind `self.name()`. */
  #toFunction(node: BlockNode, root: Scope): () => Value {
    return () => this.#toCaptured(this.#capture(node.body, this.#open(node.body, root, true)))
  }

  #toMacro(node: MacroLike, scope: Scope): Macro {
    const traits = this.#template.macros.get(node) ?? NO_TRAITS
    const parameters = node.kind === 'generation' ? [] : node.parameters
    return new Macro({
      name: node.kind === 'macro' ? node.name : undefined,
      parameters,
      traits,
      render: (variables) => {
        const inner = this.#open(node.body, scope)
        for (const [name, value] of variables) inner.set(name, value)
        const absent = parameters.filter(({ name }) => !variables.has(name))
        for (const { name } of absent) inner.set(name, new Undefined(`parameter '${name}' was not provided`))
        for (const { name, fallback } of absent) {
          if (fallback !== undefined) inner.set(name, this.#evaluator.evaluate(fallback, inner))
        }
        return this.#capture(node.body, inner)
      },
    })
  }

  #assign(target: Target, value: Value, scope: Scope): void {
    switch (target.kind) {
      case 'name':
        scope.set(target.name, value)
        return
      case 'member':
        findNamespace(target.object, scope).set(target.name, value)
        return
      case 'tuple':
        this.#assignAll(target.items, value, scope)
    }
  }

  /** Only namespaces have members that can be set, which is checked before the value. */
  #checkMembers(target: Target, scope: Scope): void {
    if (target.kind === 'member') findNamespace(target.object, scope)
    if (target.kind === 'tuple') for (const item of target.items) this.#checkMembers(item, scope)
  }

  #assignAll(targets: readonly Target[], value: Value, scope: Scope): void {
    const items = toItems(this.#run, value)
    if (items.length > targets.length) {
      raise('ValueError', `too many values to unpack (expected ${targets.length})`)
    }
    if (items.length < targets.length) {
      raise('ValueError', `not enough values to unpack (expected ${targets.length}, got ${items.length})`)
    }
    for (const [index, target] of targets.entries()) this.#assign(target, items[index] ?? null, scope)
  }
}

function findNamespace(name: string, scope: Scope): Namespace {
  const value = scope.get(name)
  if (value instanceof Namespace) return value
  return raise('TemplateRuntimeError', 'cannot assign attribute on non-namespace object')
}

/** The result of a block that filters or calls; it must be text. */
function toWritten(value: Value): string {
  if (isText(value)) return toPlainText(value)
  return raise('TypeError', `expected str instance, ${typeName(value)} found`)
}

/** An item as a filtered loop passes it on: an unpacked item becomes a tuple again. */
function toTargetValue(target: Target, item: Value, scope: Scope): Value {
  if (target.kind !== 'tuple') return item
  return new Tuple(
    target.items.map((part) => (part.kind === 'name' ? scope.get(part.name) : toTargetValue(part, null, scope))),
  )
}
