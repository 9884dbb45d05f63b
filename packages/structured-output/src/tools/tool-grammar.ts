import { createCheck, type ValueCheck } from '../check/create-check.ts'
import { CompileBudget } from '../compile-budget.ts'
import { choice, EMPTY, type Expression, literal, NEVER, rule, sequence } from '../gbnf/expression.ts'
import { GrammarBuilder } from '../grammar-builder.ts'
import { MAX_GRAMMAR_FAULTS, MAX_GRAMMAR_TRIES, MAX_PARALLEL_CALLS } from '../limits.ts'
import type { TextTest } from '../patterns/compile-pattern.ts'
import { openSchema, type SchemaPlace } from '../schema/schema-document.ts'
import { SchemaRefusal } from '../schema-refusal.ts'
import type { ToolGrammarSettings } from '../settings.ts'
import { textNotStartingWith, textWithout } from './free-text.ts'
import { readPropertiesOrder } from './properties-order.ts'
import { type CallableTool, type LeftOutPart, openToolSchema, type ToolSchema } from './tool-schema.ts'

/** Input of a grammar for calls. */
export interface ToolGrammarInput {
  /** The tools that may be called, the pseudo-tool for a plain answer among them; at least one. */
  readonly functions: readonly CallableTool[]
  /** Name of that pseudo-tool; a call of it always has a message. */
  readonly answerTool?: string | undefined
  /** The `function` block of the model. */
  readonly settings: ToolGrammarSettings
  /** `false` forbids several calls at once, even where the model's file allows them. @default true */
  readonly parallel?: boolean | undefined
}

/** A grammar for calls. */
export interface ToolGrammar {
  readonly grammar: string
  /** Words that switch the grammar on when the model writes them; empty = it applies from the start. */
  readonly triggers: readonly string[]
  /** Checks the arguments of a call against the whole schema of its tool; undefined where they are valid. */
  readonly check: (name: string, value: unknown) => ReturnType<ValueCheck>
  /** The parts of schemas that grammar and check leave out; empty where all can be used. */
  readonly leftOut: readonly LeftOutPart[]
}

const OBJECT = openSchema({ type: 'object' }, { param: 'tools', label: 'arguments' })
const MESSAGE = openSchema({ type: 'object', required: ['message'] }, { param: 'tools', label: 'answer' })

/**
 * The grammar of replies that call tools, by the tools' own schemas and the `function.grammar` block of the model. A part
 * of a schema that cannot be used is left out, unless its tool is strict.
 *
 * @throws `invalid_request` with the code `unsupported_schema` when the schema of a strict tool cannot be used, or the
 *   schemas take too long to compile
 */
export function createToolGrammar(input: ToolGrammarInput): ToolGrammar {
  const { settings, functions } = input
  const patterns = new Map<string, TextTest>()
  const budget = new CompileBudget()
  const schemas = functions.map((tool, index) => openToolSchema(tool, { index, patterns, budget }))
  const grammar = writeRepairing(schemas, budget, () => writeCalls(input, schemas, patterns))
  budget.stop()
  const checks = new Map(functions.map(({ name }, index) => [name, checkFor(schemas[index]?.place, patterns)]))
  return {
    grammar,
    triggers: (settings.grammar?.triggers ?? []).flatMap(({ word }) => (word ? [word] : [])),
    check: (name, value) => checks.get(name)?.(value),
    leftOut: schemas.flatMap(({ leftOut }) => leftOut),
  }
}

/** Writes the grammar, after each refusal again without the place at fault, or with fewer schemas. */
function writeRepairing(schemas: readonly ToolSchema[], budget: CompileBudget, write: () => string): string {
  const faults = new Map<ToolSchema, number>()
  for (let tries = 1; ; tries += 1) {
    try {
      return write()
    } catch (error) {
      if (!(error instanceof SchemaRefusal) || budget.isSpent) throw error
      const isLast = tries >= MAX_GRAMMAR_TRIES
      const owner = schemas.find(({ origin }) => origin === error.origin)
      if (owner === undefined || isLast) {
        if (!leaveOutLargest(schemas, error, isLast ? schemas.length : 2 ** (tries - 1))) throw error
        continue
      }
      const known = faults.get(owner) ?? 0
      faults.set(owner, known + 1)
      const { reason, pointer } = error
      if (!owner.leaveOut({ reason, pointer: known < MAX_GRAMMAR_FAULTS ? pointer : '' })) throw error
    }
  }
}

/** Leaves the largest schemas out, because all tools together are too much. Returns whether there were any. */
function leaveOutLargest(schemas: readonly ToolSchema[], { reason }: SchemaRefusal, count: number): boolean {
  const sizes = schemas.map((schema) => ({ schema, size: schema.removableSize })).filter(({ size }) => size > 0)
  const largest = sizes.toSorted((a, b) => b.size - a.size).slice(0, count)
  for (const { schema } of largest) schema.leaveOut({ pointer: '', reason })
  return largest.length > 0
}

function writeCalls(input: ToolGrammarInput, schemas: readonly ToolSchema[], patterns: Map<string, TextTest>): string {
  const { settings, functions } = input
  const builder = new GrammarBuilder({ param: 'tools' }, patterns, { propertiesOrder: readPropertiesOrder(settings) })
  const values = functions.map((tool, index) => argumentsRule(schemas[index]?.place, { input, tool, builder }))
  const calls = functions.map((tool, index) => buildCall(tool, values[index] ?? NEVER, input))
  return builder.finish(replies(builder.addRule('call', choice(...calls)), input, builder), values)
}

function checkFor(place: SchemaPlace | undefined, patterns: Map<string, TextTest>): ValueCheck {
  return place === undefined ? () => undefined : createCheck(place, patterns)
}

interface CallContext {
  readonly input: ToolGrammarInput
  readonly tool: CallableTool
  readonly builder: GrammarBuilder
}

/** Arguments are an object, even where the schema does not say so. */
function argumentsRule(place: SchemaPlace | undefined, { input, tool, builder }: CallContext): Expression {
  const shape = tool.name === input.answerTool ? MESSAGE : OBJECT
  return builder.ruleFor(place === undefined ? [shape] : [place, shape])
}

function isTagged(settings: ToolGrammarSettings): boolean {
  return settings.grammar?.schemaType === 'llama3.1'
}

function buildCall({ name }: CallableTool, values: Expression, { settings }: ToolGrammarInput): Expression {
  if (isTagged(settings)) return sequence(literal(`<function=${name}>`), values, literal('</function>'))
  const nameKey = settings.functionNameKey || 'name'
  const argumentsKey = settings.functionArgumentsKey || 'arguments'
  const members: readonly (readonly [string, Expression])[] = [
    [nameKey, literal(JSON.stringify(name))],
    [argumentsKey, values],
  ]
  const order = readPropertiesOrder(settings)
  const rank = (key: string): number => (order.includes(key) ? order.indexOf(key) : order.length)
  const [first, second] = members.toSorted(([a], [b]) => rank(a) - rank(b)).map(([key, value]) => member(key, value))
  const space = rule('space')
  return sequence(literal('{'), space, first ?? EMPTY, literal(','), space, second ?? EMPTY, space, literal('}'))
}

function member(key: string, value: Expression): Expression {
  return sequence(literal(`${JSON.stringify(key)}:`), rule('space'), value)
}

/** The whole reply: calls with the text before them, and free text where allowed. */
function replies(call: Expression, input: ToolGrammarInput, builder: GrammarBuilder): Expression {
  const {
    mixedMode = false,
    noMixedFreeString = false,
    expectStringsAfterJson = false,
    prefix = '',
  } = input.settings.grammar ?? {}
  const isParallel = input.settings.grammar?.parallelCalls === true && input.parallel !== false
  const calls = sequence(literal(prefix), isParallel ? choice(call, severalCalls(call, input, builder)) : call)
  if (!mixedMode) return calls
  const opening = prefix || (isTagged(input.settings) ? '<function=' : '{')
  if (noMixedFreeString) {
    const [start = ''] = opening
    return choice(calls, textNotStartingWith(isParallel && opening === '{' ? '{[' : start))
  }
  const text = textWithout(opening, builder)
  return choice(text, sequence(text, calls, expectStringsAfterJson ? text : EMPTY))
}

function severalCalls(call: Expression, { settings }: ToolGrammarInput, builder: GrammarBuilder): Expression {
  const lineBreak = settings.grammar?.disableParallelNewLines === true ? '' : '\n'
  if (isTagged(settings)) {
    return sequence(call, builder.counted(sequence(literal(lineBreak), call), 1, MAX_PARALLEL_CALLS - 1))
  }
  const more = builder.counted(sequence(literal(`,${lineBreak}`), call), 0, MAX_PARALLEL_CALLS - 1)
  return sequence(literal(`[${lineBreak}`), call, more, literal(']'))
}
