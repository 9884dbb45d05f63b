import type * as z from 'zod'
import { SETTING_FORMS } from './setting-kind.ts'
import { TEXT_FORMS, type TextForm, type TextKind } from './text-kind.ts'

/** Everything about a flag and its variables that its schema does not say. */
export interface OptionMeta {
  /** Long flag without dashes; absent where only a variable is read. */
  readonly flag?: string | undefined
  readonly aliases?: readonly string[] | undefined
  /** One letter. */
  readonly short?: string | undefined
  /** Variables; the first that is not empty counts. */
  readonly env?: readonly string[] | undefined
  /** The default as a user would write it. */
  readonly default?: string | undefined
  /** The default in words, where the server finds it at run time. */
  readonly shownDefault?: string | undefined
  /** Effect of the option: one lower-case phrase. */
  readonly about: string
  /** The value is never shown or logged. @default false */
  readonly secret?: true | undefined
  /** Why anything but the default is refused, after the name of the option. @default every value of its form is accepted */
  readonly refusal?: string | undefined
}

/** A setting by its name on the wire. */
export type NamedSettings = Readonly<Record<string, SettingSchema>>

/** A schema whose type also names the setting that changes the option. */
export interface Paired<Settings extends NamedSettings> {
  readonly [PAIRED]?: Settings
}
declare const PAIRED: unique symbol

/** The settings of the options of a section. */
export type PairedSettings<Options> = Options extends Paired<infer Settings> ? Settings : never

/** Everything about a setting that its schema does not say. */
export interface SettingMeta {
  /** The default, where no option is paired with the setting or the option has no default. */
  readonly default?: unknown
  /** A saved value beats the flag. @default false: the flag or variable beats the saved value */
  readonly fileFirst?: true | undefined
  /** The setting is shown as a mask. @default false */
  readonly secret?: true | undefined
  /** Only routes of their own change the setting; a general update may not. */
  readonly owner?: 'branding' | undefined
  /** Effect of the setting. @default the phrase of the paired option */
  readonly about?: string | undefined
}

/** An option as it is declared. */
interface DeclaredOption<Settings extends NamedSettings> extends OptionMeta {
  /**
   * The setting that changes the option while the server runs: its name and its schema. Without one, a change needs a
   * restart.
   */
  readonly setting?: Settings | undefined
}

/** One flag with its variables. */
export interface OptionSchema<Value = unknown> {
  /** Reads a text. */
  readonly kind: TextKind<Value>
  readonly meta: DeclaredOption<NamedSettings>
}

/** One runtime setting. */
export interface SettingSchema<Kind extends z.ZodType = z.ZodType> {
  readonly kind: Kind
  readonly meta: SettingMeta
}

/** Declares a flag with its variables. The value may be undefined only where there is no default. */
export function option<Kind extends TextKind, const Settings extends NamedSettings = Record<never, never>>(
  kind: Kind,
  meta: DeclaredOption<Settings> & { readonly default: string },
): OptionSchema<z.output<Kind>> & Paired<Settings>
export function option<Kind extends TextKind, const Settings extends NamedSettings = Record<never, never>>(
  kind: Kind,
  meta: DeclaredOption<Settings>,
): OptionSchema<z.output<Kind> | undefined> & Paired<Settings>
export function option(kind: TextKind, meta: DeclaredOption<NamedSettings>): OptionSchema {
  return { kind, meta }
}

/** Declares a key of `/api/settings`. */
export function setting<Kind extends z.ZodType>(kind: Kind, meta: SettingMeta = {}): SettingSchema<Kind> {
  return { kind, meta }
}

/** Flags and settings under one heading of the help text and the documentation page. */
export interface Section<
  Options extends Readonly<Record<string, OptionSchema>> = Readonly<Record<string, OptionSchema>>,
  Settings extends NamedSettings = NamedSettings,
> {
  readonly heading: string
  /** Options by the name that the value has in the configuration. */
  readonly options: Options
  /** Settings without an option, by the name on the wire. @default none */
  readonly settings?: Settings
}

/** Declares a section; the types of the configuration and of the settings follow from it. */
export function defineSection<
  const Options extends Readonly<Record<string, OptionSchema>>,
  const Settings extends NamedSettings = Record<never, never>,
>(section: Section<Options, Settings>): Section<Options, Settings> {
  return section
}

/** An option with everything that is known of it. */
export interface Option extends OptionMeta, TextForm {
  /** Name in the configuration. */
  readonly key: string
  readonly kind: TextKind
  /** The setting that changes the option while the server runs. */
  readonly setting: string | undefined
  /** Heading of its section. */
  readonly heading: string
}

/** A setting with everything that is known of it. */
export interface Setting extends SettingMeta {
  /** Name on the wire and in the file. */
  readonly key: string
  readonly kind: z.ZodType
  /** Heading of its section. */
  readonly heading: string
  /** The accepted form, as the end of the sentence "it is not …". */
  readonly form: string
  readonly fromOption: (value: unknown) => unknown
  /** Why only the present value can be set, after the name of the setting: the refusal of the paired option. */
  readonly refusal: string | undefined
}

/** Lists the options of a section. */
export function listOptions({ heading, options }: Section): Option[] {
  return Object.entries(options).map(([key, { kind, meta }]) => {
    const form = TEXT_FORMS.get(kind)
    if (form === undefined) throw new Error(`${key} has no form of its text`)
    const [setting] = Object.keys(meta.setting ?? {})
    return { ...form, ...meta, setting, key, kind, heading }
  })
}

/** Lists the settings of a section: those without an option, then those of its options. */
export function listSettings({ heading, options, settings = {} }: Section): Setting[] {
  const own = Object.entries(settings).map(([key, schema]) => ({ key, schema, refusal: undefined }))
  const paired = Object.values(options).flatMap(({ meta: { setting = {}, refusal } }) =>
    Object.entries(setting).map(([key, schema]) => ({ key, schema, refusal })),
  )
  return [...own, ...paired].map(({ key, schema: { kind, meta }, refusal }) => {
    const found = SETTING_FORMS.get(kind)
    if (found === undefined) throw new Error(`${key} has no form of its value`)
    const { form, fromOption = (value) => value } = found
    return { ...meta, key, kind, heading, form, fromOption, refusal }
  })
}

/**
 * The value of a text, or of the default where there is no text; undefined where there is neither, or the form is
 * wrong.
 */
export function readOption(option: Option, text: string | undefined, { cwd }: { readonly cwd: string }): unknown {
  const written = text ?? option.default
  const value = written === undefined ? undefined : option.kind.safeParse(written, PARSING).data
  return option.resolve === undefined || typeof value !== 'string' ? value : option.resolve(value, cwd)
}

/** Compiling a parser costs more than the single use of a schema saves. */
const PARSING = { jitless: true }

/** The name of an option as a person writes it: the flag, else the first variable. */
export function formatOptionName({ flag, env }: Option): string {
  return flag === undefined ? (env?.[0] ?? '') : `--${flag}`
}
