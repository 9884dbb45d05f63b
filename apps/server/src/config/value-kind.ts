/** What reading a value may lean on. */
interface ReadContext {
  /** The folder that relative paths start from. */
  readonly cwd: string
}

/** How the text of a flag or variable becomes a value. */
export interface ValueKind<T> {
  /** The word that stands for a value in `--help`. */
  readonly placeholder: string
  /** What is accepted, as the end of the sentence "… is not …". */
  readonly form: string
  /** `switch` needs no value on the command line; values of a `list` given several times add up. */
  readonly shape: 'single' | 'switch' | 'list'
  /** The value, or undefined when the text has not the accepted form. */
  read(text: string, context: ReadContext): T | undefined
}

const TRUE = new Set(['1', 't', 'true', 'y', 'yes', 'on'])
const FALSE = new Set(['0', 'f', 'false', 'n', 'no', 'off'])

/** On or off. */
export const toggle: ValueKind<boolean> = {
  placeholder: '',
  form: 'true or false',
  shape: 'switch',
  read: (text) => {
    const word = text.toLowerCase()
    if (TRUE.has(word)) return true
    return FALSE.has(word) ? false : undefined
  },
}

/** Any text on one line. */
export const text: ValueKind<string> = {
  placeholder: 'TEXT',
  form: 'text without control characters',
  shape: 'single',
  read: (value) => (/\p{Cc}/u.test(value) ? undefined : value),
}

/** What an HTTP header can carry. */
export const headerText: ValueKind<string> = {
  placeholder: 'TEXT',
  form: 'text of printable ASCII characters',
  shape: 'single',
  read: (value) => (/^[\x20-\x7e]*$/.test(value) ? value : undefined),
}

/** Bounds of a number, both included. */
export interface Bounds {
  readonly min: number
  readonly max: number
}

const within = (value: number, { min, max }: Bounds): number | undefined =>
  Number.isFinite(value) && value >= min && value <= max ? value : undefined

/** A whole number. */
export function integer(bounds: Bounds): ValueKind<number> {
  return {
    placeholder: 'N',
    form: `a whole number from ${bounds.min} to ${bounds.max}`,
    shape: 'single',
    read: (value) => (/^[+-]?\d{1,15}$/.test(value) ? within(Number(value), bounds) : undefined),
  }
}

/** A decimal number. */
export function decimal(bounds: Bounds): ValueKind<number> {
  return {
    placeholder: 'N',
    form: `a number from ${bounds.min} to ${bounds.max}`,
    shape: 'single',
    read: (value) => (/^[+-]?\d{1,15}(\.\d{1,15})?$/.test(value) ? within(Number(value), bounds) : undefined),
  }
}

/** One of a few words. */
export function choice<const Word extends string>(...words: readonly Word[]): ValueKind<Word> {
  return {
    placeholder: words.join('|'),
    form: `one of ${words.join(', ')}`,
    shape: 'single',
    read: (value) => words.find((word) => word === value.toLowerCase()),
  }
}

const items = (value: string): string[] =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')

/**
 * Values between commas, spaces around them and empty ones dropped.
 *
 * @param options.each reads one value; undefined refuses the list
 */
export function list<T>(options: {
  readonly placeholder: string
  readonly form: string
  readonly each: (item: string) => T | undefined
}): ValueKind<readonly T[]> {
  return {
    placeholder: `${options.placeholder},…`,
    form: options.form,
    shape: 'list',
    read: (value) => {
      const values: T[] = []
      for (const item of items(value)) {
        const one = options.each(item)
        if (one === undefined) return undefined
        values.push(one)
      }
      return Object.freeze(values)
    },
  }
}

/** Any texts between commas. */
export const texts = list({
  placeholder: 'TEXT',
  form: 'a list of texts between commas',
  each: (item) => text.read(item, { cwd: '' }),
})
