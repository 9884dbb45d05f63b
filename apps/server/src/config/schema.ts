import type * as z from 'zod'
import { realtime } from '../api/realtime/options.ts'
import {
  listOptions,
  listSettings,
  type Option,
  type OptionSchema,
  type PairedSettings,
  type Section,
  type Setting,
  type SettingSchema,
} from './option.ts'
import { access } from './options/access.ts'
import { accounts } from './options/accounts.ts'
import { agents } from './options/agents.ts'
import { assistant } from './options/assistant.ts'
import { backends } from './options/backends.ts'
import { calls } from './options/calls.ts'
import { cluster } from './options/cluster.ts'
import { collections } from './options/collections.ts'
import { filters } from './options/filters.ts'
import { folders } from './options/folders.ts'
import { gallery } from './options/gallery.ts'
import { logs } from './options/logs.ts'
import { models } from './options/models.ts'
import { peers } from './options/peers.ts'
import { residency } from './options/residency.ts'
import { server } from './options/server.ts'
import { storage } from './options/storage.ts'
import { traces } from './options/traces.ts'
import { vectorStores } from './options/vector-stores.ts'
import { wayOut } from './options/way-out.ts'
import { worker } from './options/worker.ts'
import { REFUSED } from './refused.ts'

/**
 * The sections in the order of the help text and the documentation page (§8). Everything else about
 * flags, variables and runtime settings follows from them: the type of the configuration, `--help`, the documentation
 * page, `/api/settings` and its schema. A feature may declare its section in its own folder and is listed here.
 */
const SECTIONS = [
  ...[server, folders, access, wayOut, accounts, models, backends, storage, logs, gallery],
  ...[residency, traces, vectorStores, collections, filters, agents, assistant, realtime, calls],
  ...[peers, cluster, worker],
] as const

type DeclaredSection = (typeof SECTIONS)[number] | (typeof REFUSED)[number]

/** The members of a union, all at once. */
type Merge<Union> = (Union extends unknown ? (member: Union) => void : never) extends (merged: infer All) => void
  ? All
  : never

type OptionSchemas = Merge<DeclaredSection['options']>
type SettingSchemas = Merge<NonNullable<DeclaredSection['settings']> | PairedSettings<OptionSchemas[OptionKey]>>

/** Name of a value in the configuration. */
export type OptionKey = keyof OptionSchemas

/** Everything that flags and variables say, frozen; printing it as JSON masks the secrets. */
export type ServerConfig = {
  readonly [Key in OptionKey]: OptionSchemas[Key] extends OptionSchema<infer Value> ? Value : never
}

/** Name of a setting, as it is on the wire and in the file. */
export type SettingKey = keyof SettingSchemas & string

/** The type of a setting's value. */
export type SettingValue<Key extends SettingKey> =
  SettingSchemas[Key] extends SettingSchema<infer Kind> ? z.output<Kind> : never

const declared: readonly Section[] = [...SECTIONS, ...REFUSED]

/** Every option, those that are refused at the end. */
export const OPTIONS: readonly Option[] = declared.flatMap(listOptions)

/** Every runtime setting, in the same order. */
export const SETTINGS: readonly Setting[] = declared.flatMap(listSettings)
