import type { Expression, Statement, Target } from './ast.ts'
import { toParts } from './call-arguments.ts'

/** The direct parts of an expression. */
export function listParts(node: Expression): readonly Expression[] {
  switch (node.kind) {
    case 'constant':
    case 'name':
      return []
    case 'list':
    case 'tuple':
      return node.items
    case 'dict':
      return node.entries.flatMap(({ key, value }) => [key, value])
    case 'attribute':
      return [node.object]
    case 'item':
      return [node.object, node.key]
    case 'slice':
      return present(node.object, node.start, node.stop, node.step)
    case 'call':
      return [node.callee, ...toParts(node.given)]
    case 'filter':
      return [...present(node.input), ...toParts(node.given)]
    case 'test':
      return [node.input, ...toParts(node.given)]
    case 'not':
    case 'positive':
    case 'negative':
      return [node.operand]
    case 'and':
    case 'or':
    case 'arithmetic':
      return [node.left, node.right]
    case 'concatenation':
      return node.parts
    case 'comparison':
      return [node.first, ...node.rest.map(({ operand }) => operand)]
    case 'conditional':
      return present(node.test, node.whenTrue, node.whenFalse)
  }
}

/** The direct parts of a tag: its targets, its expressions, and the bodies between it and its end. */
export interface StatementParts {
  readonly targets: readonly Target[]
  readonly expressions: readonly Expression[]
  readonly bodies: readonly (readonly Statement[])[]
}

/** Reads the parts of a tag. */
export function statementParts(node: Statement): StatementParts {
  switch (node.kind) {
    case 'text':
    case 'load':
    case 'break':
    case 'continue':
      return { targets: [], expressions: [], bodies: [] }
    case 'print':
      return { targets: [], expressions: [node.value], bodies: [] }
    case 'for':
      return {
        targets: [node.target],
        expressions: present(node.items, node.filter),
        bodies: [node.body, node.otherwise],
      }
    case 'if':
      return {
        targets: [],
        expressions: node.branches.map(({ test }) => test),
        bodies: [...node.branches.map(({ body }) => body), node.otherwise],
      }
    case 'set':
      return { targets: [node.target], expressions: [node.value], bodies: [] }
    case 'set-block':
      return { targets: [node.target], expressions: present(node.filter), bodies: [node.body] }
    case 'macro':
      return {
        targets: [],
        expressions: present(...node.parameters.map(({ fallback }) => fallback)),
        bodies: [node.body],
      }
    case 'call-block':
      return {
        targets: [],
        expressions: present(node.call, ...node.parameters.map(({ fallback }) => fallback)),
        bodies: [node.body],
      }
    case 'filter-block':
      return { targets: [], expressions: [node.filter], bodies: [node.body] }
    case 'with':
      return {
        targets: node.bindings.map(({ target }) => target),
        expressions: node.bindings.map(({ value }) => value),
        bodies: [node.body],
      }
    case 'autoescape':
      return { targets: [], expressions: [node.value], bodies: [node.body] }
    case 'block':
    case 'generation':
      return { targets: [], expressions: [], bodies: [node.body] }
  }
}

/** The names in a target. */
export function listNames(target: Target): string[] {
  switch (target.kind) {
    case 'name':
      return [target.name]
    case 'tuple':
      return target.items.flatMap(listNames)
    case 'member':
      return []
  }
}

function present(...nodes: readonly (Expression | undefined)[]): Expression[] {
  return nodes.filter((node) => node !== undefined)
}
