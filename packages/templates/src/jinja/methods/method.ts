import type { Rendering } from '../rendering.ts'
import { type Arguments, type Bound, createBinder } from '../values/callable.ts'
import type { Value } from '../values/value.ts'

/** The code behind `receiver.name(…)`. */
export type Method<Receiver> = (run: Rendering, receiver: Receiver, given: Arguments) => Value

/** Applies a method to its receiver and the values of its parameters. */
type Body<Receiver, Parameters extends string> = (
  run: Rendering,
  receiver: Receiver,
  values: Bound<Parameters>,
) => Value

/** Methods of one type by name. */
export class MethodTable<Receiver> {
  readonly #methods = new Map<string, Method<Receiver>>()

  get(name: string): Method<Receiver> | undefined {
    return this.#methods.get(name)
  }

  /** Adds a method whose arguments are passed by position. */
  add<const Parameters extends string>(name: string, parameters: Parameters, body: Body<Receiver, Parameters>): this {
    return this.#add(name, createBinder(name, parameters, { positionalOnly: true }), body)
  }

  /** Adds a method whose arguments may be passed by name. */
  addNamed<const Parameters extends string>(
    name: string,
    parameters: Parameters,
    body: Body<Receiver, Parameters>,
  ): this {
    return this.#add(name, createBinder(name, parameters), body)
  }

  /** Adds a method that takes its arguments as they come. */
  addFree(name: string, method: Method<Receiver>): this {
    this.#methods.set(name, method)
    return this
  }

  #add<Values>(
    name: string,
    bindValues: (given: Arguments) => Values,
    body: (run: Rendering, receiver: Receiver, values: Values) => Value,
  ): this {
    return this.addFree(name, (run, receiver, given) => body(run, receiver, bindValues(given)))
  }
}
