import { SvcError } from '@svc/errors'
import { parseJsonCooperatively } from '@svc/json'
import type { SettingsUpdateReply } from '@svc/wire/native'
import type { SettingsChange } from '../../../bus/subjects.ts'
import type { SettingKey } from '../../../config/schema.ts'
import type { BodyReader } from '../../../http/body.ts'
import type { Call } from '../../../http/call.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import type { NotInForce } from '../../../settings/list-sources.ts'
import { isSettingKey } from '../../../settings/schema.ts'
import type { Settings } from '../../../settings/settings.ts'

const wire = () => import('@svc/wire/native')

/** The part of the settings store that the routes use. */
export interface SettingsAccess {
  /** Gives every setting for display, with secrets masked. */
  describe(): Readonly<Record<string, unknown>>
  /** Gives every value with its source, secrets in clear. */
  snapshot(): ReturnType<Settings['snapshot']>
  /** Changes settings. @throws {SvcError} `invalid_request` naming the key; then nothing is changed */
  update(patch: Readonly<Record<string, unknown>>): ReturnType<Settings['update']>
}

/** Options of {@link settingsRoutes}. */
export interface SettingsRouteParts {
  readonly settings: SettingsAccess
  readonly bodies: BodyReader
  /** Lists faults of the value in force. @default none */
  readonly findProblems?: (key: SettingKey) => readonly string[]
  /** Refuses a value that can never act. @throws {SvcError} `invalid_request` */
  readonly check?: (key: SettingKey, value: unknown) => void
  /** Lists faults of a value that is taken all the same. @default none */
  readonly findWarnings?: (key: SettingKey) => readonly string[]
  /** Waits for the part of the server that follows a setting. @returns the reason why it does not run */
  readonly restart?: (key: SettingKey, options: RestartOptions) => Promise<string | undefined>
}

/** Options of {@link SettingsRouteParts.restart}. */
export interface RestartOptions {
  /** Whether the value has changed, so that the part follows it already. The same value, saved again, is tried again. */
  readonly hasChanged: boolean
  readonly signal: AbortSignal
}

type Patch = Readonly<Record<string, unknown>>

/** `GET` and `POST /api/settings` (§4.7) and the sources of the values; absent with `--disable-runtime-settings`. */
export function settingsRoutes(parts: SettingsRouteParts): Route[] {
  const { settings, findProblems } = parts
  return [
    defineRoute({
      method: 'GET',
      path: '/api/settings',
      access: 'admin',
      family: 'compatible',
      tag: 'settings',
      summary: 'Every runtime setting, secrets masked',
      responses: {
        200: {
          description: 'The settings in force.',
          schema: async () => (await import('../../../settings/body.ts')).settingsBody,
        },
      },
      handler: () => json(settings.describe()),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/settings/sources',
      access: 'admin',
      family: 'compatible',
      tag: 'settings',
      summary: 'Where the value of each runtime setting comes from, and what locks it',
      responses: {
        200: {
          description: 'In the order of the documentation.',
          schema: async () => (await import('./schemas.ts')).settingSources,
        },
      },
      async handler() {
        const { listSettingOrigins } = await import('../../../settings/list-sources.ts')
        return json({ settings: listSettingOrigins(settings.snapshot(), findProblems) })
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/settings',
      access: 'admin',
      family: 'settings',
      tag: 'settings',
      summary: 'Change any subset of the runtime settings',
      audit: { change: 'setting.change' },
      body: async () => (await import('../../../settings/body.ts')).settingsBody,
      responses: {
        200: {
          description: 'Saved, and in force but for those of `not_in_force`.',
          schema: async () => (await wire()).settingsUpdateReply,
        },
        400: { description: 'Nothing was changed.', schema: async () => (await wire()).settingsErrorReply },
        500: {
          description: 'With `not_in_force` everything was saved, and a part of the server does not start with it.',
          schema: async () => (await wire()).settingsErrorReply,
        },
      },
      async handler(call) {
        const patch = await readPatch(call, parts.bodies)
        const keys = Object.keys(patch).filter(isSettingKey)
        for (const key of keys) parts.check?.(key, patch[key])
        const changed = await settings.update(patch)
        call.noteChange({ details: describePatch(patch) })
        return json(await describeUpdate({ keys, changed }, call, parts))
      },
    }),
  ]
}

/** Reads the settings of a body. @throws {SvcError} `invalid_request` */
async function readPatch(call: Call, bodies: BodyReader): Promise<Patch> {
  const held = await bodies.read(call)
  try {
    const document = await parseJsonCooperatively(held.bytes, {}, { signal: call.signal })
    const patch = document.root.toValue()
    if (isPatch(patch)) return patch
    throw new SvcError('invalid_request', 'Failed to parse JSON: expected an object', { code: 'invalid_body' })
  } catch (error) {
    if (!SvcError.is(error) || (error.code !== 'json_syntax' && error.code !== 'json_limit')) throw error
    throw new SvcError('invalid_request', `Failed to parse JSON: ${error.message}`, { code: error.code, cause: error })
  } finally {
    held.release()
  }
}

function isPatch(value: unknown): value is Patch {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Describes what a change has led to: settings that a flag or a variable keeps from acting, and faults of things that the
 * values name.
 *
 * @throws {SvcError} `internal`, code `setting_not_in_force`, where a part of the server does not start. The change is
 *   recorded as done.
 */
async function describeUpdate(
  { keys, changed }: { readonly keys: readonly SettingKey[]; readonly changed: ReadonlySet<SettingsChange> },
  call: Call,
  { settings, findWarnings, restart }: SettingsRouteParts,
): Promise<SettingsUpdateReply> {
  const { listOverridden } = await import('../../../settings/list-sources.ts')
  const overridden = listOverridden(keys, settings.snapshot())
  const stopped: NotInForce[] = []
  for (const key of keys) {
    const reason = await restart?.(key, { hasChanged: changed.has(key), signal: call.signal })
    if (reason !== undefined) stopped.push({ key, reason })
  }
  const unused = [...overridden, ...stopped].map((one) => ({ ...one }))
  if (stopped.length > 0) {
    await call.recordChange()
    throw new SvcError('internal', `Settings saved but failed to restart ${toSentence(unused)}`, {
      code: 'setting_not_in_force',
      details: { beside: { not_in_force: unused } },
    })
  }
  const warnings = keys.flatMap((key) => (findWarnings?.(key) ?? []).map((fault) => `${key}: ${fault}`))
  return {
    success: true,
    message:
      unused.length === 0 ? 'Settings updated successfully' : `Settings saved but not in force: ${toSentence(unused)}`,
    ...(unused.length === 0 ? {} : { not_in_force: unused }),
    ...(warnings.length === 0 ? {} : { warnings }),
  }
}

function toSentence(unused: readonly NotInForce[]): string {
  return unused.map(({ key, reason }) => `${key}: ${reason}`).join('; ')
}

/** Names the settings of a patch, with the values that can be no secret: switches and numbers. */
function describePatch(patch: Patch): string {
  const names = Object.entries(patch).map(([name, value]) =>
    typeof value === 'boolean' || typeof value === 'number' ? `${name}=${value}` : name,
  )
  return names.join(', ')
}
