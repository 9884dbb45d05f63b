import { toCount, toIndex, toTextArgument } from '../arguments.ts'
import { raise } from '../errors.ts'
import { fromKeys } from '../methods/container-methods.ts'
import { fillDict } from '../methods/fill-dict.ts'
import { printValue } from '../print.ts'
import type { Rendering } from '../rendering.ts'
import { isTrue } from '../truth.ts'
import { type Arguments, BuiltinFunction, Callable, define, type Implementation } from '../values/callable.ts'
import { Dict } from '../values/dict.ts'
import { Namespace } from '../values/namespace.ts'
import { Range } from '../values/range.ts'
import { Markup, type Value } from '../values/value.ts'
import { Cycler, Joiner } from './cycler.ts'
import { makeLipsum } from './lipsum.ts'
import { formatTime } from './strftime.ts'

/** The most paragraphs and words of filler text. */
const MAX_LIPSUM = 1000

/** The function `dict`, which has one function of its own. */
class DictFunction extends Callable {
  readonly typeName = 'TemplateDict'

  call(run: Rendering, given: Arguments): Value {
    return makeDict(run, given)
  }

  override attribute(name: string): Value | undefined {
    return name === 'fromkeys' ? new BuiltinFunction(name, fromKeys) : undefined
  }
}

const FUNCTIONS: readonly (readonly [string, Implementation])[] = [
  ['range', (run, given) => makeRange(run, given)],
  ['namespace', (run, given) => new Namespace(makeDict(run, given))],
  ['cycler', (_run, { positional }) => new Cycler(positional)],
  ['joiner', define('joiner', 'sep?', (_run, [separator = ', ']) => new Joiner(separator))],
  [
    'raise_exception',
    define('raise_exception', 'message', (run, [message]) => raise('TemplateError', printValue(run, message))),
  ],
  [
    'strftime_now',
    define('strftime_now', 'format', (run, [format]) => {
      const text = toTextArgument(format)
      run.spend(text.length * 32)
      return run.built(formatTime(run.clock, text))
    }),
  ],
  [
    'lipsum',
    define('lipsum', 'n? html? min? max?', (run, [count = 5, html = true, min = 20, max = 100]) => {
      const clamp = (value: Value): number => Math.min(MAX_LIPSUM, Math.max(0, toCount(value)))
      const options = { paragraphs: clamp(count), min: clamp(min), max: clamp(max), random: run.random }
      run.reserve(options.paragraphs * Math.max(options.min, options.max) * 12)
      const paragraphs = makeLipsum(options)
      if (!isTrue(html)) return paragraphs.join('\n\n')
      return new Markup(paragraphs.map((text) => `<p>${text}</p>`).join('\n'))
    }),
  ],
]

/** The variables every template has. */
export const GLOBALS: ReadonlyMap<string, Value> = new Map<string, Value>([
  ...FUNCTIONS.map(([name, implementation]) => [name, new BuiltinFunction(name, implementation)] as const),
  ['dict', new DictFunction()],
])

function makeRange(run: Rendering, { positional, named }: Arguments): Range {
  if (named.size > 0) raise('TypeError', 'range() takes no keyword arguments')
  if (positional.length < 1 || positional.length > 3) {
    raise('TypeError', `range expected 1 to 3 arguments, got ${positional.length}`)
  }
  const [first = 0, second = 0, third = 1] = positional.map(toSmallIndex)
  if (third === 0) raise('ValueError', 'range() arg 3 must not be zero')
  const range = positional.length === 1 ? new Range(0, first, 1) : new Range(first, second, third)
  run.checkRange(range.length)
  return range
}

/** A range could not distinguish numbers that are not safe. */
function toSmallIndex(value: Value): number {
  const index = toIndex(value)
  return typeof index === 'number' ? index : raise('OverflowError', 'a bound of range() is too large')
}

/** The result of `dict(mapping or pairs, name=value)`. */
function makeDict(run: Rendering, given: Arguments): Dict {
  const dict = new Dict()
  fillDict(run, dict, { name: 'dict', given })
  return dict
}
