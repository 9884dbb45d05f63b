import * as z from 'zod'

/** The form of the text of a flag or variable. */
export interface TextForm {
  /** The word for a value in `--help`. */
  readonly placeholder: string
  /** The accepted form, as the end of the sentence "… is not …". */
  readonly form: string
  /** A `switch` needs no value on the command line. The values of a `list` given several times add up. */
  readonly shape: 'single' | 'switch' | 'list'
  /** Completes a relative value with the working directory. */
  readonly resolve?: ((value: string, cwd: string) => string) | undefined
}

/** A schema that reads the text of a flag or variable. */
export type TextKind<T = unknown> = z.ZodType<T, string>

/** The form of every text kind. */
export const TEXT_FORMS = z.registry<TextForm>()

/** Reads a text with a function that returns undefined for another form. */
export function readWith<T>(read: (text: string) => T | undefined): TextKind<T> {
  return z.string().transform((text, context) => {
    const value = read(text)
    if (value !== undefined) return value
    context.issues.push({ code: 'custom', message: 'another form', input: text })
    return z.NEVER
  })
}

/** On or off. */
export const toggle = z
  .stringbool({ truthy: ['1', 't', 'true', 'y', 'yes', 'on'], falsy: ['0', 'f', 'false', 'n', 'no', 'off'] })
  .register(TEXT_FORMS, { placeholder: '', form: 'true or false', shape: 'switch' })

const lineOfText = z.string().regex(/^\P{Cc}*$/u)

/** Any text on one line. */
export const text = lineOfText
  .clone()
  .register(TEXT_FORMS, { placeholder: 'TEXT', form: 'text without control characters', shape: 'single' })

/** Text that an HTTP header can carry. */
export const headerText = z
  .string()
  .regex(/^[\x20-\x7e]*$/)
  .register(TEXT_FORMS, { placeholder: 'TEXT', form: 'text of printable ASCII characters', shape: 'single' })

/** Bounds of a number, both included. */
interface Bounds {
  readonly min: number
  readonly max: number
}

/** A whole number. */
export function integer({ min, max }: Bounds): TextKind<number> {
  return z
    .string()
    .regex(/^[+-]?\d{1,15}$/)
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .register(TEXT_FORMS, { placeholder: 'N', form: `a whole number from ${min} to ${max}`, shape: 'single' })
}

/** A count from 0. */
export const count = integer({ min: 0, max: 1_000_000 })

/** A count from 1. */
export const positive = integer({ min: 1, max: 1_000_000 })

/** A decimal number. */
export function decimal({ min, max }: Bounds): TextKind<number> {
  return z
    .string()
    .regex(/^[+-]?\d{1,15}(\.\d{1,15})?$/)
    .transform(Number)
    .pipe(z.number().min(min).max(max))
    .register(TEXT_FORMS, { placeholder: 'N', form: `a number from ${min} to ${max}`, shape: 'single' })
}

/** One of a few words, in any case. */
export function choice<const Word extends string>(...words: readonly Word[]): TextKind<Word> {
  return z
    .string()
    .toLowerCase()
    .pipe(z.enum(words))
    .register(TEXT_FORMS, { placeholder: words.join('|'), form: `one of ${words.join(', ')}`, shape: 'single' })
}

const split = (value: string): string[] =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')

/**
 * Values between commas. Spaces around them and empty ones are dropped; one wrong item refuses the list.
 *
 * @param item reads one value
 */
export function list<T>(
  item: TextKind<T>,
  { placeholder, form }: Pick<TextForm, 'placeholder' | 'form'>,
): TextKind<readonly T[]> {
  return z
    .string()
    .transform(split)
    .pipe(z.array(item))
    .transform((items): readonly T[] => Object.freeze(items))
    .register(TEXT_FORMS, { placeholder: `${placeholder},…`, form, shape: 'list' })
}

/** Any texts between commas. */
export const texts = list(lineOfText, { placeholder: 'TEXT', form: 'a list of texts between commas' })
