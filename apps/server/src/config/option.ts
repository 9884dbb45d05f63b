import type { ValueKind } from './value-kind.ts'

/** Headings of the help text and the documentation page, in their order. */
export const SECTIONS = {
  server: 'Server',
  folders: 'Folders',
  access: 'Access and safety',
  models: 'Models',
  backends: 'Backends',
  storage: 'Settings and storage',
  logs: 'Logs, metrics and profiling',
  accounts: 'User accounts',
  gallery: 'Galleries and downloads',
  residency: 'Memory and eviction',
  traces: 'Traces and stored replies',
  filters: 'Filtering and interception',
  agents: 'Agents',
  peers: 'Peer-to-peer',
  cluster: 'Several machines',
  realtime: 'Realtime media',
} as const

/** Key of {@link SECTIONS}. */
export type Section = keyof typeof SECTIONS

/** One flag with its variables: a row of the table in `schema.ts`. */
export interface Option {
  readonly kind: ValueKind<unknown>
  /** Long flag without dashes; none where only a variable is taken. */
  readonly flag?: string | undefined
  readonly aliases?: readonly string[] | undefined
  /** One letter. */
  readonly short?: string | undefined
  /** Variables, the first that is not empty wins. */
  readonly env?: readonly string[] | undefined
  /** The default as a user would write it. */
  readonly default?: string | undefined
  /** What the documentation shows where the default is found out at run time. */
  readonly shownDefault?: string | undefined
  readonly section: Section
  /** What it does, one lower-case phrase. */
  readonly about: string
  /** False where the feature is not in this version: anything but the default is refused. @default true */
  readonly built?: false | undefined
  /** The value is never shown or logged. @default false */
  readonly secret?: true | undefined
  /** The key of `/api/settings` that can change it while the server runs. */
  readonly setting?: string | undefined
}

/** A table of options by the name that their values have in the configuration. */
export type OptionTable = Readonly<Record<string, Option>>

/** Keeps the exact type of each row, so that the configuration's type follows from the table. */
export function defineOptions<const Table extends OptionTable>(table: Table): Table {
  return table
}

/** The type of one row's value: undefined is possible where the row has no default. */
export type ValueOf<Row extends Option> =
  Row['kind'] extends ValueKind<infer Value>
    ? Row extends { readonly default: string }
      ? Value
      : Value | undefined
    : never

/** How a person writes an option: the flag, else the first variable. */
export function nameOf(option: Option): string {
  return option.flag === undefined ? (option.env?.[0] ?? '') : `--${option.flag}`
}
