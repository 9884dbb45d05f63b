import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort, type Measured, startMeasured } from './processes.ts'

/** The path of all requests. */
export const CHAT_PATH = '/v1/chat/completions'

/** The built-in patterns that the specification requires. */
export const FIVE_PATTERNS = [
  'provider_a_api_key',
  'provider_b_api_key',
  'codehost_token',
  'cloud_access_key',
  'private_key_block',
] as const

/** The main file of this checkout, built. */
export const BUILT_SERVER = fileURLToPath(new URL('../../apps/server/dist/main.js', import.meta.url))

/** Starts the upstream of relayed models. */
export async function startUpstream(cpu?: number): Promise<Measured> {
  const port = await freePort()
  const script = fileURLToPath(new URL('./proxy-upstream.mjs', import.meta.url))
  return startMeasured({ cpu, args: [script, String(port)], url: `http://127.0.0.1:${port}`, ready: '/' })
}

/** Options of a server. */
export interface ServerOptions {
  /** Folder for all its files. */
  readonly folder: string
  /** Model files. */
  readonly models: readonly { readonly name: string; readonly [field: string]: unknown }[]
  /** The main file. @default that of this checkout, built */
  readonly entry?: string | undefined
  readonly nodeArgs?: readonly string[] | undefined
  readonly flags?: readonly string[] | undefined
  readonly cpu?: number | undefined
  readonly env?: NodeJS.ProcessEnv | undefined
  /** Ends the wait for it. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Starts a whole server and waits until it is ready.
 *
 * @throws {Error} where it is not built
 */
export async function startServer(options: ServerOptions): Promise<Measured> {
  const { folder, models, entry = BUILT_SERVER, nodeArgs = [], flags = [], cpu, env = {}, signal } = options
  if (!existsSync(entry)) throw new Error('the server is not built: npm run build')
  const at = (name: string): string => join(folder, name)
  mkdirSync(at('models'), { recursive: true })
  for (const model of models) writeFileSync(at(`models/${model.name.replace(/ /g, '-')}.yaml`), JSON.stringify(model))
  const port = await freePort()
  const places = [
    `--models-path=${at('models')}`,
    `--data-path=${at('data')}`,
    `--config-dir=${at('configuration')}`,
    `--backends-path=${at('backends')}`,
  ]
  return startMeasured({
    cpu,
    signal,
    args: [...nodeArgs, entry, 'run', `--address=127.0.0.1:${port}`, ...places, ...flags],
    url: `http://127.0.0.1:${port}`,
    ready: '/readyz',
    env: { SVC_DEMO_MODEL: 'false', ...env },
  })
}
