import { runeAt } from '../bytes.ts'
import type { Budget } from '../limits.ts'
import { GoInteger, type GoValue, toTypeName } from '../values.ts'
import { clearFlags } from './flags.ts'
import { Printer } from './printer.ts'

/** Widths and precisions beyond this are refused, as in Go. */
const LARGEST = 1_000_000

/** `fmt.Sprintf`. */
export function sprintf(budget: Budget, format: string, args: readonly GoValue[]): string {
  return new Formatter(budget, format, args).run()
}

class Formatter {
  readonly #printer: Printer
  readonly #format: string
  readonly #args: readonly GoValue[]
  readonly #lastBracket: number
  #at = 0
  #argument = 0
  /** Whether the previous item was an index such as `[3]`. */
  #afterIndex = false
  #isGoodIndex = true
  #isReordered = false

  constructor(budget: Budget, format: string, args: readonly GoValue[]) {
    this.#printer = new Printer(budget)
    this.#format = format
    this.#args = args
    this.#lastBracket = format.lastIndexOf(']')
  }

  run(): string {
    for (;;) {
      const percent = this.#format.indexOf('%', this.#at)
      if (percent !== this.#at) {
        this.#printer.sink.write(this.#format.slice(this.#at, percent < 0 ? undefined : percent))
      }
      if (percent < 0) break
      this.#at = percent + 1
      this.#verb()
    }
    if (!this.#isReordered && this.#argument < this.#args.length) this.#extra()
    return this.#printer.sink.finish()
  }

  #verb(): void {
    this.#isGoodIndex = true
    this.#afterIndex = false
    this.#flags()
    this.#index()
    this.#width()
    this.#precision()
    if (!this.#afterIndex) this.#index()
    if (this.#at >= this.#format.length) {
      this.#printer.sink.write('%!(NOVERB)')
      return
    }
    const { size } = runeAt(this.#format, this.#at)
    const verb = this.#format.slice(this.#at, this.#at + size)
    this.#at += size
    this.#print(verb)
  }

  #print(verb: string): void {
    const { sink, flags } = this.#printer
    if (verb === '%') sink.write('%')
    else if (!this.#isGoodIndex) sink.write(`%!${verb}(BADINDEX)`)
    else if (this.#argument >= this.#args.length) sink.write(`%!${verb}(MISSING)`)
    else {
      if (verb === 'v') {
        Object.assign(flags, { sharpV: flags.sharp, sharp: false, plusV: flags.plus, plus: false })
      }
      this.#printer.argument(this.#args[this.#argument], verb)
      this.#argument++
    }
  }

  #flags(): void {
    const flags = clearFlags()
    this.#printer.flags = flags
    for (; ; this.#at++) {
      const char = this.#format.charAt(this.#at)
      if (char === '#') flags.sharp = true
      else if (char === '0') flags.zero = true
      else if (char === '+') flags.plus = true
      else if (char === '-') flags.minus = true
      else if (char === ' ') flags.space = true
      else return
    }
  }

  #width(): void {
    const { flags, sink } = this.#printer
    if (this.#format.charAt(this.#at) === '*') {
      this.#at++
      const width = this.#fromArgument()
      if (width === undefined) sink.write('%!(BADWIDTH)')
      else if (width < 0) Object.assign(flags, { width: -width, minus: true, zero: false })
      else flags.width = width
      this.#afterIndex = false
      return
    }
    flags.width = this.#number()
    if (this.#afterIndex && flags.width !== undefined) this.#isGoodIndex = false
  }

  #precision(): void {
    if (this.#at + 1 >= this.#format.length || this.#format.charAt(this.#at) !== '.') return
    const { flags, sink } = this.#printer
    this.#at++
    if (this.#afterIndex) this.#isGoodIndex = false
    this.#index()
    if (this.#format.charAt(this.#at) === '*') {
      this.#at++
      const precision = this.#fromArgument()
      if (precision === undefined || precision < 0) sink.write('%!(BADPREC)')
      else flags.precision = precision
      this.#afterIndex = false
    } else {
      flags.precision = this.#number() ?? 0
    }
  }

  /** Reads digits at the current position. A number that is too large consumes the rest of the format. */
  #number(): number | undefined {
    let value: number | undefined
    for (; this.#at < this.#format.length; this.#at++) {
      const digit = this.#format.charCodeAt(this.#at) - 0x30
      if (digit < 0 || digit > 9) break
      if (value !== undefined && value > LARGEST) {
        this.#at = this.#format.length
        return undefined
      }
      value = (value ?? 0) * 10 + digit
    }
    return value
  }

  /** A width or precision given as `*`. */
  #fromArgument(): number | undefined {
    const value = this.#args[this.#argument]
    if (this.#argument < this.#args.length) this.#argument++
    if (!(value instanceof GoInteger)) return undefined
    const number = Number(value.value)
    return Math.abs(number) > LARGEST ? undefined : number
  }

  /** `[n]`: the index of the next argument. */
  #index(): void {
    this.#afterIndex = false
    if (this.#format.charAt(this.#at) !== '[') return
    this.#isReordered = true
    const close = this.#at > this.#lastBracket ? -1 : this.#format.indexOf(']', this.#at)
    if (this.#format.length - this.#at < 3 || close < 0) {
      this.#isGoodIndex = false
      this.#at++
      return
    }
    const digits = this.#format.slice(this.#at + 1, close)
    const isNumber = /^[0-9]{1,8}$/.test(digits)
    const index = Number(digits) - 1
    this.#at = close + 1
    if (isNumber && index >= 0 && index < this.#args.length) {
      this.#argument = index
      this.#afterIndex = true
    } else {
      this.#isGoodIndex = false
      this.#afterIndex = isNumber
    }
  }

  #extra(): void {
    const printer = this.#printer
    printer.flags = clearFlags()
    printer.sink.write('%!(EXTRA ')
    for (const [at, value] of this.#args.slice(this.#argument).entries()) {
      if (at > 0) printer.sink.write(', ')
      if (value !== undefined && value !== null) printer.sink.write(`${toTypeName(value)}=`)
      printer.argument(value, 'v')
    }
    printer.sink.write(')')
  }
}
