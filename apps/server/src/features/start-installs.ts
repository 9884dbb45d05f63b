import { readFile } from 'node:fs/promises'
import { SvcError } from '@svc/errors'
import * as z from 'zod'
import { StartRefused } from '../config/start-refused.ts'
import type { Unready } from '../monitoring/readiness.ts'
import type { Operation } from '../operations/operation.ts'
import type { ServerFeature } from '../platform/feature.ts'
import type { Platform } from '../platform/platform.ts'

/** Time between two checks for upgrades of backends. */
const CHECK_MS = 6 * 60 * 60 * 1000

/** The configuration asks for files of this server, also where another one installs the same. */
const HERE = { isHere: true } as const

const fields = z.record(z.string(), z.unknown())

/** A model to install at the start. */
const preloadList = z.array(
  z.looseObject({
    id: z.string().optional(),
    url: z.string().optional(),
    name: z.string().optional(),
    variant: z.string().optional(),
    overrides: fields.optional(),
  }),
)

type Preload = z.output<typeof preloadList>[number]

const INSTALLING: Unready = { status: 'starting', reason: 'what the configuration names is installed' }

/**
 * Installations that the configuration asks for (`--preload-models`, `--preload-models-config`, `--external-backends`),
 * and upgrades of backends (`--auto-upgrade-backends`). They run as operations while the server serves. It is not ready
 * before the installations have ended.
 */
export async function startInstallsFeature(platform: Platform): Promise<ServerFeature> {
  const { config, settings, backendGallery, operations, clock, log } = platform
  const models = await readPreloads(config)
  const stopping = new AbortController()
  const { signal } = stopping
  let isInstalling = models.length > 0 || config.externalBackends.length > 0
  let installing: Promise<void> | undefined
  let watching: Promise<void> | undefined

  async function waitForAll(installs: readonly Operation[]): Promise<void> {
    try {
      await Promise.all(installs.map(({ jobId }) => operations.waitForEnd(jobId, { signal })))
    } catch (error) {
      if (!signal.aborted) log.error({ err: error }, 'installations of the start cannot be followed')
    }
    isInstalling = false
  }

  async function watchUpgrades(): Promise<void> {
    for (;;) {
      await clock.sleep(CHECK_MS, { signal })
      if (!settings.get('auto_upgrade_backends')) continue
      const upgrades = await backendGallery.checkUpgrades({ signal })
      for (const { name } of upgrades) await backendGallery.install({ id: name, force: true }, HERE)
    }
  }

  return {
    async start() {
      installing = waitForAll(await enqueueAll(models, platform))
      watching = watchUpgrades().catch((error: unknown) => {
        if (!signal.aborted) log.error({ err: error }, 'upgrades of backends are no longer looked for')
      })
    },
    unready: () => (isInstalling ? INSTALLING : undefined),
    async drain() {
      stopping.abort()
      await Promise.all([installing, watching])
    },
  }
}

/** Queues the installations that the configuration asks for. @throws {StartRefused} for a text that is not a list */
export async function enqueueStartInstalls(platform: Platform): Promise<readonly Operation[]> {
  return enqueueAll(await readPreloads(platform.config), platform)
}

async function enqueueAll(
  models: readonly Preload[],
  { config, modelGallery, backendGallery, log }: Platform,
): Promise<readonly Operation[]> {
  const started: Operation[] = []
  for (const name of config.externalBackends) {
    started.push(await backendGallery.install(name.includes('://') ? { uri: name } : { id: name }, HERE))
  }
  for (const { id, url, name, variant, overrides } of models) {
    const request = {
      ...(id === undefined ? {} : { id }),
      ...(url === undefined ? {} : { url }),
      ...(name === undefined ? {} : { name }),
      ...(variant === undefined ? {} : { variant }),
      ...(overrides === undefined ? {} : { overrides }),
    }
    const operation = await modelGallery.install(request, HERE).catch((error: unknown) => {
      // The models that are there are served from a folder that cannot be written, too.
      if (!SvcError.is(error) || error.code !== 'not_writable') throw error
      log.error({ model: id ?? name, err: error }, 'model to install at start could not be installed')
      return undefined
    })
    if (operation !== undefined) started.push(operation)
  }
  return started
}

/** The models that the flags name. @throws {StartRefused} for a text that is not a list */
async function readPreloads({ preloadModels, preloadModelsConfig }: Platform['config']): Promise<readonly Preload[]> {
  const inline = preloadModels === undefined ? [] : await toPreloads(preloadModels, '--preload-models')
  if (preloadModelsConfig === undefined) return inline
  const text = await readFile(preloadModelsConfig, 'utf8').catch((error: unknown) => {
    throw refused('--preload-models-config', 'it cannot be read', error)
  })
  return [...inline, ...(await toPreloads(text, '--preload-models-config'))]
}

/** YAML holds JSON too. */
async function toPreloads(text: string, flag: string): Promise<readonly Preload[]> {
  const { readYaml } = await import('../catalog/yaml/read-yaml.ts')
  const { toPlainValue } = await import('../catalog/yaml/scalars.ts')
  const read = readYaml(text)
  if (!read.ok) throw refused(flag, read.reason)
  const parsed = preloadList.safeParse(toPlainValue(read.root))
  if (!parsed.success) throw refused(flag, 'it is not a list of objects with id, url, name, variant and overrides')
  const nameless = parsed.data.find(({ id, url, name }) => !id && !(url && name))
  if (nameless !== undefined) throw refused(flag, 'a model has neither an id nor a url with a name')
  return parsed.data
}

function refused(flag: string, reason: string, cause?: unknown): StartRefused {
  const detail = SvcError.is(cause) ? `${reason}: ${cause.message}` : reason
  return new StartRefused(`${flag}: ${detail}`, { exitCode: 78, ...(cause === undefined ? {} : { cause }) })
}
