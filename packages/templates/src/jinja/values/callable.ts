import { raise } from '../errors.ts'
import type { Rendering } from '../rendering.ts'
import { TemplateObject, type Value } from './value.ts'

/** What a call passes. */
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
type Bound<Parameters extends string> = Parameters extends `${infer First} ${infer Rest}`
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
 * A function with parameters by name, as Python binds them: `'width fill?'` has one that is required and one that is
 * not. Values may be passed by position or by name.
 */
export function define<const Parameters extends string>(
  name: string,
  parameters: Parameters,
  body: (run: Rendering, values: Bound<Parameters>) => Value,
): Implementation {
  return bindTo(toSignature(name, parameters, false), body)
}

/** Like {@link define}, for functions that take no argument by name, as most methods. */
export function definePositional<const Parameters extends string>(
  name: string,
  parameters: Parameters,
  body: (run: Rendering, values: Bound<Parameters>) => Value,
): Implementation {
  return bindTo(toSignature(name, parameters, true), body)
}

function bindTo<Parameters extends string>(
  signature: Signature,
  body: (run: Rendering, values: Bound<Parameters>) => Value,
): Implementation {
  return (run, given) => {
    const values = bind(signature, given)
    // The signature was made of the same text: as many values, and undefined only where a parameter ends in `?`.
    return body(run, values as Bound<Parameters>)
  }
}

function toSignature(name: string, parameters: string, positionalOnly: boolean): Signature {
  const words = parameters === '' ? [] : parameters.split(' ')
  const required = words.filter((word) => !word.endsWith('?')).length
  return { name, parameters: words.map((word) => word.replace('?', '')), required, positionalOnly }
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
