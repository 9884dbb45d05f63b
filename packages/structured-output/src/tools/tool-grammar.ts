import { createCheck, type ValueCheck } from '../check/create-check.ts'
import { CompileBudget } from '../compile-budget.ts'
import { choice, EMPTY, type Expression, literal, rule, sequence } from '../gbnf/expression.ts'
import { GrammarBuilder } from '../grammar-builder.ts'
import { MAX_PARALLEL_CALLS } from '../limits.ts'
import type { TextTest } from '../patterns/compile-pattern.ts'
import { openSchema, type SchemaPlace } from '../schema/schema-document.ts'
import { surveySchema } from '../schema/survey-schema.ts'
import type { ToolGrammarSettings } from '../settings.ts'
import { textNotStartingWith, textWithout } from './free-text.ts'
import { readPropertiesOrder } from './properties-order.ts'

/** A tool that the grammar lets the model call. */
export interface CallableTool {
  readonly name: string
  /** JSON Schema of the arguments. @default no arguments */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined
}

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
}

const OBJECT = openSchema({ type: 'object' }, { param: 'tools', label: 'arguments' })
const MESSAGE = openSchema({ type: 'object', required: ['message'] }, { param: 'tools', label: 'answer' })
const NO_ARGUMENTS = { type: 'object', properties: {} }

/**
 * The grammar of replies that call tools, by the tools' own schemas and the `function.grammar` block of the model.
 *
 * @throws `invalid_request` with the code `unsupported_schema` when the schema of a tool cannot be used
 */
export function createToolGrammar(input: ToolGrammarInput): ToolGrammar {
  const { settings, functions } = input
  const patterns = new Map<string, TextTest>()
  const budget = new CompileBudget()
  const places = functions.map(({ name, parameters }, index) => {
    const label = `the parameters of tool ${index + 1} (${JSON.stringify(name)})`
    const place = openSchema(parameters ?? NO_ARGUMENTS, { param: 'tools', label }, budget)
    surveySchema(place, patterns)
    return place
  })
  const builder = new GrammarBuilder({ param: 'tools' }, patterns, { propertiesOrder: readPropertiesOrder(settings) })
  const calls = functions.map((tool, index) =>
    buildCall(tool, argumentsRule(places[index], { input, tool, builder }), input),
  )
  const checks = new Map(functions.map(({ name }, index) => [name, checkFor(places[index], patterns)]))
  const grammar = builder.finish(replies(builder.addRule('call', choice(...calls)), input, builder))
  budget.stop()
  return {
    grammar,
    triggers: (settings.grammar?.triggers ?? []).flatMap(({ word }) => (word ? [word] : [])),
    check: (name, value) => checks.get(name)?.(value),
  }
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
