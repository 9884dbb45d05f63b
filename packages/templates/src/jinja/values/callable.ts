import { raise } from '../errors.ts'
import type { Rendering } from '../rendering.ts'
import { TemplateObject, type Value } from './value.ts'

/** The arguments of a call. */
export interface Arguments {
  readonly positional: readonly Value[]
  readonly named: ReadonlyMap<string, Value>
}

/** The code behind a function, filter, test or method. */
export type Implementation = (run: Rendering, given: Arguments) => Value

/** A value that can be called. */
export abstract class Callable extends TemplateObject {
  abstract call(run: Rendering, given: Arguments): Value
}

/** A function of the language itself. */
export class BuiltinFunction extends Callable {
  readonly typeName: string
  readonly name: string
  readonly #implementation: Implementation

  constructor(name: string, implementation: Implementation, typeName = 'function') {
    super()
    this.name = name
    this.typeName = typeName
    this.#implementation = implementation
  }

  call(run: Rendering, given: Arguments): Value {
    return this.#implementation(run, given)
  }

  override describe(): string {
    return `<${this.typeName} ${this.name}>`
  }
}

/** No named arguments. */
export const NO_NAMES: ReadonlyMap<string, Value> = new Map()
/** No arguments at all. */
export const NO_ARGUMENTS: Arguments = { positional: [], named: NO_NAMES }

/** The values for parameters such as `'width fill?'`: optional ones may be undefined. */
export type Bound<Parameters extends string> = Parameters extends `${infer First} ${infer Rest}`
  ? [BoundOne<First>, ...Bound<Rest>]
  : Parameters extends ''
    ? []
    : [BoundOne<Parameters>]
type BoundOne<Parameter extends string> = Parameter extends `${string}?` ? Value | undefined : Value

interface Signature {
  readonly name: string
  readonly parameters: readonly string[]
  readonly required: number
  readonly positionalOnly: boolean
}

/**
 * Binds arguments to parameters as Python does: `'width fill?'` has one that is required and one that is not, both
 * may be passed by position or by name.
 */
export function createBinder<const Parameters extends string>(
  name: string,
  parameters: Parameters,
  { positionalOnly = false }: { readonly positionalOnly?: boolean } = {},
): (given: Arguments) => Bound<Parameters> {
  const words = parameters === '' ? [] : parameters.split(' ')
  const required = words.filter((word) => !word.endsWith('?')).length
  const signature = { name, parameters: words.map((word) => word.replace('?', '')), required, positionalOnly }
  // There are as many values as words, and undefined only where a word ends in `?`.
  return (given) => bind(signature, given) as Bound<Parameters>
}

/** A function with the parameters of {@link createBinder}. */
export function define<const Parameters extends string>(
  name: string,
  parameters: Parameters,
  body: (run: Rendering, values: Bound<Parameters>) => Value,
): Implementation {
  const bindValues = createBinder(name, parameters)
  return (run, given) => body(run, bindValues(given))
}

function bind(signature: Signature, { positional, named }: Arguments): (Value | undefined)[] {
  const { name, parameters, required } = signature
  if (positional.length > parameters.length) {
    raise('TypeError', `${name}() takes at most ${parameters.length} arguments (${positional.length} given)`)
  }
  const values: (Value | undefined)[] = [...positional]
  values.length = parameters.length
  if (named.size > 0) bindNames(signature, values, named)
  for (let index = 0; index < required; index++) {
    if (values[index] === undefined) {
      raise('TypeError', `${name}() missing required argument: '${parameters[index]}'`)
    }
  }
  return values
}

function bindNames(signature: Signature, values: (Value | undefined)[], named: ReadonlyMap<string, Value>): void {
  const { name, parameters, positionalOnly } = signature
  if (positionalOnly) raise('TypeError', `${name}() takes no keyword arguments`)
  for (const [key, value] of named) {
    const index = parameters.indexOf(key)
    if (index < 0) raise('TypeError', `${name}() got an unexpected keyword argument '${key}'`)
    if (values[index] !== undefined) raise('TypeError', `${name}() got multiple values for argument '${key}'`)
    values[index] = value
  }
}
