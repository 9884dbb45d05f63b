import { collectSets, hasAssertion, measureMaxLength, type PatternNode } from './ast.ts'
import { type CodeSet, toRanges, union } from './code-set.ts'
import { rateText } from './rarity.ts'

/** Texts of which each match contains at least one. */
export interface RequiredLiterals {
  readonly literals: readonly string[]
  /** Every match begins with one of them. */
  readonly isPrefix: boolean
  /** Every match is one of them, and each of them is a match. */
  readonly isWhole: boolean
  /** Characters of a match up to the end of such a text. */
  readonly before: CodeSet
  /** UTF-16 code units of a match up to the end of such a text, at most; Infinity without a bound. */
  readonly maxBefore: number
}

/** Minimum length of a useful text. */
const MIN_LENGTH = 3
const MAX_LENGTH = 24
const MAX_LITERALS = 64
/** The same for the arms of a choice between texts. */
const MAX_TEXTS = 128
/** Most characters of a class that is expanded to literals. */
const MAX_CLASS = 8
/** A prefix is worth a little less rarity: a match with a known start is found faster. */
const PREFIX_BONUS = 1.4

interface Found {
  readonly literals: readonly string[]
  readonly sets: readonly CodeSet[]
  readonly maxBefore: number
}

/** Facts about the texts a node matches; `exact`: all of them. */
interface Shape {
  readonly exact: readonly string[] | undefined
  readonly prefixes: readonly string[]
  readonly suffixes: readonly string[]
  readonly found: Found | undefined
  readonly sets: readonly CodeSet[]
  readonly maxLength: number
}

/** Picks the best texts to search before a pattern is tried; undefined when no set of texts occurs in every match. */
export function chooseRequiredLiterals(node: PatternNode): RequiredLiterals | undefined {
  const shape = describeNode(node)
  const prefixes = usable(shape.exact ?? shape.prefixes)
  const best = shape.found
  if (prefixes !== undefined && (best === undefined || score(prefixes) * PREFIX_BONUS >= score(best.literals))) {
    const isWhole = shape.exact !== undefined && !hasAssertion(node)
    return { literals: prefixes, isPrefix: true, isWhole, before: [], maxBefore: 0 }
  }
  if (best === undefined) return undefined
  const { literals, sets, maxBefore } = best
  return { literals, isPrefix: false, isWhole: false, before: union(...sets), maxBefore }
}

function describeNode(node: PatternNode): Shape {
  const facts = { sets: collectSets(node), maxLength: measureMaxLength(node) }
  switch (node.kind) {
    case 'literal':
      return { ...open, ...facts, exact: [String.fromCodePoint(node.code)] }
    case 'assertion':
      return { ...open, ...facts, exact: [''] }
    case 'class': {
      const size = toRanges(node.set).reduce((sum, [low, high]) => sum + high - low + 1, 0)
      return { ...open, ...facts, exact: size > MAX_CLASS || size === 0 ? undefined : listMembers(node.set) }
    }
    case 'sequence':
      return node.items.map(describeNode).reduce(join, empty)
    case 'choice':
      return { ...either(node.arms.map(describeNode)), ...facts }
    case 'repeat':
      return { ...repeated(describeNode(node.body), node.min, node.max), ...facts }
  }
}

const open: Shape = { exact: undefined, prefixes: [''], suffixes: [''], found: undefined, sets: [], maxLength: 0 }
const empty: Shape = { ...open, exact: [''] }

function listMembers(set: CodeSet): string[] {
  return toRanges(set).flatMap(([low, high]) =>
    Array.from({ length: high - low + 1 }, (_, index) => String.fromCodePoint(low + index)),
  )
}

function join(left: Shape, right: Shape): Shape {
  const sets = [...left.sets, ...right.sets]
  const length = left.maxLength + right.maxLength
  const both = left.exact && right.exact && cross(left.exact, right.exact)
  if (both?.every((text) => text.length <= MAX_LENGTH)) {
    return { exact: both, prefixes: both, suffixes: both, found: undefined, sets, maxLength: length }
  }
  const suffixes = left.exact ?? left.suffixes
  const prefixes = right.exact ?? right.prefixes
  const here = (literals: readonly string[] | undefined): Found | undefined => {
    const good = literals && usable(literals)
    return good && { literals: good, sets, maxBefore: length }
  }
  const inRight = right.found && {
    literals: right.found.literals,
    sets: [...left.sets, ...right.found.sets],
    maxBefore: left.maxLength + right.found.maxBefore,
  }
  const before = left.exact && usable(left.exact)
  const inLeft = left.found ?? (before && { literals: before, sets: left.sets, maxBefore: left.maxLength })
  const across = cross(suffixes, prefixes)
  return {
    exact: undefined,
    prefixes: (left.exact && cross(left.exact, prefixes)?.map(head)) ?? left.exact?.map(head) ?? left.prefixes,
    suffixes: (right.exact && cross(suffixes, right.exact)?.map(tail)) ?? right.exact?.map(tail) ?? right.suffixes,
    found: best([inLeft, inRight, here(across?.map(head)), here(right.exact)]),
    sets,
    maxLength: length,
  }
}

function either(arms: readonly Shape[]): Shape {
  const all = (pick: (arm: Shape) => readonly string[] | undefined): readonly string[] | undefined => {
    const texts = new Set<string>()
    for (const arm of arms) {
      const picked = pick(arm)
      if (picked === undefined) return undefined
      for (const text of picked) texts.add(text)
    }
    return texts.size > MAX_TEXTS ? undefined : [...texts]
  }
  const found = arms.map((arm) => arm.found ?? exactly(arm))
  const literals = found.flatMap((one) => one?.literals ?? [])
  return {
    exact: all((arm) => arm.exact),
    prefixes: all((arm) => arm.exact ?? arm.prefixes) ?? [''],
    suffixes: all((arm) => arm.exact ?? arm.suffixes) ?? [''],
    found:
      found.includes(undefined) || literals.length > MAX_LITERALS
        ? undefined
        : {
            literals: [...new Set(literals)],
            sets: found.flatMap((one) => one?.sets ?? []),
            maxBefore: Math.max(...found.map((one) => one?.maxBefore ?? 0)),
          },
    sets: [],
    maxLength: 0,
  }
}

function repeated(body: Shape, min: number, max: number): Shape {
  if (min === 0) return max === 1 && body.exact ? either([body, empty]) : open
  const rest: Shape = { ...open, sets: body.sets, maxLength: max > min ? Number.POSITIVE_INFINITY : 0 }
  const written = Math.min(min, MAX_LENGTH)
  const rounds = Array.from({ length: body.exact ? written : Math.min(min, 2) }, () => body)
  const shape = [...rounds, ...(max > rounds.length ? [rest] : [])].reduce(join, empty)
  return shape.exact ? shape : { ...shape, suffixes: body.exact ?? body.suffixes }
}

function exactly(shape: Shape): Found | undefined {
  const literals = shape.exact && usable(shape.exact)
  return literals && { literals, sets: shape.sets, maxBefore: shape.maxLength }
}

function cross(left: readonly string[], right: readonly string[]): readonly string[] | undefined {
  if (left.length * right.length > MAX_LITERALS) return undefined
  return [...new Set(left.flatMap((one) => right.map((other) => one + other)))]
}

/** The texts, if all of them are long enough. */
function usable(literals: readonly string[]): readonly string[] | undefined {
  return literals.length > 0 && literals.every((text) => text.length >= MIN_LENGTH) ? literals : undefined
}

function best(candidates: readonly (Found | undefined)[]): Found | undefined {
  let chosen: Found | undefined
  for (const candidate of candidates) {
    if (candidate !== undefined && (chosen === undefined || score(candidate.literals) > score(chosen.literals))) {
      chosen = candidate
    }
  }
  return chosen
}

function score(literals: readonly string[]): number {
  return Math.min(...literals.map(rateText)) - Math.log2(literals.length) / 2
}

/** The start of a text; never half a pair. */
function head(text: string): string {
  return text.length <= MAX_LENGTH ? text : dropHalves(text.slice(0, MAX_LENGTH))
}

function tail(text: string): string {
  return text.length <= MAX_LENGTH ? text : dropHalves(text.slice(-MAX_LENGTH))
}

function dropHalves(text: string): string {
  const first = text.charCodeAt(0)
  const last = text.charCodeAt(text.length - 1)
  return text.slice((first & 0xfc00) === 0xdc00 ? 1 : 0, (last & 0xfc00) === 0xd800 ? text.length - 1 : text.length)
}
