import type { NumberLiteral } from './literals.ts'

/** A template's tree. Texts and names are byte strings; lines are 1-based. */
export type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'action'; readonly line: number; readonly pipeline: Pipeline }
  | {
      readonly kind: 'if' | 'with'
      readonly line: number
      readonly branches: readonly Branch[]
      readonly otherwise: Body
    }
  | RangeNode
  | TemplateNode
  | { readonly kind: 'break' | 'continue'; readonly line: number }

/** The nodes between two keywords. */
export type Body = readonly Node[]

/** One arm of `if … else if …` or `with … else with …`. */
export interface Branch {
  readonly pipeline: Pipeline
  readonly body: Body
}

/** `{{range}}`; `otherwise` is the else part, which may be empty. */
export interface RangeNode {
  readonly kind: 'range'
  readonly line: number
  readonly pipeline: Pipeline
  readonly body: Body
  readonly otherwise: Body
}

/** `{{template "name" pipeline}}`. A `block` leaves such a node in its place. */
export interface TemplateNode {
  readonly kind: 'template'
  readonly line: number
  readonly name: string
  readonly pipeline: Pipeline | undefined
}

/** Commands joined by `|`, and the variables that take the result. */
export interface Pipeline {
  readonly kind: 'pipeline'
  readonly line: number
  /** Variables with their `$`, at most two. */
  readonly variables: readonly string[]
  /** Whether they are assigned with `=` instead of declared. */
  readonly isAssignment: boolean
  readonly commands: readonly Command[]
}

/** A word and its arguments. */
export interface Command {
  readonly line: number
  readonly operands: readonly [Operand, ...Operand[]]
}

/** A word or an argument. */
export type Operand =
  | Pipeline
  | { readonly kind: 'identifier'; readonly name: string }
  | { readonly kind: 'dot' }
  | { readonly kind: 'nil' }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'number'; readonly literal: NumberLiteral; readonly text: string }
  | { readonly kind: 'field'; readonly names: readonly string[] }
  | { readonly kind: 'variable'; readonly name: string; readonly names: readonly string[] }
  | { readonly kind: 'chain'; readonly operand: Operand; readonly names: readonly string[] }

/** The templates of one source by name; the one that runs has the name given to the parser. */
export type Definitions = ReadonlyMap<string, Body>
