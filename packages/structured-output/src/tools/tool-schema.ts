import type { CompileBudget } from '../compile-budget.ts'
import { MAX_LEFT_OUT } from '../limits.ts'
import type { TextTest } from '../patterns/compile-pattern.ts'
import { openSchema, type SchemaPlace } from '../schema/schema-document.ts'
import { surveySchema } from '../schema/survey-schema.ts'
import { type SchemaOrigin, SchemaRefusal, shortenPointer } from '../schema-refusal.ts'

/** A tool that the grammar lets the model call. */
export interface CallableTool {
  readonly name: string
  /** JSON Schema of the arguments. @default no arguments */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined
  /** Whether the arguments must follow the whole schema: a schema that cannot be used is refused. @default false */
  readonly strict?: boolean | undefined
}

/** A part of a tool's schema that the grammar and the check leave out, because it cannot be used. */
export interface LeftOutPart {
  readonly tool: string
  /** JSON pointer of the keyword, or of the schema that allows everything now; empty for the whole. */
  readonly pointer: string
  readonly reason: string
}

/** Parts that a description names. */
const MAX_DESCRIBED = 4

/** Describes left out parts in one sentence, without a full stop. */
export function describeLeftOut(parts: readonly LeftOutPart[]): string {
  const named = parts.slice(0, MAX_DESCRIBED).map(({ tool, pointer, reason }) => {
    const place = pointer === '' ? `the whole of ${tool}` : tool + shortenPointer(pointer)
    return `${place} (${reason})`
  })
  const others = parts.length - named.length
  return `the schemas of tools are used without ${named.join(', ')}${others > 0 ? `, and ${others} more` : ''}`
}

/** The schema of the arguments of one tool, without the parts that cannot be used. */
export interface ToolSchema {
  readonly origin: SchemaOrigin
  readonly leftOut: readonly LeftOutPart[]
  readonly place: SchemaPlace
  /** UTF-16 units that leaving out the whole schema saves; 0 where it must stay, or is left out. */
  readonly removableSize: number
  /** Leaves a place out. Returns false where the schema must stay as it is. */
  leaveOut(refusal: Pick<SchemaRefusal, 'pointer' | 'reason'>): boolean
}

const NO_ARGUMENTS = { type: 'object', properties: {} }

/** Options of {@link openToolSchema}. */
export interface OpenToolOptions {
  /** Place of the tool in the request, for messages. */
  readonly index: number
  readonly patterns: Map<string, TextTest>
  readonly budget: CompileBudget
}

/**
 * Opens the schema of a tool and checks its keywords.
 *
 * @throws SchemaRefusal when the schema of a strict tool cannot be used, or the steps of the compilation are used up
 */
export function openToolSchema(tool: CallableTool, { index, patterns, budget }: OpenToolOptions): ToolSchema {
  const { name, parameters = NO_ARGUMENTS, strict = false } = tool
  const origin = { param: 'tools', label: `the parameters of tool ${index + 1} (${JSON.stringify(name)})` }
  const pointers = new Set<string>()
  let leftOut: readonly LeftOutPart[] = []
  let place: SchemaPlace | undefined
  let size: number | undefined
  const schema: ToolSchema = {
    origin,
    get leftOut() {
      return leftOut
    },
    get place() {
      place ??= openSchema(parameters, origin, { budget, leftOut: pointers })
      return place
    },
    get removableSize() {
      if (strict || pointers.has('')) return 0
      size ??= JSON.stringify(parameters).length
      return size
    },
    leaveOut({ pointer, reason }) {
      if (strict || budget.isSpent || pointers.has('')) return false
      const isPart = pointer !== '' && !pointers.has(pointer) && leftOut.length < MAX_LEFT_OUT
      if (!isPart) place = undefined
      pointers.add(isPart ? pointer : '')
      leftOut = isPart ? [...leftOut, { tool: name, pointer, reason }] : [{ tool: name, pointer: '', reason }]
      return true
    },
  }
  try {
    surveySchema(schema.place, { patterns, repair: schema.leaveOut })
  } catch (error) {
    if (!(error instanceof SchemaRefusal) || budget.isSpent) throw error
    const { reason } = error
    if (!pointers.has('') && !schema.leaveOut({ pointer: '', reason })) throw error
  }
  return schema
}
