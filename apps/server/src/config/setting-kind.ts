import * as z from 'zod'
import { BUDGET_FORM, isBudget } from './memory-budget.ts'
import { formatAddress, type ListenAddress, readAddress } from './places.ts'
import { formatDuration, parseDuration } from './quantities.ts'

/** The form of a setting in JSON. */
interface SettingForm {
  /** The accepted form, as the end of the sentence "it is not …". */
  readonly form: string
  /** Turns the value of the paired option into the value of the setting. @default the same value */
  readonly fromOption?: ((value: unknown) => unknown) | undefined
}

/** The form of every setting kind. */
export const SETTING_FORMS = z.registry<SettingForm>()

const MAX_TEXT_LENGTH = 16_384
const MAX_ITEMS = 10_000

const textSchema = z
  .string()
  .max(MAX_TEXT_LENGTH)
  .regex(/^\P{Cc}*$/u)

/** `true` or `false`. */
export const onOff = z.boolean().register(SETTING_FORMS, { form: 'true or false' })

/** `true` or `false`, the opposite of the paired option. */
export const notOption = z.boolean().register(SETTING_FORMS, {
  form: 'true or false',
  fromOption: (value) => (typeof value === 'boolean' ? !value : value),
})

/** A whole number between two bounds, both included. */
export function wholeNumber({ min, max }: { readonly min: number; readonly max: number }): z.ZodInt {
  return z
    .int()
    .min(min)
    .max(max)
    .register(SETTING_FORMS, { form: `a whole number from ${min} to ${max}` })
}

/** A count from 0. */
export const wholeCount = wholeNumber({ min: 0, max: 1_000_000 })

/** A share above 0, 1 at most. */
export const share = z.number().gt(0).max(1).register(SETTING_FORMS, { form: 'a number above 0, and 1 at most' })

/** One line of text. */
export const line = textSchema.clone().register(SETTING_FORMS, { form: 'text without control characters' })

/** A listening address as text; empty for none. */
export const addressLine = textSchema
  .refine((value) => value === '' || readAddress(value) !== undefined)
  .register(SETTING_FORMS, {
    form: 'empty, or an address such as 127.0.0.1:8888, [::1]:8888 or :8888',
    fromOption: (value) => (isAddress(value) ? formatAddress(value) : undefined),
  })

function isAddress(value: unknown): value is ListenAddress {
  return typeof value === 'object' && value !== null && 'port' in value
}

/** A duration, kept as it was written. */
export const durationText = z
  .string()
  .refine((value) => parseDuration(value) !== undefined)
  .register(SETTING_FORMS, {
    form: 'a duration such as 10s, 500ms or 1h30m',
    fromOption: (value) => (typeof value === 'number' ? formatDuration(value) : undefined),
  })

/** A part of memory; empty for no limit. */
export const budgetText = textSchema.refine(isBudget).register(SETTING_FORMS, { form: BUDGET_FORM })

/** One of a few words. */
export function word<const Word extends string>(...words: readonly Word[]): z.ZodType<Word> {
  return z.enum(words).register(SETTING_FORMS, { form: `one of ${words.join(', ')}` })
}

/** A list of texts, none of them empty. */
export const lines: z.ZodType<readonly string[]> = z
  .array(textSchema.regex(/\S/))
  .max(MAX_ITEMS)
  .register(SETTING_FORMS, { form: 'a list of texts that are not empty' })

/** Model or backend galleries; further fields are kept as they are. */
export const galleries = z
  .array(z.looseObject({ url: textSchema, name: textSchema }))
  .max(MAX_ITEMS)
  .register(SETTING_FORMS, { form: 'a list of objects with url and name' })
