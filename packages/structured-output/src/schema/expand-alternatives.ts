import { MAX_ALTERNATIVES, MAX_EXPANSION_STEPS, MAX_SCHEMA_NESTING } from '../limits.ts'
import { refuseSchema } from '../schema-refusal.ts'
import { readKeyword, readSchema, readSchemas, readText } from './keywords.ts'
import { followReference, type SchemaPlace } from './schema-document.ts'

/** Places that must all hold for a value, after their combining keywords were expanded. */
export type Alternative = readonly SchemaPlace[]

/** Keyword lookups that take as long as one step of combining. */
const LOOKUPS_PER_STEP = 16

/** Identity of a place among the places of one compilation. */
export function identify({ document, pointer }: SchemaPlace): string {
  return `${document.origin.label ?? document.origin.param}#${pointer}`
}

/** Expands `$ref`, `allOf`, `anyOf`, `oneOf` and `if` into alternatives; counts the cost. */
export class AlternativeExpander {
  /** Set once a path led back to itself. */
  hasCut = false
  #steps = 0

  /**
   * The alternatives of some places that must hold together. A path that leads back to itself without passing a part of
   * a value is dropped.
   *
   * @throws `invalid_request` when there are too many
   */
  expand(places: readonly SchemaPlace[]): readonly Alternative[] {
    return this.#all(places, new Set())
  }

  #all(places: readonly SchemaPlace[], trail: ReadonlySet<string>): readonly Alternative[] {
    let alternatives: readonly Alternative[] = [[]]
    for (const place of places) alternatives = this.#combine(alternatives, this.#one(place, trail), place)
    return alternatives
  }

  #one(place: SchemaPlace, trail: ReadonlySet<string>): readonly Alternative[] {
    this.#spend(place)
    if (place.schema === true) return [[]]
    const id = identify(place)
    if (place.schema === false) return []
    if (trail.has(id)) {
      this.hasCut = true
      return []
    }
    if (trail.size >= MAX_SCHEMA_NESTING) throw this.#tooDeep(place)
    const inner = new Set(trail).add(id)
    let alternatives: readonly Alternative[] = [isOnlyReferring(place) ? [] : [place]]
    const add = (more: readonly Alternative[]): void => {
      alternatives = this.#combine(alternatives, more, place)
    }
    const reference = readText(place, '$ref')
    if (reference !== undefined) add(this.#one(followReference(place, reference), inner))
    add(this.#all(readSchemas(place, 'allOf'), inner))
    for (const name of ['anyOf', 'oneOf']) {
      if (readKeyword(place, name) !== undefined) add(this.#any(place, readSchemas(place, name), inner))
    }
    const condition = readSchema(place, 'if')
    if (condition !== undefined) add(this.#conditional(place, condition, inner))
    return alternatives
  }

  #any(place: SchemaPlace, options: readonly SchemaPlace[], trail: ReadonlySet<string>): readonly Alternative[] {
    return this.#bounded(
      options.flatMap((option) => this.#one(option, trail)),
      place,
    )
  }

  /**
   * Either the condition and its consequence, or the other branch. The check verifies later that the condition fails
   * there.
   */
  #conditional(place: SchemaPlace, condition: SchemaPlace, trail: ReadonlySet<string>): readonly Alternative[] {
    const [consequence, otherwise] = [readSchema(place, 'then'), readSchema(place, 'else')]
    const yes = this.#all(consequence === undefined ? [condition] : [condition, consequence], trail)
    const no = otherwise === undefined ? [[]] : this.#one(otherwise, trail)
    return this.#bounded([...yes, ...no], place)
  }

  #combine(a: readonly Alternative[], b: readonly Alternative[], place: SchemaPlace): readonly Alternative[] {
    if (a.length * b.length > MAX_ALTERNATIVES) throw this.#tooMany(place)
    const combined = a.flatMap((left) => b.map((right) => unite(left, right)))
    this.#spend(place, combined.length)
    return combined
  }

  #bounded(alternatives: readonly Alternative[], place: SchemaPlace): readonly Alternative[] {
    if (alternatives.length > MAX_ALTERNATIVES) throw this.#tooMany(place)
    return alternatives
  }

  #spend(place: SchemaPlace, steps = 1): void {
    const { document, pointer } = place
    this.#steps += steps
    if (this.#steps > MAX_EXPANSION_STEPS) {
      throw refuseSchema(document.origin, pointer, 'its parts combine in too many ways')
    }
    if (document.budget?.spend(steps * LOOKUPS_PER_STEP) === false) {
      throw refuseSchema(document.origin, pointer, 'takes too many steps to compile')
    }
  }

  #tooDeep(place: SchemaPlace): Error {
    const reason = `leads through more than ${MAX_SCHEMA_NESTING} schemas before a value`
    return refuseSchema(place.document.origin, place.pointer, reason)
  }

  #tooMany(place: SchemaPlace): Error {
    const reason = `its parts combine to more than ${MAX_ALTERNATIVES} alternatives`
    return refuseSchema(place.document.origin, place.pointer, reason)
  }
}

const REFERRING = new Set(['$ref', 'allOf', 'anyOf', '$defs', 'definitions', '$schema', '$id', '$anchor', '$comment'])
const NOTES = new Set(['title', 'description', 'default', 'example', 'examples', 'deprecated', 'readOnly', 'writeOnly'])

/** Whether a place has no keywords of its own beside references to others. */
function isOnlyReferring({ schema }: SchemaPlace): boolean {
  return Object.keys(schema).every((name) => REFERRING.has(name) || NOTES.has(name))
}

function unite(left: Alternative, right: Alternative): Alternative {
  if (left.length === 0) return right
  const known = new Set(left.map(identify))
  return [...left, ...right.filter((place) => !known.has(identify(place)))]
}
