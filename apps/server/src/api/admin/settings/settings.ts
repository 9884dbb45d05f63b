import { SvcError } from '@svc/errors'
import { parseJsonCooperatively } from '@svc/json'
import type { SettingKey } from '../../../config/schema.ts'
import type { BodyReader } from '../../../http/body.ts'
import type { HttpReply } from '../../../http/http-reply.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import type { Settings } from '../../../settings/settings.ts'

const wire = () => import('@svc/wire/native')

/** The part of the settings store that the routes use. */
export interface SettingsAccess {
  /** Gives every setting for display, with secrets masked. */
  describe(): Readonly<Record<string, unknown>>
  /** Gives every value with its source, secrets in clear. */
  snapshot(): ReturnType<Settings['snapshot']>
  /** Changes settings. @throws {SvcError} `invalid_request` naming the key; then nothing is changed */
  update(patch: Readonly<Record<string, unknown>>): Promise<unknown>
}

function toRefusal(error: string, status: number): HttpReply {
  return json({ success: false, error }, { status })
}

/** `GET` and `POST /api/settings` (§4.7) and the sources of the values; absent with `--disable-runtime-settings`. */
export function settingsRoutes(
  settings: SettingsAccess,
  bodies: BodyReader,
  findProblems?: (key: SettingKey) => readonly string[],
): Route[] {
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
          schema: async () => (await import('../../../settings/schema.ts')).settingsBody,
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
      family: 'compatible',
      tag: 'settings',
      summary: 'Change any subset of the runtime settings',
      audit: { change: 'setting.change' },
      body: async () => (await import('../../../settings/schema.ts')).settingsBody,
      responses: {
        200: { description: 'Saved and in force.', schema: async () => (await wire()).settingsUpdateReply },
        400: { description: 'Nothing was changed.', schema: async () => (await wire()).settingsUpdateReply },
      },
      async handler(call) {
        const held = await bodies.read(call)
        try {
          const document = await parseJsonCooperatively(held.bytes, {}, { signal: call.signal })
          const patch = document.root.toValue()
          if (typeof patch !== 'object' || patch === null || Array.isArray(patch))
            return toRefusal('Failed to parse JSON: expected an object', 400)
          await settings.update(patch as Record<string, unknown>)
          call.noteChange({ details: describePatch(patch as Record<string, unknown>) })
          return json({ success: true, message: 'Settings updated successfully' })
        } catch (error) {
          if (!SvcError.is(error) || error.kind !== 'invalid_request') throw error
          const syntax = error.code === 'json_syntax' || error.code === 'json_limit'
          return toRefusal(syntax ? `Failed to parse JSON: ${error.message}` : error.message, 400)
        } finally {
          held.release()
        }
      },
    }),
  ]
}

/** Names the settings of a patch, with the values that can be no secret: switches and numbers. */
function describePatch(patch: Readonly<Record<string, unknown>>): string {
  const names = Object.entries(patch).map(([name, value]) =>
    typeof value === 'boolean' || typeof value === 'number' ? `${name}=${value}` : name,
  )
  return names.join(', ')
}
