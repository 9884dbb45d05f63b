import type { TemplateFloat } from '../../number.ts'

/** A literal without parts. */
export type Constant = null | boolean | number | bigint | string | TemplateFloat

/** The operators of {@link Arithmetic}. */
export type ArithmeticOperator = '+' | '-' | '*' | '/' | '//' | '%' | '**'
/** The operators of {@link Comparison}. */
export type ComparisonOperator = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'not in'

interface Node<Kind extends string> {
  readonly kind: Kind
  /** Line of the source, from 1. */
  readonly line: number
}

/** The arguments of a call. */
export interface CallArguments {
  readonly positional: readonly Expression[]
  readonly named: readonly { readonly name: string; readonly value: Expression }[]
  /** Behind `*`. */
  readonly spread: Expression | undefined
  /** Behind `**`. */
  readonly spreadNamed: Expression | undefined
}

export interface ConstantNode extends Node<'constant'> {
  readonly value: Constant
}
export interface NameNode extends Node<'name'> {
  readonly name: string
}
export interface SequenceNode extends Node<'list' | 'tuple'> {
  readonly items: readonly Expression[]
}
export interface DictNode extends Node<'dict'> {
  readonly entries: readonly { readonly key: Expression; readonly value: Expression }[]
}
export interface AttributeNode extends Node<'attribute'> {
  readonly object: Expression
  readonly name: string
}
export interface ItemNode extends Node<'item'> {
  readonly object: Expression
  readonly key: Expression
}
export interface SliceNode extends Node<'slice'> {
  readonly object: Expression
  readonly start: Expression | undefined
  readonly stop: Expression | undefined
  readonly step: Expression | undefined
}
export interface CallNode extends Node<'call'> {
  readonly callee: Expression
  readonly given: CallArguments
}
export interface FilterNode extends Node<'filter'> {
  /** Undefined means the text of the block that the filter ends. */
  readonly input: Expression | undefined
  readonly name: string
  readonly given: CallArguments
}
export interface TestNode extends Node<'test'> {
  readonly input: Expression
  readonly name: string
  readonly given: CallArguments
}
export interface UnaryNode extends Node<'not' | 'positive' | 'negative'> {
  readonly operand: Expression
}
export interface LogicNode extends Node<'and' | 'or'> {
  readonly left: Expression
  readonly right: Expression
}
export interface Arithmetic extends Node<'arithmetic'> {
  readonly operator: ArithmeticOperator
  readonly left: Expression
  readonly right: Expression
}
export interface ConcatenationNode extends Node<'concatenation'> {
  readonly parts: readonly Expression[]
}
export interface Comparison extends Node<'comparison'> {
  readonly first: Expression
  readonly rest: readonly { readonly operator: ComparisonOperator; readonly operand: Expression }[]
}
export interface ConditionalNode extends Node<'conditional'> {
  readonly test: Expression
  readonly whenTrue: Expression
  readonly whenFalse: Expression | undefined
}

export type Expression =
  | ConstantNode
  | NameNode
  | SequenceNode
  | DictNode
  | AttributeNode
  | ItemNode
  | SliceNode
  | CallNode
  | FilterNode
  | TestNode
  | UnaryNode
  | LogicNode
  | Arithmetic
  | ConcatenationNode
  | Comparison
  | ConditionalNode

/** The target of an assignment. */
export type Target =
  | { readonly kind: 'name'; readonly name: string; readonly line: number }
  | { readonly kind: 'tuple'; readonly items: readonly Target[]; readonly line: number }
  | { readonly kind: 'member'; readonly object: string; readonly name: string; readonly line: number }

/** The parameters of a macro; parameters with defaults come last. */
export interface Parameter {
  readonly name: string
  readonly fallback: Expression | undefined
}

export interface TextNode extends Node<'text'> {
  readonly text: string
}
export interface PrintNode extends Node<'print'> {
  readonly value: Expression
}
export interface ForNode extends Node<'for'> {
  readonly target: Target
  readonly items: Expression
  readonly filter: Expression | undefined
  readonly recursive: boolean
  readonly body: readonly Statement[]
  readonly otherwise: readonly Statement[]
}
export interface IfNode extends Node<'if'> {
  readonly branches: readonly { readonly test: Expression; readonly body: readonly Statement[] }[]
  readonly otherwise: readonly Statement[]
}
export interface SetNode extends Node<'set'> {
  readonly target: Target
  readonly value: Expression
}
export interface SetBlockNode extends Node<'set-block'> {
  readonly target: Target
  readonly filter: FilterNode | undefined
  readonly body: readonly Statement[]
}
export interface MacroNode extends Node<'macro'> {
  readonly name: string
  readonly parameters: readonly Parameter[]
  readonly body: readonly Statement[]
}
export interface CallBlockNode extends Node<'call-block'> {
  readonly parameters: readonly Parameter[]
  readonly call: CallNode
  readonly body: readonly Statement[]
}
export interface FilterBlockNode extends Node<'filter-block'> {
  readonly filter: FilterNode
  readonly body: readonly Statement[]
}
export interface WithNode extends Node<'with'> {
  readonly bindings: readonly { readonly target: Target; readonly value: Expression }[]
  readonly body: readonly Statement[]
}
export interface AutoescapeNode extends Node<'autoescape'> {
  readonly value: Expression
  readonly body: readonly Statement[]
}
export interface BlockNode extends Node<'block'> {
  readonly name: string
  readonly scoped: boolean
  readonly required: boolean
  readonly body: readonly Statement[]
}
export interface GenerationNode extends Node<'generation'> {
  readonly body: readonly Statement[]
}
/** A tag that would load another template; it fails when reached. */
export interface LoadNode extends Node<'load'> {
  readonly tag: string
}
export interface LoopControlNode extends Node<'break' | 'continue'> {}

export type Statement =
  | TextNode
  | PrintNode
  | ForNode
  | IfNode
  | SetNode
  | SetBlockNode
  | MacroNode
  | CallBlockNode
  | FilterBlockNode
  | WithNode
  | AutoescapeNode
  | BlockNode
  | GenerationNode
  | LoadNode
  | LoopControlNode
