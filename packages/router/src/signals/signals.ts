import { type Condition, type Truth, toCondition } from './condition.ts'
import { type ConditionContext, MAX_EXPRESSIONS, MAX_KEYWORDS } from './condition-context.ts'
import { compileKeyword, MAX_KEYWORD_LENGTH } from './keyword.ts'
import type { NumberSpan, TextPart, TimeWindow } from './settings.ts'
import type { Path, Plain, SettingsReader } from './settings-reader.ts'
import { compileWindow } from './time-window.ts'
import type { RequestView } from './view.ts'

/** Most names in one list: languages, groups, labels, values of a tag. */
const MAX_NAMES = 100
const MAX_PATTERN_LENGTH = 1_000
const ANY_NUMBER = { min: 0, max: Number.POSITIVE_INFINITY }
const SHARE = { min: 0, max: 1 }

type Read = (value: unknown, path: Path, context: ConditionContext) => Condition | undefined

/** The signals by their keys. */
const READERS = {
  keyword: readKeyword,
  expression: readExpression,
  promptLength: readPromptLength,
  language: readNames('language', ({ language }) => [language.code]),
  hasImages: readFlag('has_images', ({ facts }) => facts.hasImages),
  hasAudio: readFlag('has_audio', ({ facts }) => facts.hasAudio),
  hasTools: readFlag('has_tools', ({ facts }) => facts.hasTools),
  tag: readTag,
  group: readNames('group', ({ facts }) => facts.groups),
  time: readTime,
  remainingBudget: (value, path, context) =>
    readSpanSignal('remaining_budget', SHARE, ({ facts }) => facts.remainingBudget)(value, path, context),
  health: readHealth,
  latency: readLatency,
  label: onlyAfter(readNames('label', ({ found }) => found?.labels)),
  score: onlyAfter(readSpanSignal('score', ANY_NUMBER, ({ found }) => found?.score)),
} as const satisfies Readonly<Record<string, Read>>

/** The key of a signal. */
export type SignalKey = keyof typeof READERS

/** All signals. */
export const SIGNAL_KEYS = Object.keys(READERS) as readonly SignalKey[]

/** Compiles one signal; undefined where it has a mistake. */
export function readLeaf(key: SignalKey, value: unknown, path: Path, context: ConditionContext): Condition | undefined {
  return READERS[key](value, path, context)
}

function readKeyword(value: unknown, path: Path, context: ConditionContext): Condition | undefined {
  const { reader, budget } = context
  const isBlock = typeof value === 'object' && value !== null && !Array.isArray(value)
  const { words, in: part = 'all' } = isBlock ? (value as Plain) : { words: value }
  if (isBlock) reader.keys(value as Plain, ['words', 'in'], path)
  const where = isBlock ? [...path, 'words'] : path
  const texts = reader.texts(words, where, MAX_KEYWORDS)
  const read = readTextPart(part, [...path, 'in'], reader)
  if (texts === undefined || read === undefined) return undefined
  const long = texts.find((text) => text.length > MAX_KEYWORD_LENGTH || text.trim() === '*')
  if (long !== undefined) return reader.report(where, `must be of 1 to ${MAX_KEYWORD_LENGTH} characters`)
  budget.keywords += texts.length
  if (budget.keywords > MAX_KEYWORDS)
    return reader.report(where, `makes more than ${MAX_KEYWORDS} keywords of a router`)
  const searches = texts.map((text) => ({ text, find: compileKeyword(text) }))
  return toCondition('keyword', (view) => {
    const text = view.folded(read)
    const hit = searches.find(({ find }) => find(text))
    return { truth: hit !== undefined, value: hit?.text ?? 'none' }
  })
}

function readExpression(value: unknown, path: Path, context: ConditionContext): Condition | undefined {
  const { reader, budget, expressions } = context
  const isText = typeof value === 'string'
  const block = isText ? { pattern: value } : reader.object(value, path)
  if (block === undefined) return undefined
  const { pattern, in: part = 'all' } = block as Plain
  if (!isText) reader.keys(block, ['pattern', 'in'], path)
  const where = isText ? path : [...path, 'pattern']
  const read = readTextPart(part, [...path, 'in'], reader)
  if (typeof pattern !== 'string' || pattern === '' || pattern.length > MAX_PATTERN_LENGTH) {
    return reader.report(where, `must be a pattern of 1 to ${MAX_PATTERN_LENGTH} characters`)
  }
  if (++budget.expressions > MAX_EXPRESSIONS) return reader.report(where, `is one of more than ${MAX_EXPRESSIONS}`)
  if (expressions === undefined) return reader.report(where, 'needs an engine for expressions')
  if (read === undefined) return undefined
  try {
    const matches = expressions.compile(pattern)
    return toCondition('expression', (view) => ({ truth: matches(view.text(read)), value: pattern }))
  } catch (error) {
    return reader.report(where, error instanceof Error ? error.message : 'is not an expression')
  }
}

function readPromptLength(value: unknown, path: Path, context: ConditionContext): Condition | undefined {
  const block = context.reader.object(value, path)
  if (block === undefined) return undefined
  const { unit = 'tokens', ...rest } = block
  const known = context.reader.word(unit, ['tokens', 'characters'], [...path, 'unit'])
  const span = readSpan(rest, path, { reader: context.reader, bounds: ANY_NUMBER })
  if (known === undefined || span === undefined) return undefined
  return toCondition('prompt_length', (view) => {
    const length = known === 'tokens' ? view.promptTokens : view.characters
    return { truth: isWithin(length, span), value: `${length} ${known}` }
  })
}

function readTag(value: unknown, path: Path, { reader }: ConditionContext): Condition | undefined {
  const block = reader.object(value, path)
  if (block === undefined) return undefined
  const wanted = Object.entries(block).map(([name, values]) => {
    return [name, reader.texts(values, [...path, name], MAX_NAMES)] as const
  })
  if (wanted.length === 0 || wanted.length > MAX_NAMES) return reader.report(path, `must name 1 to ${MAX_NAMES} tags`)
  return toCondition('tag', ({ facts: { tags } }) => {
    if (tags === undefined) return { truth: undefined, value: 'unknown' }
    const fits = wanted.every(([name, values]) => {
      const own = Object.hasOwn(tags, name) ? tags[name] : undefined
      return own !== undefined && values?.some((each) => each === '*' || each === own) === true
    })
    const shown = wanted.map(([name]) => `${name}=${Object.hasOwn(tags, name) ? tags[name] : ''}`)
    return { truth: fits, value: shown.join(', ') }
  })
}

function readTime(value: unknown, path: Path, { reader }: ConditionContext): Condition | undefined {
  const block = reader.object(value, path)
  if (block === undefined) return undefined
  reader.keys(block, ['days', 'from', 'to', 'zone'], path)
  const { days, ...texts } = block
  if (days !== undefined && reader.texts(days, [...path, 'days'], MAX_NAMES) === undefined) return undefined
  for (const [key, text] of Object.entries(texts)) {
    if (text !== undefined && typeof text !== 'string') return reader.report([...path, key], 'must be a text')
  }
  const window = compileWindow(block as TimeWindow)
  if ('message' in window) return reader.report([...path, window.key], window.message)
  return toCondition('time', ({ ports }) => {
    const { isInside, shown } = window.test(ports.now())
    return { truth: isInside, value: shown }
  })
}

function readHealth(value: unknown, path: Path, context: ConditionContext): Condition | undefined {
  const { reader } = context
  const isWord = typeof value === 'string'
  const block = isWord ? { is: value } : reader.object(value, path)
  if (block === undefined) return undefined
  const { is, model } = block as Plain
  if (!isWord) reader.keys(block, ['model', 'is'], path)
  const wanted = reader.word(is, ['healthy', 'unhealthy'], isWord ? path : [...path, 'is'])
  const name = readTarget(model, path, context)
  if (wanted === undefined || name === undefined) return undefined
  return toCondition('health', (view) => {
    const asked = name === '' ? view.chosen : name
    const isHealthy = asked === undefined ? undefined : view.ports.targets.describe(asked).isHealthy
    const shown = isHealthy === undefined ? 'unknown' : isHealthy ? 'healthy' : 'unhealthy'
    return { truth: isHealthy === undefined ? undefined : shown === wanted, value: `${asked ?? ''} ${shown}` }
  })
}

function readLatency(value: unknown, path: Path, context: ConditionContext): Condition | undefined {
  const { reader } = context
  const block = reader.object(value, path)
  if (block === undefined) return undefined
  const { model, minMs, maxMs, ...rest } = block
  reader.keys(rest, ['model', 'minMs', 'maxMs'], path)
  const name = readTarget(model, path, context)
  const bounds = [
    ['minMs', minMs],
    ['maxMs', maxMs],
  ] as const
  if (minMs === undefined && maxMs === undefined) return reader.report(path, 'must have min_ms or max_ms')
  const [min, max] = bounds.map(([key, bound]) =>
    bound === undefined ? undefined : reader.number(bound, [...path, key], ANY_NUMBER),
  )
  if (name === undefined) return undefined
  return toCondition('latency', (view) => {
    const asked = name === '' ? view.chosen : name
    const latency = asked === undefined ? undefined : view.ports.latencies.find(asked)
    const firstTokenMs = latency?.firstTokenMs
    if (firstTokenMs === undefined) return { truth: undefined, value: 'unknown' }
    return { truth: isWithin(firstTokenMs, { min, max }), value: `${asked} ${Math.round(firstTokenMs)} ms` }
  })
}

/** The name of a model; empty for the one that is chosen, which is known after the classifier only. */
function readTarget(model: unknown, path: Path, { reader, at }: ConditionContext): string | undefined {
  if (model === undefined) return at === 'after' ? '' : reader.report(path, 'must name a model before the classifier')
  return reader.texts(model, [...path, 'model'], 1)?.[0]
}

function readFlag(signal: string, find: (view: RequestView) => boolean | undefined): Read {
  return (value, path, { reader }) => {
    const wanted = reader.flag(value, path)
    if (wanted === undefined) return undefined
    return toCondition(signal, (view) => {
      const known = find(view)
      return { truth: known === undefined ? undefined : known === wanted, value: String(known ?? 'unknown') }
    })
  }
}

function readNames(signal: string, find: (view: RequestView) => readonly string[] | undefined): Read {
  return (value, path, { reader }) => {
    const wanted = reader.texts(value, path, MAX_NAMES)
    if (wanted === undefined) return undefined
    return toCondition(signal, (view) => {
      const known = find(view)
      if (known === undefined) return { truth: undefined, value: 'unknown' }
      const hit = known.find((each) => wanted.includes(each))
      return { truth: hit !== undefined, value: hit ?? (signal === 'language' ? (known[0] ?? '') : 'none') }
    })
  }
}

function readSpanSignal(
  signal: string,
  bounds: { readonly min: number; readonly max: number },
  find: (view: RequestView) => number | undefined,
): Read {
  return (value, path, { reader }) => {
    const span = readSpan(value, path, { reader, bounds })
    if (span === undefined) return undefined
    return toCondition(signal, (view) => {
      const known = find(view)
      const truth: Truth = known === undefined ? undefined : isWithin(known, span)
      return { truth, value: known === undefined ? 'unknown' : String(Math.round(known * 1000) / 1000) }
    })
  }
}

function onlyAfter(read: Read): Read {
  return (value, path, context) =>
    context.at === 'after'
      ? read(value, path, context)
      : context.reader.report(path, 'needs a rule after the classifier')
}

function readTextPart(value: unknown, path: Path, reader: SettingsReader): TextPart | undefined {
  return reader.word(value, ['all', 'newest'], path)
}

function readSpan(
  value: unknown,
  path: Path,
  {
    reader,
    bounds,
  }: { readonly reader: SettingsReader; readonly bounds: { readonly min: number; readonly max: number } },
): NumberSpan | undefined {
  const block = reader.object(value, path)
  if (block === undefined) return undefined
  reader.keys(block, ['min', 'max'], path)
  if (block.min === undefined && block.max === undefined) return reader.report(path, 'must have min or max')
  const [min, max] = (['min', 'max'] as const).map((key) =>
    block[key] === undefined ? undefined : reader.number(block[key], [...path, key], bounds),
  )
  if (min !== undefined && max !== undefined && min > max) return reader.report(path, 'has a min above its max')
  return { min, max }
}

function isWithin(value: number, { min, max }: NumberSpan): boolean {
  return (min === undefined || value >= min) && (max === undefined || value <= max)
}
