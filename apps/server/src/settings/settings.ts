import { isDeepStrictEqual } from 'node:util'
import { SvcError } from '@svc/errors'
import type { Bus } from '../bus/bus.ts'
import type { Messages, SettingsChange } from '../bus/subjects.ts'
import type { ConfigSources } from '../config/load.ts'
import type { SettingMeta } from '../config/option.ts'
import type { ServerConfig, SettingKey, SettingValue } from '../config/schema.ts'
import { describeProblem, type FileProblem } from '../files/read-json-file.ts'
import type { Logger } from '../ports.ts'
import { type EffectiveSetting, effectiveSettings } from './effective.ts'
import { BACKENDS_FILE, KEYS_FILE, parseBackends, parseKeys } from './key-files.ts'
import { type LiveFile, openLiveFile } from './live-file.ts'
import { applyPatch } from './patch.ts'
import { findSetting, SETTING_KEYS } from './schema.ts'
import { maskSecret } from './secret-mask.ts'
import { formatSettings, parseSettings, type SavedSettings, SETTINGS_FILE } from './settings-file.ts'
import type { SettingsFiles } from './settings-files.ts'

/**
 * Runtime settings: the values in force of flags, variables and three files of the configuration folder. Every change is
 * published as `settings.changed`; that of another server is read from the files first.
 */
export interface Settings extends AsyncDisposable {
  /** The value in force. `api_keys` has every key: {@link Settings.legacyKeys}. */
  get<Key extends SettingKey>(key: Key): SettingValue<Key>
  /** Every value with its source, secrets in clear: not for HTTP. */
  snapshot(): ReadonlyMap<SettingKey, EffectiveSetting>
  /** Every value by its wire name, secrets masked. */
  describe(): Record<SettingKey, unknown>
  /**
   * Checks a change as a whole, saves it durably, and publishes `settings.changed`. A value that a flag or variable
   * overrides is saved all the same.
   *
   * @param patch any of the settings; null takes a saved value away; a mask from {@link Settings.describe} means unchanged
   * @param options.owner the routes that ask, for settings that belong to some @default none
   * @returns the subjects that now have another value
   * @throws {SvcError} `invalid_request` for a value that cannot be taken, `not_found` with `--disable-runtime-settings`,
   * `insufficient_storage` or `internal` when the file cannot be written; then nothing has changed
   */
  update(patch: unknown, options?: UpdateOptions): Promise<ReadonlySet<SettingsChange>>
  /** Keys that give full access (§2.4), each once: of flag and variable, then saved ones, then those of `api_keys.json`. */
  legacyKeys(): readonly string[]
  /** Backends outside the backends path by name; where flag and file name the same, the flag counts. */
  externalBackends(): ReadonlyMap<string, string>
  /** The parts of the files that cannot be read and do not count. */
  problems(): readonly FileProblem[]
  close(): Promise<void>
}

/** Options of {@link Settings.update}. */
export interface UpdateOptions {
  readonly owner?: SettingMeta['owner']
}

/** Options of {@link createSettings}. */
export interface SettingsOptions {
  readonly config: ServerConfig
  readonly sources: ConfigSources
  readonly files: SettingsFiles
  readonly bus: Pick<Bus, 'publish' | 'refreshWith'>
  readonly logger: Logger
}

/** How often a change is applied again because another server was faster. */
const MAX_ATTEMPTS = 20

/** The values that are compared to find a change. */
interface View {
  readonly settings: ReadonlyMap<SettingKey, EffectiveSetting>
  readonly backends: ReadonlyMap<string, string>
}

/**
 * Opens the settings and watches their files.
 *
 * @throws {StartRefused} exit code 78 when a file that may hold API keys cannot be read
 */
export async function createSettings(options: SettingsOptions): Promise<Settings> {
  const store = new SettingsStore(options)
  await store.open()
  return store
}

class SettingsStore implements Settings {
  readonly #options: SettingsOptions
  readonly #files: LiveFile<unknown>[] = []
  #saved: LiveFile<SavedSettings> | undefined
  #keys: LiveFile<readonly string[]> | undefined
  #backends: LiveFile<ReadonlyMap<string, string>> | undefined
  #view: View = { settings: new Map(), backends: new Map() }
  #reported = ''
  #updating: Promise<unknown> = Promise.resolve()
  #isUpdating = false
  #endRefresh: () => void = () => undefined

  constructor(options: SettingsOptions) {
    this.#options = options
  }

  async open(): Promise<void> {
    const { config, files } = this.#options
    await files.open()
    try {
      if (!config.disableRuntimeSettings) {
        this.#saved = await this.#openFile(SETTINGS_FILE, { empty: new Map(), parse: parseSettings, holdsKeys: true })
      }
      this.#keys = await this.#openFile(KEYS_FILE, { empty: [], parse: parseKeys, holdsKeys: true })
      this.#backends = await this.#openFile(BACKENDS_FILE, { empty: new Map(), parse: parseBackends, holdsKeys: false })
    } catch (error) {
      await this.close()
      throw error
    }
    this.#view = this.#look()
    this.#report()
    this.#endRefresh = this.#options.bus.refreshWith('settings.changed', () => this.#readAgain())
  }

  get<Key extends SettingKey>(key: Key): SettingValue<Key> {
    // The schema of the setting made the value, and the type follows from the schema.
    return this.#view.settings.get(key)?.value as SettingValue<Key>
  }

  snapshot(): ReadonlyMap<SettingKey, EffectiveSetting> {
    return this.#view.settings
  }

  describe(): Record<SettingKey, unknown> {
    const shown = SETTING_KEYS.map((key) => {
      const value = this.#view.settings.get(key)?.value
      if (findSetting(key).secret !== true) return [key, value]
      const one = (secret: unknown): unknown => (typeof secret === 'string' ? maskSecret(secret) : secret)
      return [key, Array.isArray(value) ? value.map(one) : one(value)]
    })
    // one entry for every key of the table
    return Object.fromEntries(shown) as Record<SettingKey, unknown>
  }

  update(patch: unknown, options: UpdateOptions = {}): Promise<ReadonlySet<SettingsChange>> {
    const file = this.#saved
    if (file === undefined) {
      return Promise.reject(
        new SvcError('not_found', 'runtime settings are disabled', { code: 'runtime_settings_disabled' }),
      )
    }
    const update = this.#updating.then(() => this.#update(file, patch, options))
    this.#updating = update.catch(() => {
      // The caller has the error. The next change runs all the same.
    })
    return update
  }

  legacyKeys(): readonly string[] {
    return this.get('api_keys')
  }

  externalBackends(): ReadonlyMap<string, string> {
    return this.#view.backends
  }

  problems(): readonly FileProblem[] {
    return this.#files.flatMap((file) => file.problems)
  }

  async close(): Promise<void> {
    this.#endRefresh()
    await this.#updating
    await Promise.all(this.#files.map((file) => file.close()))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #openFile<T>(
    name: string,
    file: {
      readonly empty: T
      readonly parse: Parameters<typeof openLiveFile<T>>[0]['parse']
      readonly holdsKeys: boolean
    },
  ): Promise<LiveFile<T>> {
    const { files } = this.#options
    const opened = await openLiveFile({
      ...file,
      files,
      name,
      // A running update publishes the change itself, so that its caller learns of it.
      onReload: () => (this.#isUpdating ? undefined : this.#publishChange()),
    })
    this.#files.push(opened)
    return opened
  }

  #givenKeys(): readonly string[] {
    return [...this.#options.config.apiKeys, ...(this.#keys?.value ?? [])]
  }

  /** The values in force, by flags, variables and files. */
  #look(): View {
    const { config, sources } = this.#options
    const saved = this.#saved?.value ?? new Map<string, unknown>()
    const settings = effectiveSettings({ config, sources, saved, fileKeys: this.#keys?.value ?? [] })
    const backends = new Map(this.#backends?.value)
    for (const { name, uri } of config.externalGrpcBackends) backends.set(name, uri)
    return { settings, backends }
  }

  async #update(
    file: LiveFile<SavedSettings>,
    patch: unknown,
    { owner }: UpdateOptions,
  ): Promise<ReadonlySet<SettingsChange>> {
    let changed: ReadonlySet<SettingsChange> = new Set()
    this.#isUpdating = true
    try {
      for (let attempt = 1; !(await this.#change(file, patch, owner)); attempt += 1) {
        if (attempt === MAX_ATTEMPTS) {
          throw new SvcError('unavailable', 'other servers change the settings at the same time', {
            code: 'settings_busy',
            retryAfterMs: 1000,
          })
        }
      }
    } finally {
      this.#isUpdating = false
      changed = this.#publishChange()
    }
    return changed
  }

  /** Applies a change to what is saved now. @returns false when another server was faster */
  async #change(file: LiveFile<SavedSettings>, patch: unknown, owner: UpdateOptions['owner']): Promise<boolean> {
    // A person or another server may have written meanwhile: the change applies to that content.
    await file.reload()
    const current = (key: SettingKey): unknown => this.#look().settings.get(key)?.value
    const next = applyPatch(patch, { saved: file.value, current, givenKeys: this.#givenKeys(), owner })
    if (isDeepStrictEqual(next, file.value) && file.problems.length === 0) return true
    return this.#save(file, next)
  }

  async #save(file: LiveFile<SavedSettings>, next: SavedSettings): Promise<boolean> {
    const { version } = file
    const { files, logger } = this.#options
    if (file.problems.length > 0) {
      const copy = await files.keepCopy(SETTINGS_FILE)
      if (copy !== undefined) logger.warn({ copy }, 'settings file could not be read and is kept under another name')
    }
    if (!(await files.write(SETTINGS_FILE, formatSettings(next), version))) return false
    file.accept(next)
    return true
  }

  /** Reads the files after another server has changed them. */
  async #readAgain(): Promise<Messages['settings.changed'] | undefined> {
    // A change that is being saved here is published by itself.
    await this.#updating
    await Promise.all(this.#files.map((file) => file.reload()))
    const changed = this.#applyChange()
    return changed.size === 0 ? undefined : { keys: [...changed] }
  }

  #publishChange(): ReadonlySet<SettingsChange> {
    const changed = this.#applyChange()
    if (changed.size > 0) this.#options.bus.publish('settings.changed', { keys: [...changed] })
    return changed
  }

  /** Puts the values of the files in force. Returns the difference to the values before. */
  #applyChange(): ReadonlySet<SettingsChange> {
    const before = this.#view
    this.#view = this.#look()
    this.#report()
    const changed = new Set<SettingsChange>(
      SETTING_KEYS.filter(
        (key) => !isDeepStrictEqual(before.settings.get(key)?.value, this.#view.settings.get(key)?.value),
      ),
    )
    if (!isDeepStrictEqual(before.backends, this.#view.backends)) changed.add('external_backends')
    if (changed.size === 0) return changed
    this.#options.logger.info({ changed: [...changed] }, 'settings changed')
    if (changed.has('api_keys') && this.legacyKeys().length === 0) {
      this.#options.logger.warn({}, 'the last API key is gone: nothing is restricted any longer')
    }
    return changed
  }

  /** Logs the problems of the files, once for each state. */
  #report(): void {
    const problems = this.problems()
    const shown = problems.map(describeProblem).join('\n')
    if (shown === this.#reported) return
    this.#reported = shown
    for (const { file, line, message } of problems) {
      this.#options.logger.warn({ file, line, problem: message }, 'configuration file cannot be used')
    }
  }
}
