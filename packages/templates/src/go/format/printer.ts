import { type Budget, ByteSink } from '../limits.ts'
import { GoMap, GoPointer, GoSlice, GoStruct, type GoValue, isUnsigned, toTypeName } from '../values.ts'
import { clearFlags, type Flags, pad } from './flags.ts'
import { formatBool, formatComplex, formatFloatVerb, formatInteger, formatString } from './scalars.ts'

/** Go prints addresses here that differ from run to run; this one is always the same. */
const ADDRESS = '0xc000000000'

/** Writes values as Go's `fmt` does, into a sink bounded by the budget. */
export class Printer {
  readonly sink: ByteSink
  flags: Flags = clearFlags()
  readonly #budget: Budget

  constructor(budget: Budget) {
    this.#budget = budget
    this.sink = new ByteSink(budget)
  }

  /** Writes one argument under a verb. */
  argument(value: GoValue, verb: string): void {
    if (value === undefined || value === null) {
      if (verb === 'T' || verb === 'v') this.sink.write(pad('<nil>', this.flags))
      else this.#badVerb(value, verb)
    } else if (verb === 'T') {
      this.sink.write(formatString(toTypeName(value), 's', this.flags) ?? '')
    } else if (verb === 'p') {
      this.#address(value, verb)
    } else {
      this.#value(value, verb, 0)
    }
  }

  #value(value: GoValue, verb: string, depth: number): void {
    this.#budget.spend(1)
    this.#budget.checkDepth(depth)
    if (value === undefined || value === null) {
      this.sink.write(this.flags.sharpV ? 'interface {}(nil)' : '<nil>')
    } else if (value instanceof GoSlice) {
      this.#slice(value, verb, depth)
    } else if (value instanceof GoMap) {
      this.#map(value, verb, depth)
    } else if (value instanceof GoStruct) {
      this.#struct(value, verb, depth)
    } else if (value instanceof GoPointer) {
      this.#pointer(value, verb, depth)
    } else {
      const text = this.#scalar(value, verb)
      if (text === undefined) this.#badVerb(value, verb)
      else this.sink.write(text)
    }
  }

  #scalar(value: Exclude<GoValue, undefined | null>, verb: string): string | undefined {
    if (typeof value === 'string') {
      if (verb !== 's' && verb !== 'v') this.#budget.spendBytes(value.length * 3)
      return formatString(value, verb, this.flags)
    }
    if (typeof value === 'boolean') return formatBool(value, verb, this.flags)
    if (typeof value === 'number') return formatFloatVerb(value, verb, this.flags)
    switch (value.kind) {
      case 'integer':
        return formatInteger(value.value, isUnsigned(value.type), verb, this.flags)
      case 'complex':
        return formatComplex(value.real, value.imaginary, verb, this.flags)
      case 'object':
        return formatString(value.text(), verb, { ...this.flags, sharpV: false })
      default:
        return undefined
    }
  }

  #slice(value: GoSlice, verb: string, depth: number): void {
    const isGoSyntax = this.flags.sharpV
    if (isGoSyntax) {
      this.sink.write(toTypeName(value))
      if (value.isNil) {
        this.sink.write('(nil)')
        return
      }
    }
    this.sink.write(isGoSyntax ? '{' : '[')
    for (const [at, item] of value.items.entries()) {
      if (at > 0) this.#separator()
      this.#value(item, verb, depth + 1)
    }
    this.sink.write(isGoSyntax ? '}' : ']')
  }

  #map(value: GoMap, verb: string, depth: number): void {
    const isGoSyntax = this.flags.sharpV
    if (isGoSyntax) {
      this.sink.write(toTypeName(value))
      if (value.isNil) {
        this.sink.write('(nil)')
        return
      }
    }
    this.sink.write(isGoSyntax ? '{' : 'map[')
    for (const [at, key] of value.sortedKeys().entries()) {
      if (at > 0) this.#separator()
      this.#value(key, verb, depth + 1)
      this.sink.write(':')
      this.#value(value.entries.get(key), verb, depth + 1)
    }
    this.sink.write(isGoSyntax ? '}' : ']')
  }

  #struct(value: GoStruct, verb: string, depth: number): void {
    if (this.flags.sharpV) this.sink.write(value.type.name)
    this.sink.write('{')
    for (const [at, field] of value.type.fields.entries()) {
      if (at > 0) this.#separator()
      if (this.flags.plusV || this.flags.sharpV) this.sink.write(`${field.name}:`)
      this.#value(value.values[at], verb, depth + 1)
    }
    this.sink.write('}')
  }

  #separator(): void {
    this.sink.write(this.flags.sharpV ? ', ' : ' ')
  }

  #pointer(value: GoPointer, verb: string, depth: number): void {
    const { target } = value
    if (depth === 0 && (target instanceof GoStruct || target instanceof GoSlice || target instanceof GoMap)) {
      this.sink.write('&')
      this.#value(target, verb, depth + 1)
    } else if (verb !== 'v') {
      this.#address(value, verb)
    } else if (this.flags.sharpV) {
      this.sink.write(`(${toTypeName(value)})(${target === undefined ? 'nil' : ADDRESS})`)
    } else {
      this.sink.write(pad(target === undefined ? '<nil>' : ADDRESS, this.flags))
    }
  }

  #address(value: Exclude<GoValue, undefined | null>, verb: string): void {
    const hasAddress = value instanceof GoPointer || value instanceof GoMap || value instanceof GoSlice
    if (!hasAddress || (verb !== 'p' && formatInteger(0n, true, verb, this.flags) === undefined)) {
      this.#badVerb(value, verb)
    } else {
      this.sink.write(pad(ADDRESS, this.flags))
    }
  }

  /** Go's text for a verb that does not fit: `%!d(string=x)`. */
  #badVerb(value: GoValue, verb: string): void {
    this.sink.write(`%!${verb}(`)
    if (value === undefined || value === null) {
      this.sink.write('<nil>')
    } else {
      this.sink.write(`${toTypeName(value)}=`)
      this.#value(value, 'v', 0)
    }
    this.sink.write(')')
  }
}
