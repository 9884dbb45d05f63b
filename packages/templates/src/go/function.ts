import type { Budget } from './limits.ts'
import type { GoTime } from './time/time.ts'
import type { GoMap, GoValue } from './values.ts'

/** The context of a function call, beside its arguments. */
export interface CallContext {
  readonly budget: Budget
}

/**
 * The types a parameter can have. `any` takes everything, with nil for no value; `value` also distinguishes no value
 * from nil; `dict` is `map[string]interface {}`; `int` arrives as a number.
 */
export interface ParameterTypes {
  any: GoValue
  value: GoValue
  string: string
  int: number
  bool: boolean
  float64: number
  dict: GoMap
  time: GoTime
}

/** The name of a parameter type. */
export type ParameterType = keyof ParameterTypes

/** A function templates can call. Arguments are checked against the types before `run` sees them. */
export interface GoFunction {
  readonly parameters: readonly ParameterType[]
  /** The type of any number of further arguments; undefined if further arguments are not allowed. */
  readonly variadic: ParameterType | undefined
  run(context: CallContext, args: readonly GoValue[]): GoValue
}

/** Functions by the names templates use. */
export type FunctionTable = Readonly<Record<string, GoFunction>>

type Arguments<P extends readonly ParameterType[]> = { [I in keyof P]: ParameterTypes[P[I]] }

/** A function with a fixed number of arguments. */
export function fixed<const P extends readonly ParameterType[]>(
  parameters: P,
  run: (context: CallContext, ...args: Arguments<P>) => GoValue,
): GoFunction {
  return variadic(parameters, undefined, (context, args) => run(context, ...args))
}

/** A function whose last arguments may be any number of one type; they arrive as a list. */
export function variadic<const P extends readonly ParameterType[], V extends ParameterType | undefined>(
  parameters: P,
  rest: V,
  run: (context: CallContext, args: Arguments<P>, rest: readonly RestType<V>[]) => GoValue,
): GoFunction {
  return {
    parameters,
    variadic: rest,
    run(context, args) {
      const converted = args.map((arg, at) => convert(parameters[at] ?? rest ?? 'any', arg))
      // The evaluator has checked number and types of the arguments against `parameters` and `rest`.
      const head = converted.slice(0, parameters.length) as unknown as Arguments<P>
      const tail = converted.slice(parameters.length) as unknown as readonly RestType<V>[]
      return run(context, head, tail)
    },
  }
}

/** Functions that look at every character, so that texts cost them four times as much. */
export function walking(functions: FunctionTable): FunctionTable {
  return Object.fromEntries(Object.entries(functions).map(([name, original]) => [name, walkingOne(original)]))
}

function walkingOne(original: GoFunction): GoFunction {
  return {
    ...original,
    run(context, args) {
      for (const arg of args) if (typeof arg === 'string') context.budget.spendBytes(arg.length * 3)
      return original.run(context, args)
    },
  }
}

type RestType<V extends ParameterType | undefined> = V extends ParameterType ? ParameterTypes[V] : never

function convert(type: ParameterType, value: GoValue): GoValue {
  if (type !== 'int' || typeof value !== 'object' || value === null || value.kind !== 'integer') return value
  return Number(value.value)
}
