import type { Expression, Statement } from './ast.ts'
import { listNames, listParts, statementParts } from './walk.ts'

/** The special variables that a macro reads; it does not accept the others. */
export interface MacroTraits {
  /** The body of a call block. */
  readonly usesCaller: boolean
  /** Named arguments that are not parameters. */
  readonly usesKwargs: boolean
  /** Further positional arguments. */
  readonly usesVarargs: boolean
}

/** Traits of a macro that reads none of the variables. */
export const NO_TRAITS: MacroTraits = { usesCaller: false, usesKwargs: false, usesVarargs: false }

/** Looks for the special variables in the body of a macro. */
export function findMacroTraits(body: readonly Statement[]): MacroTraits {
  const finder = new NameFinder(['caller', 'kwargs', 'varargs'])
  finder.visit(body)
  const { found } = finder
  return { usesCaller: found.has('caller'), usesKwargs: found.has('kwargs'), usesVarargs: found.has('varargs') }
}

/** Finds names that are read before they are set. */
class NameFinder {
  readonly found = new Set<string>()
  readonly #wanted: Set<string>

  constructor(names: readonly string[]) {
    this.#wanted = new Set(names)
  }

  visit(body: readonly Statement[]): void {
    for (const statement of body) {
      // A block has a scope of its own.
      if (statement.kind === 'block') continue
      const { targets, expressions, bodies } = statementParts(statement)
      for (const name of targets.flatMap(listNames)) this.#wanted.delete(name)
      for (const expression of expressions) this.#visitExpression(expression)
      if (statement.kind === 'macro' || statement.kind === 'call-block') {
        for (const { name } of statement.parameters) this.#wanted.delete(name)
      }
      for (const inner of bodies) this.visit(inner)
    }
  }

  #visitExpression(node: Expression): void {
    if (node.kind === 'name' && this.#wanted.has(node.name)) this.found.add(node.name)
    for (const part of listParts(node)) this.#visitExpression(part)
  }
}
