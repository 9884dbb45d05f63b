import { raise } from './errors.ts'
import type { Rendering } from './rendering.ts'
import type { Parameter } from './syntax/ast.ts'
import type { MacroTraits } from './syntax/macro-traits.ts'
import { type Arguments, Callable } from './values/callable.ts'
import { Dict } from './values/dict.ts'
import { Markup, Tuple, Undefined, type Value } from './values/value.ts'

/** The parts of a macro. */
export interface MacroDefinition {
  /** Undefined for the body of a call block. */
  readonly name: string | undefined
  readonly parameters: readonly Parameter[]
  readonly traits: MacroTraits
  /** Renders the body with these variables; a parameter that was not passed is not among them. */
  readonly render: (variables: ReadonlyMap<string, Value>) => string
}

/** A piece of template that can be called. */
export class Macro extends Callable {
  readonly typeName = 'Macro'
  readonly #definition: MacroDefinition

  constructor(definition: MacroDefinition) {
    super()
    this.#definition = definition
  }

  call(run: Rendering, given: Arguments): Value {
    run.spend(this.#definition.parameters.length + given.positional.length + given.named.size * 4)
    const text = this.#definition.render(this.#bind(given))
    return run.autoescape ? new Markup(text) : text
  }

  #bind({ positional, named }: Arguments): Map<string, Value> {
    const { parameters, traits } = this.#definition
    const variables = new Map<string, Value>()
    const rest = new Map(named)
    for (const [index, { name }] of parameters.entries()) {
      const passed = positional[index]
      const value = passed === undefined ? rest.get(name) : passed
      if (value !== undefined) variables.set(name, value)
      if (passed === undefined) rest.delete(name)
    }
    if (traits.usesCaller && !parameters.some(({ name }) => name === 'caller')) {
      const caller = rest.get('caller')
      variables.set('caller', caller === undefined || caller === null ? new Undefined('No caller defined') : caller)
      rest.delete('caller')
    }
    if (traits.usesKwargs) variables.set('kwargs', toDict(rest))
    else if (rest.size > 0) this.#failOnNamed(rest)
    if (traits.usesVarargs) variables.set('varargs', new Tuple(positional.slice(parameters.length)))
    else if (positional.length > parameters.length) {
      raise('TypeError', `macro ${this.#quotedName()} takes not more than ${parameters.length} argument(s)`)
    }
    return variables
  }

  #failOnNamed(rest: ReadonlyMap<string, Value>): never {
    if (rest.has('caller')) {
      raise('TypeError', `macro ${this.#quotedName()} was invoked with two values for the special caller argument.`)
    }
    const [name] = rest.keys()
    return raise('TypeError', `macro ${this.#quotedName()} takes no keyword argument '${name}'`)
  }

  #quotedName(): string {
    const { name } = this.#definition
    return name === undefined ? 'None' : `'${name}'`
  }

  override attribute(name: string): Value | undefined {
    const { parameters, traits } = this.#definition
    switch (name) {
      case 'name':
        return this.#definition.name ?? null
      case 'arguments':
        return new Tuple(parameters.map((parameter) => parameter.name))
      case 'catch_kwargs':
        return traits.usesKwargs
      case 'catch_varargs':
        return traits.usesVarargs
      case 'caller':
        return traits.usesCaller
      default:
        return undefined
    }
  }

  override describe(): string {
    const { name } = this.#definition
    return `<Macro ${name === undefined ? 'anonymous' : `'${name}'`}>`
  }
}

function toDict(named: ReadonlyMap<string, Value>): Dict {
  const dict = new Dict()
  for (const [name, value] of named) dict.set(name, value)
  return dict
}
