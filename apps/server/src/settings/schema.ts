import { formatAddress, type ListenAddress } from '../config/places.ts'
import { formatDuration } from '../config/quantities.ts'
import { OPTION_ROWS, type ServerConfig } from '../config/schema.ts'
import {
  durationText,
  galleries,
  line,
  lines,
  type SettingKind,
  share,
  toggle,
  wholeNumber,
  word,
} from './setting-kind.ts'

/** One key of `/api/settings`: a row of the table below. */
export interface Setting {
  readonly kind: SettingKind<unknown>
  /** Where no flag is paired with it, or the flag has no default. The others take the flag's. */
  readonly default?: unknown
  /** The paired flag's value in the words of this setting. @default the same */
  readonly fromConfig?: ((config: ServerConfig) => unknown) | undefined
  /** A saved value beats the flag. @default false: the flag or variable beats the saved value */
  readonly fileFirst?: true | undefined
  /** Shown as a mask. @default false */
  readonly secret?: true | undefined
  /** False where the feature is not in this version and no option says so. @default what the paired option says */
  readonly built?: false | undefined
  /** Set through routes of its own; a general update may not change it. */
  readonly owner?: 'branding' | undefined
}

function defineSettings<const Table extends Readonly<Record<string, Setting>>>(table: Table): Table {
  return table
}

const count = wholeNumber({ min: 0, max: 1_000_000 })
const shownAddress = (found: ListenAddress | undefined): string | undefined =>
  found === undefined ? undefined : formatAddress(found)

/**
 * Every runtime setting and the only place they are declared. Which flag a key is paired with stands in the table of
 * options (`config/schema.ts`). Keys of features that are not in this version are shown and kept like the others, as
 * interfaces and other versions know them; only their present value can be set.
 */
const SETTINGS = defineSettings({
  watchdog_enabled: { kind: toggle, default: false },
  watchdog_idle_enabled: { kind: toggle },
  watchdog_busy_enabled: { kind: toggle },
  watchdog_idle_timeout: { kind: durationText, fromConfig: (config) => formatDuration(config.watchdogIdleTimeoutMs) },
  watchdog_busy_timeout: { kind: durationText, fromConfig: (config) => formatDuration(config.watchdogBusyTimeoutMs) },
  watchdog_interval: { kind: durationText, fromConfig: (config) => formatDuration(config.watchdogIntervalMs) },
  single_backend: { kind: toggle },
  max_active_backends: { kind: count },
  auto_upgrade_backends: { kind: toggle },
  prefer_development_backends: { kind: toggle },
  memory_reclaimer_enabled: { kind: toggle },
  memory_reclaimer_threshold: { kind: share },
  force_eviction_when_busy: { kind: toggle },
  size_aware_eviction: { kind: toggle },
  lru_eviction_max_retries: { kind: count },
  lru_eviction_retry_interval: {
    kind: durationText,
    fromConfig: (config) => formatDuration(config.lruEvictionRetryIntervalMs),
  },
  threads: { kind: wholeNumber({ min: 0, max: 4096 }) },
  context_size: { kind: wholeNumber({ min: -1, max: 2_147_483_647 }) },
  artifact_download_concurrency: { kind: wholeNumber({ min: 1, max: 1_000_000 }) },
  vram_budget: { kind: line },
  f16: { kind: toggle },
  debug: { kind: toggle },
  enable_tracing: { kind: toggle },
  tracing_max_items: { kind: count },
  tracing_max_body_bytes: { kind: wholeNumber({ min: 0, max: 1_073_741_824 }), fileFirst: true },
  enable_backend_logging: { kind: toggle, default: true, fileFirst: true, built: false },
  cors: { kind: toggle },
  cors_allow_origins: { kind: line },
  /** On = unsafe requests of other sites' pages are refused. (Elsewhere the same word once meant the opposite.) */
  csrf: { kind: toggle, fromConfig: (config) => !config.disableCsrf },
  p2p_token: { kind: line, secret: true },
  p2p_network_id: { kind: line },
  federated: { kind: toggle },
  galleries: { kind: galleries, default: [] },
  backend_galleries: { kind: galleries, default: [] },
  autoload_galleries: { kind: toggle },
  autoload_backend_galleries: { kind: toggle },
  /** Saved keys are added to those of flag, variable and `api_keys.json`; none of these can be taken away here. */
  api_keys: { kind: lines, secret: true },
  agent_job_retention_days: { kind: count },
  open_responses_store_ttl: {
    kind: durationText,
    fromConfig: (config) => formatDuration(config.openResponsesStoreTtlMs),
  },
  agent_pool_enabled: { kind: toggle, fromConfig: (config) => !config.disableAgents },
  agent_pool_default_model: { kind: line },
  agent_pool_embedding_model: { kind: line },
  agent_pool_max_chunking_size: { kind: count },
  agent_pool_chunk_overlap: { kind: count },
  agent_pool_enable_logs: { kind: toggle },
  agent_pool_collection_db_path: { kind: line },
  agent_pool_database_url: { kind: line, secret: true },
  agent_pool_vector_engine: { kind: word('chromem', 'postgres') },
  agent_pool_agent_hub_url: { kind: line },
  distributed_disk_headroom_check: { kind: toggle },
  localai_assistant_enabled: { kind: toggle, fromConfig: (config) => !config.disableAssistant },
  instance_name: { kind: line, default: '', fileFirst: true },
  instance_tagline: { kind: line, default: '', fileFirst: true },
  logo_file: { kind: line, default: '', fileFirst: true, owner: 'branding' },
  logo_horizontal_file: { kind: line, default: '', fileFirst: true, owner: 'branding' },
  favicon_file: { kind: line, default: '', fileFirst: true, owner: 'branding' },
  mitm_listen: { kind: line, default: '', fromConfig: (config) => shownAddress(config.mitmListen) },
  pii_default_detectors: { kind: lines },
})

/** Name of a setting, as it is on the wire and in the file. */
export type SettingKey = keyof typeof SETTINGS

/** The type of a setting's value. */
export type SettingValue<Key extends SettingKey> =
  (typeof SETTINGS)[Key]['kind'] extends SettingKind<infer Value> ? Value : never

/** Whether a text names a setting. */
export function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(SETTINGS, key)
}

/** Every setting, in the table's order. */
export const SETTING_KEYS: readonly SettingKey[] = Object.keys(SETTINGS).filter(isSettingKey)

/** A setting's row, without its exact type. */
export const settingOf = (key: SettingKey): Setting => SETTINGS[key]

const PAIRED_OPTION = new Map(
  OPTION_ROWS.flatMap(([key, { setting }]) => (setting === undefined ? [] : [[setting, key] as const])),
)

/** The name in the configuration of the option that a setting is paired with. */
export function optionOf(key: SettingKey): string | undefined {
  return PAIRED_OPTION.get(key)
}

const BUILT = new Map(OPTION_ROWS.map(([key, { built }]) => [key as string, built !== false]))

/** Whether something acts on a setting in this version. */
export function isBuilt(key: SettingKey): boolean {
  return settingOf(key).built !== false && BUILT.get(optionOf(key) ?? '') !== false
}
