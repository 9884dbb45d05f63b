import { CheckExhausted, Evaluation } from './check/evaluation.ts'
import { choice, type Expression, literal, NEVER, repeat, rule, sequence } from './gbnf/expression.ts'
import { findProductive, isProductive, namesIn, pruneRules, type Rules } from './gbnf/prune-rules.ts'
import { writeGrammar } from './gbnf/write-grammar.ts'
import { MAX_ELEMENTS, MAX_GRAMMAR_LENGTH, MAX_REPEAT, MAX_RULES } from './limits.ts'
import { toCharacterSet } from './patterns/code-points.ts'
import type { TextTest } from './patterns/compile-pattern.ts'
import { type Alternative, AlternativeExpander, identify } from './schema/expand-alternatives.ts'
import type { Kind } from './schema/keywords.ts'
import { openSchema, type SchemaPlace } from './schema/schema-document.ts'
import { refuseSchema, type SchemaOrigin } from './schema-refusal.ts'
import { arrayRules, arrayShape } from './shapes/array-shape.ts'
import { findAllowedKinds, findListedValues, uniteNumberFacets } from './shapes/facets.ts'
import { literalChoice } from './shapes/literal-choice.ts'
import { integerShape, numberRules, numberShape } from './shapes/number-shape.ts'
import { isFreeObject, objectRules, objectShape } from './shapes/object-shape.ts'
import type { RuleMaker } from './shapes/rule-maker.ts'
import { stringRules, stringShape } from './shapes/string-shape.ts'

/** Options of {@link GrammarBuilder}. */
export interface GrammarOptions {
  /** Names of properties that come first, in this order; the others follow as the schema lists them. @default none */
  readonly propertiesOrder?: readonly string[] | undefined
}

/** A place for a refusal to name. */
interface BlamedPlace {
  readonly document: { readonly origin: SchemaOrigin }
  readonly pointer: string
}

const UNSATISFIABLE = 'no value can satisfy it'
const ENDLESS = 'it needs itself again and again, so that no value of it ever ends'
const TEXT = openSchema({ type: 'string' }, { param: 'property name' })

/** Builds rules from schemas: one for every set of places that must hold together, however often it is needed. */
export class GrammarBuilder implements RuleMaker {
  readonly #rules = new Map<string, Expression>(basicRules())
  readonly #known = new Map<string, Expression>()
  readonly #open: { readonly name: string; readonly places: Alternative }[] = []
  /** Refusals for rules without a match. */
  readonly #failures = new Map<string, { readonly place: SchemaPlace; readonly reason: string }>()
  readonly #expander = new AlternativeExpander()
  readonly #evaluation: Evaluation
  readonly #order: ReadonlyMap<string, number>
  readonly #origin: SchemaOrigin
  #elements = 0
  #count = 0

  constructor(origin: SchemaOrigin, patterns: Map<string, TextTest>, options: GrammarOptions = {}) {
    this.#origin = origin
    this.#evaluation = new Evaluation(patterns)
    this.#order = new Map((options.propertiesOrder ?? []).map((name, index) => [name, index]))
  }

  ruleFor(places: readonly SchemaPlace[]): Expression {
    const relevant = distinct(places.filter(({ schema }) => schema !== true))
    if (relevant.length === 0) return rule('value')
    const key = `all ${toKey(relevant)}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const made = this.#alternatives(relevant)
    this.#known.set(key, made)
    return made
  }

  ruleForText(places: readonly SchemaPlace[]): Expression {
    return this.ruleFor([...places, TEXT])
  }

  counted(item: Expression, min: number, max: number): Expression {
    const upper = max > MAX_REPEAT ? Infinity : max
    this.spend(Math.min(MAX_ELEMENTS, upper === Infinity ? min : upper))
    return repeat(item, min, upper)
  }

  spend(elements: number): void {
    this.#elements += elements
    if (this.#elements > MAX_ELEMENTS) {
      throw refuseSchema(this.#origin, '', `makes a grammar of more than ${MAX_ELEMENTS} elements`)
    }
  }

  addRule(hint: string, body: Expression): Expression {
    const name = this.#newName(hint)
    this.#rules.set(name, body)
    return rule(name)
  }

  define(name: string, body: Expression): void {
    this.#rules.set(name, body)
  }

  acceptsName(schema: SchemaPlace, name: string): boolean {
    return this.#guarded(schema, () => this.#evaluation.try(schema, { value: name, pointer: '' }).isValid)
  }

  matches(pattern: string, name: string): boolean {
    const whole = { document: { origin: this.#origin }, pointer: '' }
    return this.#guarded(whole, () => this.#evaluation.matches(pattern, name))
  }

  inOrder(names: readonly string[]): readonly string[] {
    const rank = (name: string): number => this.#order.get(name) ?? this.#order.size
    return names.toSorted((a, b) => rank(a) - rank(b))
  }

  /**
   * Writes the text of the grammar that starts with an expression.
   *
   * @param needed parts that must have a match of their own @throws `invalid_request` when nothing can ever match, or
   *   the text is too long
   */
  finish(root: Expression, needed: readonly Expression[] = []): string {
    for (let next = this.#open.pop(); next !== undefined; next = this.#open.pop()) {
      this.#rules.set(next.name, this.#shape(next.places))
    }
    const rules: Rules = new Map([['root', root], ...this.#rules])
    const productive = findProductive(rules)
    for (const part of [...needed, root]) {
      if (!isProductive(part, productive)) throw this.#explain(part, rules, productive)
    }
    const text = writeGrammar(pruneRules(rules, productive, 'root'))
    if (text.length > MAX_GRAMMAR_LENGTH) {
      throw refuseSchema(this.#origin, '', `makes a grammar of more than ${MAX_GRAMMAR_LENGTH} characters`)
    }
    return text
  }

  #alternatives(places: readonly SchemaPlace[]): Expression {
    this.#expander.hasCut = false
    const alternatives = this.#expander.expand(places)
    if (alternatives.length === 0) {
      const [place] = places
      const name = this.#newName('none')
      this.#rules.set(name, NEVER)
      if (place !== undefined)
        this.#failures.set(name, { place, reason: this.#expander.hasCut ? ENDLESS : UNSATISFIABLE })
      return rule(name)
    }
    const options = alternatives.map((alternative) => this.#alternative(alternative))
    return options.length === 1 ? choice(...options) : this.addRule(hintFor(places[0]), choice(...options))
  }

  /** The rule of one alternative. It is built later, from a queue, so that schemas may refer to themselves. */
  #alternative(places: Alternative): Expression {
    const [place] = places
    if (place === undefined) return rule('value')
    const key = `one ${toKey(places)}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const name = this.#newName(hintFor(place))
    this.#known.set(key, rule(name))
    this.#failures.set(name, { place, reason: UNSATISFIABLE })
    this.#open.push({ name, places })
    return rule(name)
  }

  #shape(places: Alternative): Expression {
    const [first] = places
    if (first === undefined) return rule('value')
    const values = this.#guarded(first, () => findListedValues(places, this.#evaluation))
    if (values !== undefined) {
      const texts = values.map((value) => JSON.stringify(value))
      this.spend(texts.reduce((sum, text) => sum + 1 + text.length / 16, 0))
      return literalChoice(texts)
    }
    const kinds = findAllowedKinds(places)
    return choice(...[...kinds].map((kind) => this.#kind(kind, places, kinds)))
  }

  #kind(kind: Kind, places: Alternative, kinds: ReadonlySet<Kind>): Expression {
    switch (kind) {
      case 'null':
        return literal('null')
      case 'boolean':
        return rule('boolean')
      case 'integer':
        return kinds.has('fraction') ? NEVER : integerShape(uniteNumberFacets(places), this)
      case 'fraction':
        return numberShape(uniteNumberFacets(places), this)
      case 'string':
        return stringShape(places, this)
      case 'array':
        return arrayShape(places, this)
      case 'object':
        return isFreeObject(places) ? rule('object') : objectShape(places, this)
    }
  }

  #newName(hint: string): string {
    if (this.#rules.size + this.#open.length >= MAX_RULES) {
      throw refuseSchema(this.#origin, '', `makes a grammar of more than ${MAX_RULES} rules`)
    }
    this.#count += 1
    return `${hint}-${this.#count}`
  }

  #guarded<T>({ document, pointer }: BlamedPlace, run: () => T): T {
    try {
      return run()
    } catch (error) {
      if (!(error instanceof CheckExhausted || error instanceof RangeError)) throw error
      throw refuseSchema(document.origin, pointer, 'takes too long to compile')
    }
  }

  /** Explains why there is no match: an unsatisfiable part, or parts that require each other without end. */
  #explain(root: Expression, rules: Rules, productive: ReadonlySet<string>): Error {
    const seen = new Set<string>()
    const open = [...namesIn(root)].reverse()
    let last: SchemaPlace | undefined
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      if (seen.has(name) || productive.has(name)) continue
      seen.add(name)
      const failure = this.#failures.get(name)
      last = failure?.place ?? last
      const inner = [...namesIn(rules.get(name) ?? NEVER)].filter((other) => !productive.has(other))
      if (inner.length === 0 && failure !== undefined) {
        return refuseSchema(failure.place.document.origin, failure.place.pointer, failure.reason)
      }
      open.push(...inner.reverse())
    }
    const { document, pointer } = last ?? { document: { origin: this.#origin }, pointer: '' }
    return refuseSchema(document.origin, pointer, ENDLESS)
  }
}

function distinct(places: readonly SchemaPlace[]): readonly SchemaPlace[] {
  const known = new Map(places.map((place) => [identify(place), place]))
  return [...known.values()]
}

function toKey(places: readonly SchemaPlace[]): string {
  return places.map(identify).toSorted().join(' ')
}

function hintFor(place: SchemaPlace | undefined): string {
  const words = (place?.pointer ?? '').split('/').at(-1) ?? ''
  const hint = words
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 24)
  return hint === '' || /^\d/.test(hint) ? `part${hint === '' ? '' : `-${hint}`}` : hint
}

function basicRules(): readonly (readonly [string, Expression])[] {
  const kinds = ['object', 'array', 'string', 'number', 'boolean'].map(rule)
  const lineBreak = sequence(literal('\n'), repeat({ kind: 'class', set: toCharacterSet(' \t') }, 0, 20))
  return [
    ['value', choice(...kinds, literal('null'))],
    ...objectRules(),
    ...arrayRules(),
    ...stringRules(),
    ...numberRules(),
    ['boolean', choice(literal('true'), literal('false'))],
    // At most one line break with its indent: a model that keeps writing blanks would never end.
    ['space', repeat(choice(literal(' '), lineBreak), 0, 1)],
  ]
}
