import { RE2JS } from 're2js'
import { isAscii, toBytes, toText } from '../bytes.ts'
import { fail, GoTemplateLimitError } from '../errors.ts'
import { type CallContext, type FunctionTable, fixed } from '../function.ts'
import { type Budget, ByteSink } from '../limits.ts'
import { GoSlice, goStrings } from '../values.ts'

/**
 * Regular expressions: RE2 syntax, linear time. Without `must` sprig panics on a bad pattern, which also ends the
 * rendering; only `regexMatch` returns false.
 */
export const REGEX_FUNCTIONS: FunctionTable = {
  regexMatch: fixed(['string', 'string'], (context, pattern, text) => {
    const search = trySearch(context, pattern, text)
    return search?.matcher.find() ?? false
  }),
  mustRegexMatch: fixed(['string', 'string'], (context, pattern, text) => find(context, pattern, text) !== undefined),
  ...both(
    'egexFind',
    fixed(['string', 'string'], (context, pattern, text) => find(context, pattern, text) ?? ''),
  ),
  ...both(
    'egexFindAll',
    fixed(['string', 'string', 'int'], (context, pattern, text, most) => findAll(context, pattern, text, most)),
  ),
  ...both(
    'egexReplaceAll',
    fixed(['string', 'string', 'string'], (context, pattern, text, replacement) => {
      const expand = parseReplacement(toText(replacement))
      return replaceAll(context, pattern, text, expand)
    }),
  ),
  ...both(
    'egexReplaceAllLiteral',
    fixed(['string', 'string', 'string'], (context, pattern, text, replacement) =>
      replaceAll(context, pattern, text, [toText(replacement)]),
    ),
  ),
  ...both(
    'egexSplit',
    fixed(['string', 'string', 'int'], (context, pattern, text, most) => split(context, pattern, text, most)),
  ),
}

function both(name: string, implementation: FunctionTable[string]): FunctionTable {
  return { [`r${name}`]: implementation, [`mustR${name}`]: implementation }
}

type Matcher = ReturnType<RE2JS['matcher']>

/** A pattern about to be matched against a text; positions count UTF-16 code units of `text`. */
interface Search {
  readonly matcher: Matcher
  readonly text: string
}

/** One step pays for this product of characters and instructions of the compiled pattern. */
const WORK_PER_STEP = 64

function trySearch(context: CallContext, pattern: string, bytes: string): Search | undefined {
  const compiled = compile(context, pattern)
  if (compiled === undefined) return undefined
  const text = toText(bytes)
  context.budget.spend(Math.ceil(((text.length + 1) * compiled.programSize()) / WORK_PER_STEP))
  return { matcher: compiled.matcher(text), text }
}

/** Patterns compiled in one render, so that a loop compiles its pattern once. */
const compiledPatterns = new WeakMap<Budget, Map<string, RE2JS>>()
const MOST_KEPT = 32

/** Steps for each instruction of a compiled pattern. */
const COMPILE_STEPS = 4

function compile({ budget }: CallContext, pattern: string): RE2JS | undefined {
  const kept = compiledPatterns.get(budget) ?? new Map<string, RE2JS>()
  const known = kept.get(pattern)
  if (known !== undefined) return known
  const { maxPatternBytes } = budget.limits
  if (pattern.length > maxPatternBytes) throw new GoTemplateLimitError('maxPatternBytes', maxPatternBytes)
  budget.spend(pattern.length)
  const source = toText(pattern)
  // Go refuses a pattern that is not UTF-8.
  const compiled = toBytes(source) === pattern ? tryCompile(source) : undefined
  if (compiled === undefined) return undefined
  budget.spend(COMPILE_STEPS * compiled.programSize())
  if (kept.size < MOST_KEPT) compiledPatterns.set(budget, kept.set(pattern, compiled))
  return compiled
}

function tryCompile(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern)
  } catch {
    return undefined
  }
}

function search(context: CallContext, pattern: string, bytes: string): Search {
  return trySearch(context, pattern, bytes) ?? fail('invalid regular expression')
}

/** Half-open range of a match. */
interface Match {
  readonly start: number
  readonly end: number
}

/** All matches, as Go finds them: an empty match right after another is skipped. */
function* matches({ budget }: CallContext, { matcher }: Search): Generator<Match, void, void> {
  let last = -1
  while (matcher.find()) {
    budget.spend(1)
    budget.checkTime()
    const [start, end] = [matcher.start(), matcher.end()]
    if (start === end && start === last) continue
    last = end
    yield { start, end }
  }
}

function find(context: CallContext, pattern: string, bytes: string): string | undefined {
  const { matcher, text } = search(context, pattern, bytes)
  return matcher.find() ? toBytes(text.slice(matcher.start(), matcher.end())) : undefined
}

function findAll(context: CallContext, pattern: string, bytes: string, most: number): GoSlice {
  const target = search(context, pattern, bytes)
  const found: string[] = []
  if (most !== 0) {
    for (const { start, end } of matches(context, target)) {
      found.push(toBytes(target.text.slice(start, end)))
      if (found.length === most) break
    }
  }
  context.budget.checkList(found.length)
  return new GoSlice('string', found, found.length === 0)
}

function split(context: CallContext, pattern: string, bytes: string, most: number): GoSlice {
  const target = search(context, pattern, bytes)
  if (most === 0) return new GoSlice('string', [], true)
  if (pattern !== '' && bytes === '') return goStrings([''])
  const parts: string[] = []
  let from = 0
  let end = 0
  for (const match of matches(context, target)) {
    if (most > 0 && parts.length === most - 1) break
    end = match.start
    if (match.end !== 0) parts.push(toBytes(target.text.slice(from, end)))
    from = match.end
  }
  if (end !== target.text.length) parts.push(toBytes(target.text.slice(from)))
  context.budget.checkList(parts.length)
  return goStrings(parts)
}

/** A parsed replacement: literal texts, and the groups between them by number or name. */
type Replacement = readonly (string | { readonly group: number | string })[]

const REFERENCE = /^\$(?:\$|\{([\p{L}\p{Nd}_]+)\}|([\p{L}\p{Nd}_]+))/u
const GROUP_NUMBER = /^(?:0|[1-9][0-9]{0,7})$/

/** Go's syntax: `$1`, `$name` and `${name}` with the longest name possible, `$$` for a dollar. */
function parseReplacement(text: string): Replacement {
  const parts: (string | { group: number | string })[] = []
  let at = 0
  for (let dollar = text.indexOf('$'); dollar >= 0; dollar = text.indexOf('$', at)) {
    parts.push(text.slice(at, dollar))
    const reference = REFERENCE.exec(text.slice(dollar, dollar + 1024))
    const name = reference?.[1] ?? reference?.[2]
    if (reference === null) parts.push('$')
    else if (name === undefined) parts.push('$')
    else parts.push({ group: GROUP_NUMBER.test(name) ? Number(name) : name })
    at = dollar + (reference?.[0].length ?? 1)
  }
  parts.push(text.slice(at))
  return parts
}

function replaceAll(context: CallContext, pattern: string, bytes: string, replacement: Replacement): string {
  const target = search(context, pattern, bytes)
  const out = new ByteSink(context.budget)
  let from = 0
  for (const { start, end } of matches(context, target)) {
    out.write(target.text.slice(from, start))
    context.budget.spend(replacement.length)
    for (const part of replacement) out.write(typeof part === 'string' ? part : groupText(target.matcher, part.group))
    from = end
  }
  out.write(target.text.slice(from))
  const text = out.finish()
  return isAscii(text) ? text : toBytes(text)
}

/** The text of a group; a group the pattern does not have is empty. */
function groupText(matcher: Matcher, group: number | string): string {
  if (typeof group === 'number') return group <= matcher.groupCount() ? (matcher.group(group) ?? '') : ''
  return Object.hasOwn(matcher.namedGroups, group) ? (matcher.group(group) ?? '') : ''
}
