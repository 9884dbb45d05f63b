import { JinjaSyntaxError } from '../errors.ts'
import type { BlockNode, Expression, Statement } from './ast.ts'
import { findHiddenNames } from './hidden-names.ts'
import { findMacroTraits, type MacroTraits } from './macro-traits.ts'
import type { MacroLike, Template } from './template.ts'
import { listNames, listParts, statementParts } from './walk.ts'

/** The filters and tests there are. */
export interface KnownNames {
  readonly filters: { has(name: string): boolean }
  readonly tests: { has(name: string): boolean }
}

/** The place of a statement. */
interface Place {
  /** Right inside an `if`, where a filter or test that does not exist is an error only when it is reached. */
  readonly isConditional: boolean
  /** Inside a loop that `break` can leave. */
  readonly inLoop: boolean
  /** Inside the tag of any loop, where `loop` cannot be assigned to. */
  readonly inFor: boolean
}

/** Checks the rules beyond the grammar, and collects facts for rendering. @throws JinjaSyntaxError */
export function checkTemplate(body: readonly Statement[], known: KnownNames): Template {
  const checker = new Checker(known)
  checker.checkAll(body, { isConditional: false, inLoop: false, inFor: false })
  return { body, blocks: checker.blocks, macros: checker.macros, hidden: findHiddenNames(body) }
}

class Checker {
  readonly blocks = new Map<string, BlockNode>()
  readonly macros = new Map<MacroLike, MacroTraits>()
  readonly #known: KnownNames

  constructor(known: KnownNames) {
    this.#known = known
  }

  checkAll(body: readonly Statement[], place: Place): void {
    for (const statement of body) this.#check(statement, place)
  }

  #check(node: Statement, place: Place): void {
    const { targets, expressions, bodies } = statementParts(node)
    if ((place.inFor && node.kind.startsWith('set')) || node.kind === 'for') {
      const isLoop = targets.some((target) => listNames(target).includes('loop'))
      if (isLoop) fail("Can't assign to special loop variable in for-loop target", node.line)
    }
    for (const expression of expressions) this.#checkExpression(expression, place.isConditional || node.kind === 'if')
    switch (node.kind) {
      case 'break':
      case 'continue':
        if (!place.inLoop) fail(`'${node.kind}' outside loop`, node.line)
        return
      case 'if':
        for (const body of bodies) this.checkAll(body, { ...place, isConditional: true })
        return
      case 'for':
        this.checkAll(node.body, { isConditional: false, inLoop: true, inFor: true })
        this.checkAll(node.otherwise, { isConditional: false, inLoop: place.inLoop && !node.recursive, inFor: true })
        return
      case 'macro':
      case 'call-block':
      case 'generation':
        this.#noteMacro(node)
        break
      case 'block':
        if (this.blocks.has(node.name)) fail(`block '${node.name}' defined twice`, node.line)
        this.blocks.set(node.name, node)
        break
      default:
    }
    // These become functions in the reference, which no loop control leaves.
    const isFunction = ['macro', 'call-block', 'block', 'generation'].includes(node.kind)
    for (const body of bodies) {
      this.checkAll(body, { ...place, isConditional: false, inLoop: place.inLoop && !isFunction })
    }
  }

  #noteMacro(node: MacroLike): void {
    const traits = findMacroTraits(node.body)
    const parameters = node.kind === 'generation' ? [] : node.parameters
    const caller = parameters.find(({ name }) => name === 'caller')
    if (traits.usesCaller && caller !== undefined && caller.fallback === undefined) {
      fail('the special "caller" argument must be omitted or be given a default', node.line)
    }
    const isParameter = (wanted: string): boolean => parameters.some(({ name }) => name === wanted)
    this.macros.set(node, {
      usesCaller: traits.usesCaller,
      usesKwargs: traits.usesKwargs && !isParameter('kwargs'),
      usesVarargs: traits.usesVarargs && !isParameter('varargs'),
    })
  }

  #checkExpression(node: Expression, isConditional: boolean): void {
    if (!isConditional) this.#checkName(node)
    const inner = isConditional || node.kind === 'conditional'
    for (const part of listParts(node)) this.#checkExpression(part, inner)
  }

  #checkName(node: Expression): void {
    if (node.kind === 'filter' && !this.#known.filters.has(node.name))
      fail(`No filter named '${node.name}'.`, node.line)
    if (node.kind === 'test' && !this.#known.tests.has(node.name)) fail(`No test named '${node.name}'.`, node.line)
  }
}

function fail(message: string, line: number): never {
  throw new JinjaSyntaxError(message, line)
}
