import { MAX_CHECK_DEPTH, MAX_CHECK_STEPS, MAX_PROBLEMS } from '../limits.ts'
import { compilePattern, type TextTest } from '../patterns/compile-pattern.ts'
import { isEqual, isObject } from '../schema/json.ts'
import { readKeyword, readSchema, readSchemas, readText } from '../schema/keywords.ts'
import { followReference, type SchemaPlace } from '../schema/schema-document.ts'
import { checkArray } from './check-array.ts'
import { checkObject } from './check-object.ts'
import { checkNumber, checkText, checkValue } from './check-value.ts'
import type { Evaluated, Evaluator, SchemaProblem, Subject, Verdict } from './verdict.ts'

/** Keywords whose entries are all visited each time; the others are looked up. */
const WALKED: ReadonlySet<string> = new Set([
  ...['required', 'allOf', 'anyOf', 'oneOf', 'prefixItems', 'items', 'patternProperties'],
  ...['dependentRequired', 'dependentSchemas', 'dependencies', 'const'],
])
/** Keywords that apply schemas to the value itself. */
const COMBINING = ['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'if'] as const
/** Entries, or characters of a text, that cost as much as one step. */
const LISTED_PER_STEP = 64

/** Characters of a text, entries of a list or an object; 0 for everything else. */
function measureSize(value: unknown): number {
  if (typeof value === 'string' || Array.isArray(value)) return value.length
  return isObject(value) ? Object.keys(value).length : 0
}

/** Applies schemas to values; counts the work and the problems. */
export class Evaluation implements Evaluator {
  readonly problems: SchemaProblem[] = []
  readonly #patterns: Map<string, TextTest>
  readonly #lists = new Map<
    readonly unknown[],
    { readonly simple: ReadonlySet<unknown>; readonly others: readonly unknown[] }
  >()
  readonly #combining = new WeakMap<object, boolean>()
  readonly #weights = new WeakMap<object, number>()
  #steps = 0
  #depth = 0
  #isSilent = 0

  constructor(patterns: Map<string, TextTest> = new Map()) {
    this.#patterns = patterns
  }

  /** Applies a schema and records its problems. */
  apply(place: SchemaPlace, subject: Subject): Evaluated {
    if (place.schema === true) return { isValid: true, keys: new Set(), items: 0 }
    if (place.schema === false) return this.#refused(subject, 'is not allowed here')
    this.#depth += 1
    try {
      if (this.#depth > MAX_CHECK_DEPTH) return this.#refused(subject, 'is nested too deep to be checked')
      this.#spend(2 + (this.#weigh(place.schema) + measureSize(subject.value)) / LISTED_PER_STEP)
      return this.#applyKeywords(place, subject)
    } finally {
      this.#depth -= 1
    }
  }

  /** Whether a schema holds, without recording problems. */
  try(place: SchemaPlace, subject: Subject): Evaluated {
    this.#isSilent += 1
    try {
      return this.apply(place, subject)
    } finally {
      this.#isSilent -= 1
    }
  }

  /** Whether a pattern matches anywhere in a text. */
  matches(pattern: string, text: string): boolean {
    this.#spend(2 + text.length / 32)
    const known = this.#patterns.get(pattern)
    if (known !== undefined) return known(text)
    const compiled = compilePattern(pattern)
    if (typeof compiled === 'string') return false
    this.#patterns.set(pattern, compiled)
    return compiled(text)
  }

  isListed(values: readonly unknown[], value: unknown): boolean {
    const known = this.#lists.get(values) ?? {
      simple: new Set(values.filter((one) => typeof one !== 'object')),
      others: values.filter((one) => typeof one === 'object'),
    }
    this.#lists.set(values, known)
    if (typeof value !== 'object') return known.simple.has(value)
    this.#spend(known.others.length / 8)
    return known.others.some((one) => isEqual(one, value))
  }

  /** Whether a schema has a keyword that applies others to the same value. */
  #combines(schema: object): boolean {
    let combines = this.#combining.get(schema)
    if (combines === undefined) {
      combines = COMBINING.some((name) => Object.hasOwn(schema, name))
      this.#combining.set(schema, combines)
    }
    return combines
  }

  /** Number of keyword entries that a schema visits for any value. */
  #weigh(schema: object): number {
    let weight = this.#weights.get(schema)
    if (weight === undefined) {
      weight = 0
      for (const [name, value] of Object.entries(schema)) if (WALKED.has(name)) weight += measureSize(value)
      this.#weights.set(schema, weight)
    }
    return weight
  }

  #spend(steps: number): void {
    this.#steps += steps
    if (this.#steps > MAX_CHECK_STEPS) throw new CheckExhausted()
  }

  #refused({ pointer }: Subject, reason: string): Evaluated {
    this.#note({ pointer, reason })
    return { isValid: false, keys: new Set(), items: 0 }
  }

  #note(problem: SchemaProblem): void {
    if (this.#isSilent === 0 && this.problems.length < MAX_PROBLEMS) this.problems.push(problem)
  }

  #applyKeywords(place: SchemaPlace, subject: Subject): Evaluated {
    let isValid = true
    const verdict: Verdict = {
      fail: (reason) => {
        isValid = false
        this.#note({ pointer: subject.pointer, reason })
      },
      merge: (result) => {
        if (!result.isValid) isValid = false
        for (const key of result.keys) verdict.keys.add(key)
        verdict.items = Math.max(verdict.items, result.items)
      },
      keys: new Set(),
      items: 0,
    }
    const { value } = subject
    this.#applyCombinations(place, subject, verdict)
    checkValue(place, value, { verdict, evaluation: this })
    if (typeof value === 'number') checkNumber(place, value, verdict)
    if (typeof value === 'string') checkText(place, value, { verdict, evaluation: this })
    if (Array.isArray(value)) checkArray(place, { value, pointer: subject.pointer }, { verdict, evaluation: this })
    else if (isObject(value)) checkObject(place, { value, pointer: subject.pointer }, { verdict, evaluation: this })
    return { isValid, keys: verdict.keys, items: verdict.items }
  }

  #applyCombinations(place: SchemaPlace, subject: Subject, verdict: Verdict): void {
    if (typeof place.schema === 'boolean' || !this.#combines(place.schema)) return
    const reference = readText(place, '$ref')
    if (reference !== undefined) verdict.merge(this.apply(followReference(place, reference), subject))
    for (const part of readSchemas(place, 'allOf')) verdict.merge(this.apply(part, subject))
    this.#applyAlternatives(place, subject, verdict)
    const denied = readSchema(place, 'not')
    if (denied !== undefined && this.try(denied, subject).isValid) verdict.fail('matches the schema under `not`')
    const condition = readSchema(place, 'if')
    if (condition === undefined) return
    const answer = this.try(condition, subject)
    if (answer.isValid) verdict.merge(answer)
    const consequence = readSchema(place, answer.isValid ? 'then' : 'else')
    if (consequence !== undefined) verdict.merge(this.apply(consequence, subject))
  }

  #applyAlternatives(place: SchemaPlace, subject: Subject, verdict: Verdict): void {
    if (readKeyword(place, 'anyOf') !== undefined) {
      const right = readSchemas(place, 'anyOf')
        .map((part) => this.try(part, subject))
        .filter(({ isValid }) => isValid)
      for (const result of right) verdict.merge(result)
      if (right.length === 0) verdict.fail('matches none of `anyOf`')
    }
    if (readKeyword(place, 'oneOf') !== undefined) {
      const right = readSchemas(place, 'oneOf')
        .map((part) => this.try(part, subject))
        .filter(({ isValid }) => isValid)
      for (const result of right) verdict.merge(result)
      if (right.length !== 1) verdict.fail(`matches ${right.length} of \`oneOf\` and must match one`)
    }
  }
}

/** The check passed its step limit. */
export class CheckExhausted extends Error {
  override readonly name = 'CheckExhausted'
}
